//! Replacing a file whole: a reader, or a crash of this program, sees the old bytes or the new ones,
//! never a part. The new bytes go to a temporary file beside the target, which then takes its name.

use std::fs::{self, Metadata, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// How many links are followed before they count as a circle.
const MOST_LINKS: usize = 40;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The target is a directory, a pipe, a device: nothing to be replaced.
    #[error("{} is not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The target's mode forbids writing to it.
    #[error("{} is read-only; change its mode first", .0.display())]
    ReadOnly(PathBuf),
    /// The system refused.
    #[error("{} could not be {doing}: {source}", path.display())]
    Refused {
        /// The file or directory at fault.
        path: PathBuf,
        /// What was attempted: `written`, `created`, `read`.
        doing: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

/// Writes `bytes` as the whole of the file at `path`, through links, making parent directories. An
/// existing file keeps its mode and owner; a new one gets the usual mode. Says whether it is new.
///
/// The data is not forced to the disk: that guards against a loss of power only, and costs much time.
///
/// # Errors
/// See [`WriteError`]; the file is then as it was.
pub fn write(path: &Path, bytes: &[u8]) -> Result<bool, WriteError> {
    let target = follow_links(path)?;
    let refused = |doing, path: &Path| {
        let path = path.to_path_buf();
        move |source| WriteError::Refused { path, doing, source }
    };
    let existing = match fs::symlink_metadata(&target) {
        Ok(metadata) if !metadata.is_file() => return Err(WriteError::NotAFile(target)),
        Ok(metadata) if metadata.permissions().readonly() => return Err(WriteError::ReadOnly(target)),
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(refused("read", &target)(error)),
    };
    let parent = target.parent().unwrap_or(Path::new("/"));
    if existing.is_none() {
        fs::create_dir_all(parent).map_err(refused("created", parent))?;
    }
    let replace = || -> io::Result<()> {
        // The mode of a new file is narrowed by the umask, as for any other program.
        let mut file = tempfile::Builder::new()
            .prefix(".bareagent-")
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(parent)?;
        file.write_all(bytes)?;
        if let Some(existing) = &existing {
            inherit(file.as_file(), existing)?;
        }
        file.persist(&target)?;
        Ok(())
    };
    replace().map_err(refused("written", &target))?;
    Ok(existing.is_none())
}

/// Gives a file the owner and mode of another. Only root can give files away; for others the owner is
/// theirs to begin with, or cannot be kept.
fn inherit(file: &fs::File, from: &Metadata) -> io::Result<()> {
    let own = file.metadata()?;
    if (own.uid(), own.gid()) != (from.uid(), from.gid()) {
        let _ = std::os::unix::fs::fchown(file, Some(from.uid()), Some(from.gid()));
    }
    file.set_permissions(Permissions::from_mode(from.mode() & 0o7777))
}

/// Where the path's last component leads in the end; the last one need not exist.
fn follow_links(path: &Path) -> Result<PathBuf, WriteError> {
    let mut target = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&target) {
            Ok(next) => target = target.parent().unwrap_or(Path::new("/")).join(next),
            Err(_) => return Ok(target),
        }
    }
    let source = io::Error::other("its symbolic links form a circle");
    Err(WriteError::Refused { path: path.to_path_buf(), doing: "written", source })
}
