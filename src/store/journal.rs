//! The session file: one JSON record a line, appended, never rewritten.
//!
//! Writing hands each record to the system before it returns. Reading takes what is good: a torn last line
//! is dropped, another bad line is skipped, and both are told.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::message::{Message, StopReason, Usage};

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Unique, in order of time.
    pub id: String,
    /// The record that this one follows.
    pub parent: Option<String>,
    /// When, RFC 3339 in UTC.
    pub ts: String,
    /// What.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What a record says.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Entry {
    /// The first record: what the session is.
    Meta(Meta),
    /// A message of the conversation.
    Message {
        /// The message.
        message: Message,
        /// Why an answer ended.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        stop_reason: Option<StopReason>,
        /// An answer's tokens.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        usage: Option<Usage>,
    },
    /// A tool is about to run.
    ToolStart {
        /// The call's id.
        tool_use_id: String,
        /// The tool.
        name: String,
    },
    /// From here on the conversation is these messages.
    Compaction {
        /// What set it off.
        trigger: String,
        /// Estimated tokens before.
        pre_tokens: u64,
        /// Estimated tokens after.
        post_tokens: u64,
        /// The messages that stand for all earlier ones.
        messages: Vec<Message>,
    },
    /// The permission mode changed.
    Mode {
        /// The new mode.
        mode: String,
    },
    /// The session was named.
    Title {
        /// Its name.
        title: String,
    },
}

/// What a session is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    /// The format's version.
    pub version: u32,
    /// The session's id.
    pub session_id: String,
    /// Where it works.
    pub cwd: PathBuf,
    /// The provider it began with.
    pub provider: String,
    /// The model it began with.
    pub model: String,
}

/// An open session file. It is created by the first record, so that a session without a turn leaves no file.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: Option<File>,
    meta: Option<Meta>,
    parent: Option<String>,
}

impl Journal {
    /// A new file at `path`, to begin with `meta`.
    pub fn create(path: PathBuf, meta: Meta) -> Self {
        Self { path, file: None, meta: Some(meta), parent: None }
    }

    /// An existing file, whose last record is `parent`.
    pub fn append_to(path: PathBuf, parent: Option<String>) -> Self {
        Self { path, file: None, meta: None, parent }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a record.
    ///
    /// # Errors
    /// When the file cannot be made or written.
    pub fn append(&mut self, entry: Entry) -> io::Result<()> {
        if let Some(meta) = self.meta.take() {
            self.write(Entry::Meta(meta))?;
        }
        self.write(entry)
    }

    fn write(&mut self, entry: Entry) -> io::Result<()> {
        let ts = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        let id = uuid::Uuid::now_v7().simple().to_string();
        let record = Record { id: id.clone(), parent: self.parent.take(), ts, entry };
        self.parent = Some(id);
        let mut line = serde_json::to_vec(&record)?;
        line.push(b'\n');
        let mut file = match self.file.take() {
            Some(file) => file,
            None => open(&self.path)?,
        };
        file.write_all(&line)?;
        self.file = Some(file);
        Ok(())
    }
}

/// Opens for appending, private to the user. A torn last line is ended first, so that it stays alone.
fn open(path: &Path) -> io::Result<File> {
    if let Some(dir) = path.parent() {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)?;
    }
    let mut file = OpenOptions::new().append(true).read(true).create(true).mode(0o600).open(path)?;
    if !ends_with_newline(&mut file)? {
        file.write_all(b"\n")?;
    }
    Ok(file)
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    use std::io::{Read, Seek, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// What reading a file gave.
#[derive(Debug, Default)]
pub struct Loaded {
    /// The good records, in order.
    pub records: Vec<Record>,
    /// What was left out, one sentence each.
    pub notices: Vec<String>,
}

/// Reads a session file.
///
/// # Errors
/// When the file cannot be opened or read. Bad lines are no error.
pub fn read(path: &Path) -> io::Result<Loaded> {
    let mut reader = BufReader::new(File::open(path)?);
    let mut loaded = Loaded::default();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        if reader.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let is_torn = !line.ends_with(b"\n");
        match serde_json::from_slice(&line) {
            Ok(record) => loaded.records.push(record),
            Err(_) if line.trim_ascii().is_empty() => {}
            Err(_) if is_torn => {
                loaded.notices.push(format!("{}: the last line was cut off and is left out", path.display()));
            }
            Err(error) => {
                loaded.notices.push(format!("{}:{number}: not a session record, skipped ({error})", path.display()));
            }
        }
    }
    Ok(loaded)
}
