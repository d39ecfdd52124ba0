//! `edit_file`: replaces exact text in a file. Finding and replacing is in `replace.rs`, the hints of a
//! failed edit in `nearest.rs`.

use std::path::Path;

use schemars::JsonSchema;
use serde::Deserialize;

use super::replace::{NoReplacement, line_of, replace};
use super::write_file::{PREVIEW_BYTES, cannot_write};
use super::{Output, Tool, ToolContext, ToolError, diff, files, nearest, text};
use crate::access::{Access, Preview};
use crate::store::atomic;
use crate::workspace::Workspace;

/// The largest file that is edited.
const LARGEST: u64 = 64 << 20;

/// The tool.
pub(super) struct EditFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    path: String,
    /// Exact text, without line numbers; with enough lines around to be unique. Empty to create a file.
    old_string: String,
    /// What to put there.
    new_string: String,
    /// Replace every occurrence.
    replace_all: Option<bool>,
}

impl Tool for EditFile {
    const NAME: &'static str = "edit_file";
    const DESCRIPTION: &'static str = "Replace text in a file. old_string must occur exactly once, unless replace_all.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        let path = workspace.absolute(&input.path);
        vec![Access::Read(path.clone()), Access::Write(path)]
    }

    fn preview(&self, input: &Input, workspace: &Workspace) -> Preview {
        let path = workspace.absolute(&input.path);
        let edit = Edit::make(input, &path, workspace, PREVIEW_BYTES).ok();
        let texts =
            edit.and_then(|edit| Some((String::from_utf8(edit.before).ok()?, String::from_utf8(edit.after).ok()?)));
        match texts {
            Some((before, after)) => Preview::Diff { path, before, after },
            None => Preview::Text(format!("edit {}", workspace.display(&path))),
        }
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        let workspace = cx.workspace.clone();
        files::blocking(cx, move |cancel| {
            let path = workspace.absolute(&input.path);
            let edit = Edit::make(&input, &path, &workspace, LARGEST)?;
            if cancel.is_cancelled() {
                return Err(files::interrupted());
            }
            atomic::write(&path, &edit.after).map_err(|error| cannot_write(&error))?;
            Ok(Output::Text(edit.report(&workspace.display(&path))))
        })
        .await
    }
}

/// An edit that applies.
struct Edit {
    before: Vec<u8>,
    after: Vec<u8>,
    places: usize,
    is_new: bool,
}

impl Edit {
    fn make(input: &Input, path: &Path, workspace: &Workspace, limit: u64) -> Result<Self, ToolError> {
        let Input { old_string: old, new_string: new, .. } = input;
        let shown = workspace.display(path);
        if old == new {
            return Err(ToolError::new("old_string and new_string are the same, so there is nothing to change."));
        }
        let is_missing = path.symlink_metadata().is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound);
        if old.is_empty() && is_missing {
            return Ok(Self { before: Vec::new(), after: new.clone().into_bytes(), places: 1, is_new: true });
        }
        let before = files::read_whole(path, workspace, limit)?;
        if old.is_empty() {
            if before.is_empty() {
                return Ok(Self { before, after: new.clone().into_bytes(), places: 1, is_new: false });
            }
            let text = format!("{shown} has text already, so old_string must not be empty. Name the text to replace.");
            return Err(ToolError(text));
        }
        let all = input.replace_all == Some(true);
        let (after, places) = replace(&before, old, new, all).map_err(|why| explain(&why, &before, input, &shown))?;
        if after == before {
            return Err(ToolError::new("The edit would change line ends only, and those of the file are kept."));
        }
        Ok(Self { before, after, places, is_new: false })
    }

    fn report(&self, shown: &str) -> String {
        if self.is_new {
            return format!("Created {shown}: {}.", text::count(self.after.len() as u64, "byte"));
        }
        let places = if self.places > 1 { format!(" in {} places", self.places) } else { String::new() };
        let (before, after) = (text::lossy(&self.before).0, text::lossy(&self.after).0);
        format!("Edited {shown}{places}:\n{}", diff::short(&before, &after))
    }
}

/// What went wrong, with what helps to put it right.
fn explain(why: &NoReplacement, file: &[u8], input: &Input, shown: &str) -> ToolError {
    match why {
        NoReplacement::NotUnique { count, lines } => {
            let more = if *count > lines.len() { " and more" } else { "" };
            let listed: Vec<_> = lines.iter().map(ToString::to_string).collect();
            ToolError::new(format!(
                "old_string occurs {count} times in {shown}, on lines {}{more}. Add lines around it until it is unique, \
                 or set replace_all.",
                listed.join(", ")
            ))
        }
        NoReplacement::NotFound => {
            let text = text::lossy(file).0;
            let mut message = format!("old_string does not occur in {shown}; nothing was changed.");
            if let Some(at) = Some(input.new_string.trim()).filter(|new| !new.is_empty()).and_then(|new| text.find(new))
            {
                let line = line_of(text.as_bytes(), at);
                message.push_str(&format!(" new_string is there already, on line {line}."));
            }
            match nearest::nearest(&text, &input.old_string) {
                Some(hint) => message.push_str(&format!(" {hint}")),
                None => message.push_str(" No line is like it; read the file again."),
            }
            ToolError(message)
        }
    }
}
