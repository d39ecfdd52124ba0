//! `glob`: finds files by their names.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use ignore::DirEntry;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::walk::{self, Pattern};
use super::{Output, Tool, ToolContext, ToolError, files, text};
use crate::access::{Access, Preview};
use crate::workspace::Workspace;

/// Paths shown.
const SHOWN: usize = 500;

/// The tool.
pub(super) struct Glob;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Such as `src/**/*.{rs,toml}`. Without `/` it matches names at any depth; a final `/` finds directories.
    pattern: String,
    /// Where to search, default the workspace.
    path: Option<String>,
}

impl Tool for Glob {
    const NAME: &'static str = "glob";
    const DESCRIPTION: &'static str = "Find files by name, the newest first. Ignored and hidden files are left out \
        unless the pattern names them.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        // The pattern's literal start may lead elsewhere (`../x/*`, `/etc/*`); what is left of it cannot.
        let root = workspace.absolute(input.path.as_deref().unwrap_or_default());
        let (start, rest) = walk::split(&root, input.pattern.trim());
        vec![Access::Search { root: start, pattern: Some(rest) }]
    }

    fn preview(&self, input: &Input, workspace: &Workspace) -> Preview {
        let root = workspace.absolute(input.path.as_deref().unwrap_or_default());
        Preview::Text(format!("find {} in {}", input.pattern, workspace.display(&root)))
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        let workspace = cx.workspace.clone();
        files::blocking(cx, move |cancel| {
            let root = workspace.absolute(input.path.as_deref().unwrap_or_default());
            find(&root, &input.pattern, &workspace, cancel).map(Output::Text)
        })
        .await
    }
}

/// The newest matches, and how many there are in all.
#[derive(Default)]
struct Matches {
    newest: BTreeSet<(Reverse<SystemTime>, PathBuf)>,
    total: u64,
}

impl Matches {
    fn add(&mut self, entry: &DirEntry) {
        let changed = entry.metadata().ok().and_then(|metadata| metadata.modified().ok());
        self.newest.insert((Reverse(changed.unwrap_or(SystemTime::UNIX_EPOCH)), entry.path().to_path_buf()));
        self.total += 1;
        if self.newest.len() > SHOWN {
            self.newest.pop_last();
        }
    }
}

fn find(root: &Path, pattern: &str, workspace: &Workspace, cancel: &CancellationToken) -> Result<String, ToolError> {
    let metadata = root.metadata().map_err(|error| files::unreadable(root, workspace, &error))?;
    if !metadata.is_dir() {
        let shown = workspace.display(root);
        return Err(ToolError::new(format!("{shown} is not a directory; \"path\" is where the search starts.")));
    }
    let (start, rest) = walk::split(root, pattern.trim());
    let pattern = Pattern::new(&rest)?;
    if !start.is_dir() {
        let shown = workspace.display(&start);
        return Ok(format!("No files match: there is no directory {shown}."));
    }
    let matches = Mutex::new(Matches::default());
    let unreadable = walk::walk(&start, Some(&pattern), cancel, || {
        |entry: &DirEntry| {
            let is_directory = entry.file_type().is_some_and(|kind| kind.is_dir());
            let relative = entry.path().strip_prefix(&start).unwrap_or(entry.path());
            if entry.depth() > 0 && is_directory == pattern.wants_directories && pattern.matches(relative) {
                matches.lock().unwrap_or_else(PoisonError::into_inner).add(entry);
            }
        }
    });
    if cancel.is_cancelled() {
        return Err(files::interrupted());
    }
    Ok(render(matches.into_inner().unwrap_or_else(PoisonError::into_inner), unreadable, &pattern, workspace))
}

fn render(matches: Matches, unreadable: u64, pattern: &Pattern, workspace: &Workspace) -> String {
    let mark = if pattern.wants_directories { "/" } else { "" };
    let newest = matches.newest.iter();
    let mut lines: Vec<String> = newest.map(|(_, path)| format!("{}{mark}", workspace.display(path))).collect();
    if lines.is_empty() {
        lines.push("No files match (ignored and hidden files are left out).".to_owned());
    }
    let more = matches.total.saturating_sub(SHOWN as u64);
    if more > 0 {
        lines.push(format!("[the newest {SHOWN}; {more} more match, narrow the pattern]"));
    }
    if unreadable > 0 {
        lines.push(format!("[{} could not be read]", text::count(unreadable, "place")));
    }
    lines.join("\n")
}
