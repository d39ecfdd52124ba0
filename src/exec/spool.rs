//! The whole of a command's output, as it came. It stays in memory while it is small and goes to a
//! temporary file after that. The file is removed again unless somebody asks to keep it, and then with the
//! session at the latest.

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use tempfile::NamedTempFile;

/// What stays in memory before a file is made.
const IN_MEMORY: usize = 128 * 1024;
/// No more than this is written to disk; a runaway command must not fill it.
const LARGEST_FILE: u64 = 1 << 30;

/// The directory for a session's output files. Its name is fixed from the start, so that reading there can be
/// allowed; it is made when the first file is, and removed when its last user goes.
#[derive(Debug)]
pub struct OutputDir {
    path: PathBuf,
    is_made: Mutex<bool>,
}

impl Default for OutputDir {
    fn default() -> Self {
        let temp = std::env::temp_dir();
        // Where it really is, for the gate compares real paths.
        let temp = temp.canonicalize().unwrap_or(temp);
        Self { path: temp.join(format!("bareagent-{}", uuid::Uuid::now_v7().simple())), is_made: Mutex::new(false) }
    }
}

impl OutputDir {
    /// Where it is or would be.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn new_file(&self) -> io::Result<NamedTempFile> {
        let mut is_made = self.is_made.lock().unwrap_or_else(PoisonError::into_inner);
        if !*is_made {
            // Fails where somebody else was there first.
            fs::DirBuilder::new().mode(0o700).create(&self.path)?;
            *is_made = true;
        }
        tempfile::Builder::new().prefix("output-").suffix(".log").tempfile_in(&self.path)
    }
}

impl Drop for OutputDir {
    fn drop(&mut self) {
        if *self.is_made.get_mut().unwrap_or_else(PoisonError::into_inner) {
            // What cannot be removed is left to the system's cleaning of its temporary directory.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Output on its way to disk.
#[derive(Debug, Default)]
pub(super) struct Spool {
    dir: Arc<OutputDir>,
    start: Vec<u8>,
    file: Option<NamedTempFile>,
    written: u64,
    dropped: u64,
    failure: Option<String>,
}

impl Spool {
    /// A spool whose file, should it need one, is made in `dir`.
    pub(super) fn new(dir: Arc<OutputDir>) -> Self {
        Self { dir, ..Self::default() }
    }

    /// Takes more output. A disk that refuses it costs the rest of the file, not the command.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.file.is_none() && self.start.len() + bytes.len() <= IN_MEMORY {
            self.start.extend_from_slice(bytes);
            return;
        }
        if self.failure.is_none() && self.written + bytes.len() as u64 <= LARGEST_FILE {
            match self.write(bytes) {
                Ok(()) => return,
                Err(error) => self.failure = Some(error.to_string()),
            }
        }
        self.dropped += bytes.len() as u64;
    }

    /// The file with all output so far; it is made if there is none yet, and stays as long as the session.
    pub(super) fn keep(&mut self) -> io::Result<PathBuf> {
        self.write(&[])?;
        let file = self.file.as_mut().ok_or_else(|| io::Error::other("no file"))?;
        file.disable_cleanup(true);
        Ok(file.path().to_path_buf())
    }

    /// What the file lacks, in words.
    pub(super) fn shortfall(&self) -> Option<String> {
        let reason = self.failure.as_deref().unwrap_or("it is limited to 1 GiB");
        (self.dropped > 0).then(|| format!("the file lacks the last {} bytes: {reason}", self.dropped))
    }

    /// The first bytes, for a look at what they are.
    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let file = match &mut self.file {
            Some(file) => file,
            None => {
                let mut file = self.dir.new_file()?;
                file.write_all(&self.start)?;
                self.written = self.start.len() as u64;
                self.start.truncate(super::sniff::SAMPLE);
                self.start.shrink_to_fit();
                self.file.insert(file)
            }
        };
        file.write_all(bytes)?;
        self.written += bytes.len() as u64;
        Ok(())
    }

    /// The file's path, if there is one.
    #[cfg(test)]
    fn path(&self) -> Option<&std::path::Path> {
        self.file.as_ref().map(NamedTempFile::path)
    }
}

#[cfg(test)]
mod tests {
    use super::{IN_MEMORY, Spool};

    #[test]
    fn a_file_that_nobody_keeps_is_removed() {
        let mut spool = Spool::default();
        spool.push(&vec![b'a'; IN_MEMORY]);
        assert_eq!(spool.path(), None);
        spool.push(b"b");
        let path = spool.path().map(std::path::Path::to_path_buf).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().len(), IN_MEMORY as u64 + 1);
        drop(spool);
        assert!(!path.exists());
    }
}
