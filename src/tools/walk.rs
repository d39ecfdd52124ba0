//! Walking a tree for `glob` and `grep`: ripgrep's walker, which honours ignore files, on several
//! threads, and the file patterns that both tools take.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use globset::{GlobBuilder, GlobMatcher};
use ignore::{DirEntry, WalkBuilder, WalkState};
use tokio_util::sync::CancellationToken;

use super::ToolError;

/// A file pattern, matched against paths relative to where the search starts. One without `/` matches
/// names at any depth, as in an ignore file.
pub(super) struct Pattern {
    matcher: GlobMatcher,
    is_negated: bool,
    /// Ends in `/`: matches directories.
    pub(super) wants_directories: bool,
    /// Has a part that begins with a dot, so hidden files count.
    pub(super) names_hidden: bool,
    /// Names `.git` itself, which is skipped otherwise.
    names_git: bool,
    /// How deep a match can be at most, if that is known.
    depth: Option<usize>,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Result<Self, ToolError> {
        let (is_negated, positive) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let wants_directories = positive.ends_with('/');
        let inner = positive.trim_end_matches('/');
        let bare = inner.trim_start_matches("./");
        let anywhere = if inner.contains('/') { bare.to_owned() } else { format!("**/{bare}") };
        let glob = GlobBuilder::new(&anywhere).literal_separator(true).empty_alternates(true).build();
        let glob =
            glob.map_err(|error| ToolError::new(format!("Invalid glob pattern \"{text}\": {}.", error.kind())))?;
        let parts = || bare.split(['/', '{', ',']).filter(|_| !is_negated);
        Ok(Self {
            matcher: glob.compile_matcher(),
            is_negated,
            wants_directories,
            names_hidden: parts().any(|part| part.starts_with('.') && part != ".." && part != "."),
            names_git: parts().any(|part| part == ".git"),
            depth: (!is_negated && !anywhere.contains("**")).then(|| anywhere.split('/').count()),
        })
    }

    /// Whether a path, relative to the start, matches.
    pub(super) fn matches(&self, relative: &Path) -> bool {
        self.matcher.is_match(relative) != self.is_negated
    }
}

/// Splits a pattern into the directory that its literal first parts name, and the rest:
/// `src/**/*.rs` below `/w` is `**/*.rs` below `/w/src`. So only that part of the tree is walked, and
/// absolute patterns and `..` work.
pub(super) fn split(root: &Path, pattern: &str) -> (PathBuf, String) {
    let (mut start, mut rest) = (root.to_path_buf(), pattern);
    if let Some(absolute) = pattern.strip_prefix('/') {
        (start, rest) = (PathBuf::from("/"), absolute.trim_start_matches('/'));
    }
    while let Some((part, after)) = rest.split_once('/') {
        if part.contains(['*', '?', '[', '{', '\\', '!']) || after.is_empty() {
            break;
        }
        if !part.is_empty() && part != "." {
            start.push(part);
        }
        rest = after;
    }
    // Without a slash the rest would match at any depth, which is not what `src/*.rs` says.
    let is_anchored = rest.len() != pattern.len() && !rest.trim_end_matches('/').contains('/');
    (start, if is_anchored { format!("./{rest}") } else { rest.to_owned() })
}

/// Visits every entry below `start` that ignore files do not hide, from several threads, each with a
/// visitor of its own. Links are not followed. Gives the number of places that could not be read.
pub(super) fn walk<V: FnMut(&DirEntry) + Send>(
    start: &Path,
    pattern: Option<&Pattern>,
    cancel: &CancellationToken,
    make_visitor: impl Fn() -> V,
) -> u64 {
    let unreadable = AtomicU64::new(0);
    let (hidden, git) = pattern.map_or((false, false), |pattern| (pattern.names_hidden, pattern.names_git));
    let mut builder = WalkBuilder::new(start);
    builder.hidden(!hidden).require_git(false).follow_links(false);
    builder.max_depth(pattern.and_then(|pattern| pattern.depth));
    builder.filter_entry(move |entry| git || entry.depth() == 0 || entry.file_name() != ".git");
    builder.build_parallel().run(|| {
        let mut visit = make_visitor();
        let unreadable = &unreadable;
        Box::new(move |entry| {
            match entry {
                _ if cancel.is_cancelled() => return WalkState::Quit,
                Ok(entry) => visit(&entry),
                Err(_) => {
                    unreadable.fetch_add(1, Ordering::Relaxed);
                }
            }
            WalkState::Continue
        })
    });
    unreadable.into_inner()
}
