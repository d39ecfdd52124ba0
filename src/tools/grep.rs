//! `grep`: searches file contents with ripgrep's engine. How a file's matches are gathered is in
//! `matches.rs`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{BinaryDetection, Searcher, SearcherBuilder};
use ignore::DirEntry;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio_util::sync::CancellationToken;

use super::files::{self, Cancellable};
use super::matches::FileMatches;
use super::walk::{self, Pattern};
use super::{Output, Tool, ToolContext, ToolError, text};
use crate::access::{Access, Preview};
use crate::exec::capture::SHOWN;
use crate::workspace::Workspace;

/// Matching lines shown, and files, when the call does not say.
const DEFAULT_LINES: u64 = 200;
const DEFAULT_FILES: u64 = 500;
/// The most that a call can ask for; the text's length limits it further.
const MOST: u64 = 5_000;
/// Lines around a match at most.
const MOST_CONTEXT: u64 = 50;
/// Memory for one line, or for one file when a match may span lines.
const MEMORY: usize = 64 << 20;

/// The tool.
pub(super) struct Grep;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Regular expression, Rust syntax.
    pattern: String,
    /// File or directory, default the workspace.
    path: Option<String>,
    /// Only files that match, such as `*.rs`; `!` in front excludes.
    glob: Option<String>,
    /// Default content.
    output: Option<Mode>,
    /// Lines to show around a match.
    context: Option<u64>,
    ignore_case: Option<bool>,
    /// Matches may span lines, and `.` matches line ends.
    multiline: Option<bool>,
    /// Most matches or files to show.
    limit: Option<u64>,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Content,
    Files,
    Count,
}

impl Tool for Grep {
    const NAME: &'static str = "grep";
    const DESCRIPTION: &'static str = "Search file contents. Ignored, hidden and binary files are left out.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        let root = workspace.absolute(input.path.as_deref().unwrap_or_default());
        vec![Access::Search { root, pattern: input.glob.clone() }]
    }

    fn preview(&self, input: &Input, workspace: &Workspace) -> Preview {
        let root = workspace.absolute(input.path.as_deref().unwrap_or_default());
        Preview::Text(format!("search for {} in {}", input.pattern, workspace.display(&root)))
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        let workspace = cx.workspace.clone();
        files::blocking(cx, move |cancel| search(&input, &workspace, cancel).map(Output::Text)).await
    }
}

/// What to look for, and how.
struct Query {
    matcher: RegexMatcher,
    is_multiline: bool,
    mode: Mode,
    context: usize,
    limit: u64,
}

impl Query {
    fn new(input: &Input) -> Result<Self, ToolError> {
        let asked = input.multiline == Some(true);
        let insensitive = input.ignore_case == Some(true);
        // A pattern with a line end in it can only be meant to span lines.
        let (matcher, is_multiline) = match matcher(&input.pattern, insensitive, asked) {
            Err(error) if !asked && matches!(error.kind(), grep_regex::ErrorKind::NotAllowed(_)) => {
                (matcher(&input.pattern, insensitive, true), true)
            }
            result => (result, asked),
        };
        let matcher = matcher.map_err(|error| {
            ToolError::new(format!(
                "Invalid regular expression: {error}\nEscape what is meant literally (\\( \\[ \\{{ \\.); look-around and \
                 back-references do not exist."
            ))
        })?;
        let mode = input.output.unwrap_or(Mode::Content);
        let default = if mode == Mode::Content { DEFAULT_LINES } else { DEFAULT_FILES };
        let context = if mode == Mode::Content { input.context.unwrap_or(0).min(MOST_CONTEXT) } else { 0 };
        let limit = input.limit.unwrap_or(default).clamp(1, MOST);
        Ok(Self { matcher, is_multiline, mode, context: context as usize, limit })
    }

    fn searcher(&self) -> Searcher {
        SearcherBuilder::new()
            .binary_detection(BinaryDetection::quit(0))
            .heap_limit(Some(MEMORY))
            .multi_line(self.is_multiline)
            .before_context(self.context)
            .after_context(self.context)
            .build()
    }

    /// Matches of one file; `None` if there are none. As many lines are kept as could be shown.
    fn file(
        &self,
        path: &Path,
        searcher: &mut Searcher,
        cancel: &CancellationToken,
    ) -> std::io::Result<Option<FileMatches<'_>>> {
        let mut matches = match self.mode {
            Mode::Content => FileMatches::with_lines(&self.matcher, self.limit),
            Mode::Count => FileMatches::counted(&self.matcher),
            Mode::Files => FileMatches::first_only(&self.matcher),
        };
        let file = files::open_without_waiting(path)?;
        searcher.search_reader(&self.matcher, Cancellable { inner: file, cancel }, &mut matches)?;
        Ok((matches.total > 0 && !matches.is_binary).then_some(matches))
    }
}

fn matcher(pattern: &str, insensitive: bool, multiline: bool) -> Result<RegexMatcher, grep_regex::Error> {
    let mut builder = RegexMatcherBuilder::new();
    builder.case_insensitive(insensitive).multi_line(true).dot_matches_new_line(multiline);
    builder.line_terminator(if multiline { None } else { Some(b'\n') });
    builder.build(pattern)
}

/// What a search found: the first files by path, as far as they can be shown, and all the counts.
#[derive(Default)]
struct Found<'m> {
    files: BTreeMap<PathBuf, FileMatches<'m>>,
    /// Matches (or files) held in `files`, and bytes of their lines.
    held: (u64, usize),
    total_matches: u64,
    total_files: u64,
    unreadable: u64,
}

impl<'m> Found<'m> {
    fn add(&mut self, path: &Path, matches: FileMatches<'m>, query: &Query) {
        self.total_matches += matches.total;
        self.total_files += 1;
        let weight = |matches: &FileMatches<'_>| match query.mode {
            Mode::Content => (matches.kept, matches.bytes),
            Mode::Files | Mode::Count => (1, 0),
        };
        let (count, bytes) = weight(&matches);
        self.held = (self.held.0 + count, self.held.1 + bytes);
        self.files.insert(path.to_path_buf(), matches);
        // The last by path go while the rest is still enough: memory holds no more than is shown.
        while let Some(last) = self.files.last_entry() {
            let (count, bytes) = weight(last.get());
            let without = (self.held.0 - count, self.held.1 - bytes);
            if without.0 < query.limit && without.1 < SHOWN {
                break;
            }
            self.held = without;
            last.remove();
        }
    }
}

fn search(input: &Input, workspace: &Workspace, cancel: &CancellationToken) -> Result<String, ToolError> {
    let query = Query::new(input)?;
    let pattern = input.glob.as_deref().map(Pattern::new).transpose()?;
    let start = workspace.absolute(input.path.as_deref().unwrap_or_default());
    let metadata = start.metadata().map_err(|error| files::unreadable(&start, workspace, &error))?;
    let found = if metadata.is_dir() {
        search_tree(&start, pattern.as_ref(), &query, cancel)
    } else {
        // Checks that it is a regular file.
        files::open(&start, workspace)?;
        let mut found = Found::default();
        match query.file(&start, &mut query.searcher(), cancel) {
            Ok(matches) => matches.into_iter().for_each(|matches| found.add(&start, matches, &query)),
            Err(error) => return Err(files::unreadable(&start, workspace, &error)),
        }
        found
    };
    if cancel.is_cancelled() {
        return Err(files::interrupted());
    }
    Ok(render(&found, &query, workspace))
}

fn search_tree<'q>(start: &Path, pattern: Option<&Pattern>, query: &'q Query, cancel: &CancellationToken) -> Found<'q> {
    let found = Mutex::new(Found::default());
    let lock = || found.lock().unwrap_or_else(PoisonError::into_inner);
    let unreadable = walk::walk(start, pattern, cancel, || {
        let mut searcher = query.searcher();
        move |entry: &DirEntry| {
            let relative = entry.path().strip_prefix(start).unwrap_or(entry.path());
            let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
            if !is_file || pattern.is_some_and(|pattern| !pattern.matches(relative)) {
                return;
            }
            match query.file(entry.path(), &mut searcher, cancel) {
                Ok(None) => {}
                Ok(Some(matches)) => lock().add(entry.path(), matches, query),
                Err(_) => lock().unreadable += 1,
            }
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.unreadable += unreadable;
    found
}

/// The result's text: files in the order of their paths, cut at the limit or at the longest text.
fn render(found: &Found<'_>, query: &Query, workspace: &Workspace) -> String {
    let mut text = String::new();
    let mut shown = 0;
    'files: for (path, matches) in &found.files {
        let path = workspace.display(path);
        match query.mode {
            Mode::Files => text.push_str(&format!("{path}\n")),
            Mode::Count => text.push_str(&format!("{path}:{}\n", matches.total)),
            Mode::Content => {
                let gap = if text.is_empty() { "" } else { "\n" };
                text.push_str(&format!("{gap}{path}\n"));
            }
        }
        shown += u64::from(query.mode != Mode::Content);
        for line in matches.lines() {
            let is_over = text.len() + line.text.len() > SHOWN || (line.is_match && shown == query.limit);
            if is_over {
                break 'files;
            }
            shown += u64::from(line.is_match);
            text.push_str(&line.text);
            text.push('\n');
        }
        if text.len() > SHOWN || shown == query.limit && query.mode != Mode::Content {
            break;
        }
    }
    text.push_str(&footer(found, query, shown));
    text.truncate(text.trim_end().len());
    text
}

fn footer(found: &Found<'_>, query: &Query, shown: u64) -> String {
    let files = text::count(found.total_files, "file");
    let matches = match query.mode {
        Mode::Files => files.clone(),
        _ => format!("{} in {files}", text::count(found.total_matches, "match")),
    };
    let all = if query.mode == Mode::Content { found.total_matches } else { found.total_files };
    let mut notes = Vec::new();
    if found.total_matches == 0 {
        notes.push("No matches.".to_owned());
    } else if shown < all {
        notes.push(format!("[{shown} shown of {matches}; narrow the search or set limit]"));
    } else if query.mode == Mode::Count {
        notes.push(format!("[{matches}]"));
    }
    if found.unreadable > 0 {
        notes.push(format!("[{} could not be searched]", text::count(found.unreadable, "file")));
    }
    notes.join("\n")
}
