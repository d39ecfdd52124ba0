//! The directories that a session works in, and how a path given by a model or a person is read there.

use std::path::{Component, Path, PathBuf};

/// The workspace: a root, which is also where commands start, and directories added by `--add-dir`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    root: PathBuf,
    added: Vec<PathBuf>,
    home: Option<PathBuf>,
    readable: Option<PathBuf>,
}

impl Workspace {
    /// A workspace at `root`, which must exist. `home` is what `~` stands for.
    ///
    /// # Errors
    /// When a directory does not exist or cannot be entered.
    pub fn new(root: &Path, added: &[PathBuf], home: Option<PathBuf>) -> std::io::Result<Self> {
        let root = root.canonicalize()?;
        let added = added.iter().map(|dir| dir.canonicalize()).collect::<Result<_, _>>()?;
        Ok(Self { root, added, home, readable: None })
    }

    /// The main directory, absolute and free of links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// All directories of the workspace, the root first.
    pub fn dirs(&self) -> impl Iterator<Item = &Path> {
        std::iter::once(self.root.as_path()).chain(self.added.iter().map(PathBuf::as_path))
    }

    /// Lets a directory outside be read as the workspace is: that of the session's own output files.
    pub fn allow_reading(&mut self, dir: &Path) {
        self.readable = Some(dir.to_owned());
    }

    /// The directory outside that may be read.
    pub fn readable(&self) -> Option<&Path> {
        self.readable.as_deref()
    }

    /// What `~` stands for.
    pub fn home(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The path as the system would open it: `~` expanded, relative paths from the root, `.` removed.
    /// `..` stays, because after a link it does not mean what it seems to; see `permission/paths.rs`.
    pub fn absolute(&self, path: &str) -> PathBuf {
        let expanded = match (path.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(rest), Some(home)) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
            _ => PathBuf::from(path),
        };
        self.root.join(expanded).components().filter(|part| *part != Component::CurDir).collect()
    }

    /// The path as a person would write it: relative to the root where it is below it.
    pub fn display(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.root).unwrap_or(path);
        if shown.as_os_str().is_empty() { ".".to_owned() } else { shown.display().to_string() }
    }
}
