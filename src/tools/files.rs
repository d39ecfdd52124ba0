//! Opening what a model names: only regular files, never something that blocks, and an error that helps
//! when there is nothing of that name. Also the bridge to blocking work that a cancel can end.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::OFlags;
use tokio_util::sync::CancellationToken;

use super::{ToolContext, ToolError};
use crate::workspace::Workspace;

/// Names looked at for a near miss.
const NAMES_COMPARED: usize = 5_000;
/// How like a name must be to be suggested, 0 to 1.
const NEAR: f64 = 0.6;

/// Runs blocking work off the runtime's thread. When the call is cancelled, or its future dropped, the
/// token handed to the work is cancelled; the work looks at it now and then.
pub(super) async fn blocking<T: Send + 'static>(
    cx: &ToolContext<'_>,
    work: impl FnOnce(&CancellationToken) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let token = cx.cancel.child_token();
    let _guard = token.clone().drop_guard();
    let result = tokio::task::spawn_blocking(move || work(&token));
    tokio::select! {
        biased;
        () = cx.cancel.cancelled() => Err(interrupted()),
        result = result => match result {
            Ok(result) => result,
            Err(error) => Err(ToolError::new(format!("The tool failed: {error}"))),
        },
    }
}

/// The result of a cancelled call that has nothing to show.
pub(super) fn interrupted() -> ToolError {
    ToolError::new("interrupted by the user")
}

/// Opens a regular file for reading. Pipes, devices and sockets are refused without touching them.
pub(super) fn open(path: &Path, workspace: &Workspace) -> Result<(File, Metadata), ToolError> {
    let shown = workspace.display(path);
    let metadata = path.metadata().map_err(|error| unreadable(path, workspace, &error))?;
    refuse_special(&shown, &metadata)?;
    let file = open_without_waiting(path).map_err(|error| unreadable(path, workspace, &error))?;
    let metadata = file.metadata().map_err(|error| unreadable(path, workspace, &error))?;
    refuse_special(&shown, &metadata)?;
    Ok((file, metadata))
}

/// Opens what was a regular file a moment ago; should it have become a pipe, its other end is not waited for.
pub(super) fn open_without_waiting(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// The whole of a regular file of at most `limit` bytes.
pub(super) fn read_whole(path: &Path, workspace: &Workspace, limit: u64) -> Result<Vec<u8>, ToolError> {
    let (file, _) = open(path, workspace)?;
    let mut bytes = Vec::new();
    file.take(limit + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, workspace, &error))?;
    if bytes.len() as u64 > limit {
        let (shown, limit) = (workspace.display(path), super::text::size(limit));
        return Err(ToolError::new(format!("{shown} is larger than {limit}; use bash for it.")));
    }
    Ok(bytes)
}

fn refuse_special(shown: &str, metadata: &Metadata) -> Result<(), ToolError> {
    let kind = metadata.file_type();
    let name = match () {
        () if kind.is_file() => return Ok(()),
        () if kind.is_dir() => "a directory",
        () if kind.is_fifo() => "a named pipe (FIFO)",
        () if kind.is_socket() => "a socket",
        () if kind.is_char_device() || kind.is_block_device() => "a device",
        () => "something special",
    };
    Err(ToolError::new(format!("{shown} is {name}, not a regular file.")))
}

/// Why a path cannot be read, with the nearest names where it does not exist.
pub(super) fn unreadable(path: &Path, workspace: &Workspace, error: &io::Error) -> ToolError {
    let shown = workspace.display(path);
    let text = match error.kind() {
        io::ErrorKind::NotFound => missing(path, workspace),
        io::ErrorKind::NotADirectory => format!("{shown} does not exist: a part of its path is a file."),
        io::ErrorKind::WouldBlock => format!("{shown} has nothing to read now, and reading it would wait."),
        _ => format!("{shown} could not be read: {error}."),
    };
    ToolError(text)
}

fn missing(path: &Path, workspace: &Workspace) -> String {
    let shown = workspace.display(path);
    if path.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) {
        return format!("{shown} is a symbolic link to something that does not exist.");
    }
    let Some(parent) = path.parent() else { return format!("{shown} does not exist.") };
    if !parent.is_dir() {
        let there = parent.ancestors().find(|ancestor| ancestor.is_dir()).unwrap_or(Path::new("/"));
        return format!("{shown} does not exist; the nearest directory that does is {}.", workspace.display(there));
    }
    match near_names(path, parent).as_slice() {
        [] => format!("{shown} does not exist."),
        names => {
            let names = names.iter().map(|name| workspace.display(&parent.join(name))).collect::<Vec<_>>();
            format!("{shown} does not exist. Did you mean {}?", names.join(" or "))
        }
    }
}

/// Up to three names in a directory that are like the one asked for, the likest first.
fn near_names(path: &Path, parent: &Path) -> Vec<String> {
    let lower = |path: &Path| path.file_name().map(|name| name.to_string_lossy().to_lowercase());
    let stem = |name: &str| name.split('.').next().unwrap_or(name).to_owned();
    let (Some(wanted), Ok(entries)) = (lower(path), parent.read_dir()) else { return Vec::new() };
    let mut near: Vec<(f64, String)> = entries
        .take(NAMES_COMPARED)
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .map(|name| {
            let other = name.to_lowercase();
            let same_stem = !stem(&wanted).is_empty() && stem(&wanted) == stem(&other);
            let likeness = strsim::normalized_damerau_levenshtein(&wanted, &other);
            (if same_stem { likeness.max(NEAR) } else { likeness }, name)
        })
        .filter(|(likeness, _)| *likeness >= NEAR)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    near.into_iter().take(3).map(|(_, name)| name).collect()
}

/// A reader that fails once the call is cancelled, so that no large file outlives it.
pub(super) struct Cancellable<'a, R> {
    pub(super) inner: R,
    pub(super) cancel: &'a CancellationToken,
}

impl<R: Read> Read for Cancellable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(io::Error::other("interrupted by the user"));
        }
        self.inner.read(buffer)
    }
}
