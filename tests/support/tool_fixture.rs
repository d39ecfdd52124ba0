//! A workspace in a temporary directory, and the built-in tools called there directly.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use bareagent::access::{Access, Preview};
use bareagent::event::{Event, EventSink};
use bareagent::exec::background::Background;
use bareagent::tools::{Registry, ToolContext};
use bareagent::workspace::Workspace;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

/// Longer than anything here takes on a busy machine; only a failing test waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

pub struct Tools {
    dir: TempDir,
    pub workspace: Workspace,
    pub registry: Registry,
    pub cancel: CancellationToken,
    pub background: Background,
    pub timeout: Duration,
    /// Output files that results named; they outlive the session, but not the test.
    output_files: Mutex<Vec<PathBuf>>,
}

struct Silent;

impl EventSink for Silent {
    fn emit(&self, _: Event) {}
}

impl Tools {
    pub fn new() -> Self {
        let dir = tempfile::Builder::new().prefix("workspace-").tempdir().unwrap();
        let workspace = Workspace::new(dir.path(), &[], None).unwrap();
        Self {
            dir,
            workspace,
            registry: Registry::builtin(),
            cancel: CancellationToken::new(),
            background: Background::default(),
            timeout: Duration::from_secs(60),
            output_files: Mutex::default(),
        }
    }

    /// The same, with these files.
    pub fn with_files(files: &[(&str, &str)]) -> Self {
        let tools = Self::new();
        for (name, text) in files {
            tools.put(name, text);
        }
        tools
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    pub fn put(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn get(&self, name: &str) -> String {
        String::from_utf8(std::fs::read(self.path(name)).unwrap()).unwrap()
    }

    /// Calls a tool: its text, or the text of its error.
    pub async fn call(&self, name: &str, input: Value) -> Result<String, String> {
        let cx = ToolContext {
            call_id: "call_1",
            workspace: &self.workspace,
            cancel: &self.cancel,
            events: &Silent,
            background: &self.background,
            bash_timeout: self.timeout,
        };
        let handler = self.registry.get(name).unwrap();
        let result = handler.run(&object(input), &cx).await;
        let result = result.map(|output| output.into_content().text()).map_err(|error| error.to_string());
        let (Ok(text) | Err(text)) = &result;
        let words = text.split([' ', ';', ']', '\n']).map(|word| word.trim_end_matches('.'));
        let files = words.filter(|word| word.contains("/bareagent-") && word.ends_with(".log")).map(PathBuf::from);
        self.output_files.lock().unwrap().extend(files);
        result
    }

    pub async fn ok(&self, name: &str, input: Value) -> String {
        self.call(name, input).await.unwrap_or_else(|error| panic!("{name} failed: {error}"))
    }

    pub async fn error(&self, name: &str, input: Value) -> String {
        match self.call(name, input).await {
            Err(error) => error,
            Ok(text) => panic!("{name} did not fail: {text}"),
        }
    }

    pub fn access(&self, name: &str, input: Value) -> Vec<Access> {
        self.registry.get(name).unwrap().access(&object(input), &self.workspace).unwrap()
    }

    pub fn preview(&self, name: &str, input: Value) -> Preview {
        self.registry.get(name).unwrap().preview(&object(input), &self.workspace).unwrap()
    }

    /// The process number that a command has written to a file, once it has.
    pub async fn pid_in(&self, name: &str) -> i32 {
        let path = self.path(name);
        let read = || std::fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
        until(|| read().is_some()).await;
        read().unwrap()
    }
}

impl Drop for Tools {
    fn drop(&mut self) {
        for file in self.output_files.get_mut().unwrap() {
            let _ = std::fs::remove_file(file);
        }
    }
}

fn object(input: Value) -> Map<String, Value> {
    match input {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

/// Waits for a condition that is sure to come, and fails if it does not.
pub async fn until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited in vain");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Whether a process exists and is more than a zombie whose parent is slow.
pub fn is_running(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
    match stat {
        Ok(stat) => !stat.rsplit_once(')').unwrap().1.trim_start().starts_with('Z'),
        Err(_) if Path::new("/proc/self/stat").exists() => false,
        Err(_) => rustix::process::test_kill_process(rustix::process::Pid::from_raw(pid).unwrap()).is_ok(),
    }
}

pub fn make_fifo(path: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}
