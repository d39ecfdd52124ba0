//! `write_file`: creates a file or replaces it whole.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{Output, Tool, ToolContext, ToolError, files, text};
use crate::access::{Access, Preview};
use crate::store::atomic;
use crate::workspace::Workspace;

/// A larger file is not loaded for a preview.
pub(super) const PREVIEW_BYTES: u64 = 1 << 20;

/// The tool.
pub(super) struct WriteFile;

#[derive(Deserialize, JsonSchema)]
pub(super) struct Input {
    /// Missing directories are made.
    path: String,
    /// The whole new content.
    content: String,
}

impl Tool for WriteFile {
    const NAME: &'static str = "write_file";
    const DESCRIPTION: &'static str = "Create a file, or replace all of it. To change a part use edit_file.";
    type Input = Input;

    fn access(&self, input: &Input, workspace: &Workspace) -> Vec<Access> {
        vec![Access::Write(workspace.absolute(&input.path))]
    }

    fn preview(&self, input: &Input, workspace: &Workspace) -> Preview {
        let path = workspace.absolute(&input.path);
        let before = match path.symlink_metadata() {
            Err(_) => Ok(Vec::new()),
            Ok(_) => files::read_whole(&path, workspace, PREVIEW_BYTES),
        };
        match before.map(String::from_utf8) {
            Ok(Ok(before)) => Preview::Diff { path, before, after: input.content.clone() },
            _ => {
                let (shown, size) = (workspace.display(&path), text::size(input.content.len() as u64));
                Preview::Text(format!("replace all of {shown} by {size}"))
            }
        }
    }

    async fn run(&self, input: Input, cx: &ToolContext<'_>) -> Result<Output, ToolError> {
        if input.path.trim().is_empty() {
            return Err(ToolError::new("\"path\" is empty; give the file's path."));
        }
        let workspace = cx.workspace.clone();
        files::blocking(cx, move |_| {
            let path = workspace.absolute(&input.path);
            let is_new = atomic::write(&path, input.content.as_bytes()).map_err(|error| cannot_write(&error))?;
            let lines = text::count(input.content.lines().count() as u64, "line");
            let size = text::count(input.content.len() as u64, "byte");
            let (verb, shown) = (if is_new { "Created" } else { "Overwrote" }, workspace.display(&path));
            Ok(Output::Text(format!("{verb} {shown}: {lines}, {size}.")))
        })
        .await
    }
}

/// The failure as the model reads it.
pub(super) fn cannot_write(error: &atomic::WriteError) -> ToolError {
    ToolError::new(format!("Nothing was written: {error}."))
}
