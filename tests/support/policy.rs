//! Judging a tool call as the loop would, for tables of cases.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use bareagent::access::Access;
use bareagent::permission::{Decision, Judgement, Mode, Policy};
use bareagent::tools::Registry;
use bareagent::workspace::Workspace;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A fresh workspace below a fresh parent, with a home elsewhere.
pub struct Bench {
    _parent: TempDir,
    pub workspace: Workspace,
}

impl Bench {
    /// An empty git work tree.
    pub fn new() -> Self {
        Self::with(&json!({"dirs": [".git"]}))
    }

    /// A workspace with what `setup` lists: `workspace` (its name), `dirs`, `files`, `symlinks`.
    pub fn with(setup: &Value) -> Self {
        let parent = TempDir::new().unwrap();
        let outer = parent.path().canonicalize().unwrap();
        let home = outer.join("home");
        let root = outer.join("parent").join(setup["workspace"].as_str().unwrap_or("ws"));
        for dir in [&home, &root] {
            fs::create_dir_all(dir).unwrap();
        }
        for dir in setup["dirs"].as_array().into_iter().flatten() {
            fs::create_dir_all(root.join(dir.as_str().unwrap())).unwrap();
        }
        for (path, text) in setup["files"].as_object().into_iter().flatten() {
            write(&root.join(path), text.as_str().unwrap());
        }
        for (link, target) in setup["symlinks"].as_object().into_iter().flatten() {
            symlink(target.as_str().unwrap(), root.join(link)).unwrap();
        }
        let workspace = Workspace::new(&root, &[], Some(home)).unwrap();
        Self { _parent: parent, workspace }
    }

    /// Judges a call.
    pub fn judge(&self, policy: &Policy, tool: &str, input: &Value) -> Judgement {
        policy.judge(tool, &self.accesses(tool, input), &self.workspace)
    }

    /// Judges a command in a mode without rules.
    pub fn decide(&self, mode: Mode, command: &str) -> Decision {
        let policy = Policy::new(mode, &[], &[], &[]).unwrap();
        self.judge(&policy, "bash", &json!({"command": command})).decision
    }

    /// What the tool itself says that the call would do.
    fn accesses(&self, tool: &str, input: &Value) -> Vec<Access> {
        let registry = Registry::builtin();
        match (registry.get(tool), tool) {
            (Some(handler), _) => handler.access(input.as_object().unwrap(), &self.workspace).unwrap(),
            (None, "web_fetch") => vec![Access::Fetch(input["url"].as_str().unwrap().to_owned())],
            (None, "todo_write") => vec![Access::Nothing],
            (None, _) => vec![Access::Unknown],
        }
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Whether a decision is one of those that a case accepts (`ask|deny`).
pub fn is_expected(decision: Decision, expect: &str) -> bool {
    let name = match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    };
    expect.split('|').any(|accepted| accepted == name)
}
