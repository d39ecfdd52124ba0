//! Finding sessions: by project, newest first, by the beginning of an id or by title.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::message::Role;

use super::journal::{Entry, Record};

/// Records read from the start of a file to find its title.
const TITLE_RECORDS: usize = 8;

/// A session on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its id.
    pub id: String,
    /// Its file.
    pub path: PathBuf,
    /// When it was last written.
    pub modified: SystemTime,
    /// The first words of its first message.
    pub title: String,
}

/// The directory name that stands for a project: its path with everything but letters and digits as `-`.
pub fn project_slug(root: &Path) -> String {
    let path = root.to_string_lossy();
    let slug: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let slug = slug.trim_matches('-');
    let start = slug.len().saturating_sub(100);
    if slug.is_empty() { "root".to_owned() } else { slug[start..].to_owned() }
}

/// The sessions of a project, newest first. `dir` is `sessions/<slug>`; one that is not there has none.
///
/// # Errors
/// When the directory cannot be read.
pub fn sessions(dir: &Path) -> io::Result<Vec<Listed>> {
    let entries = match fs::read_dir(dir) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let Some(id) = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".jsonl")) else { continue };
        let Ok(modified) = fs::metadata(&path).and_then(|meta| meta.modified()) else { continue };
        found.push(Listed { id: id.to_owned(), modified, title: String::new(), path });
    }
    found.sort_by(|a, b| b.modified.cmp(&a.modified).then_with(|| b.id.cmp(&a.id)));
    Ok(found)
}

/// Fills in the titles, which costs opening each file.
pub fn with_titles(mut sessions: Vec<Listed>) -> Vec<Listed> {
    for session in &mut sessions {
        session.title = title(&session.path).unwrap_or_default();
    }
    sessions
}

/// The session that `wanted` names: the beginning of an id, or a title; several matches are an error.
///
/// # Errors
/// A sentence that says that none or several match.
pub fn find(sessions: Vec<Listed>, wanted: &str) -> Result<Listed, String> {
    let by_id: Vec<_> = sessions.iter().filter(|session| session.id.starts_with(wanted)).cloned().collect();
    let mut matching = if by_id.is_empty() {
        with_titles(sessions).into_iter().filter(|session| session.title.eq_ignore_ascii_case(wanted)).collect()
    } else {
        by_id
    };
    match matching.len() {
        1 => Ok(matching.remove(0)),
        0 => Err(format!("no session of this project has an id or a title like \"{wanted}\"; /sessions lists them")),
        n => Err(format!("{n} sessions match \"{wanted}\"; give more of the id")),
    }
}

/// A session's title: the one it was given, else the first line of its first user text.
fn title(path: &Path) -> Option<String> {
    let lines = BufReader::new(File::open(path).ok()?).lines().take(TITLE_RECORDS);
    for line in lines {
        let Ok(record) = serde_json::from_str::<Record>(&line.ok()?) else { continue };
        match record.entry {
            Entry::Title { title } => return Some(title),
            Entry::Message { message, .. } if message.role == Role::User => {
                let text = message.text();
                let line = text.lines().find(|line| !line.trim().is_empty())?;
                return Some(line.chars().take(80).collect());
            }
            _ => {}
        }
    }
    None
}
