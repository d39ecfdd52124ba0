//! Who may import whom: reads the `crate::` paths in `src` and holds them to the table.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A module and what it may import; `*` is everything but `cli`.
const MAY_IMPORT: &[(&str, &[&str])] = &[
    ("message", &[]),
    ("access", &[]),
    ("workspace", &[]),
    ("event", &["message"]),
    ("provider", &["message", "event"]),
    ("permission", &["message", "access", "workspace"]),
    ("exec", &["message"]),
    ("store", &["message", "event"]),
    ("tools", &["message", "access", "workspace", "event", "exec", "store", "provider"]),
    ("inbox", &["message", "event", "exec"]),
    ("context", &["message", "event", "provider", "store", "workspace"]),
    ("loop_error", &["message", "provider"]),
    ("agent", &["context", "event", "inbox", "permission", "provider", "store", "tools", "workspace"]),
    (
        "agent_loop",
        &[
            "access",
            "agent",
            "context",
            "event",
            "inbox",
            "loop_error",
            "message",
            "permission",
            "provider",
            "store",
            "tools",
            "workspace",
        ],
    ),
    ("config", &["permission", "provider"]),
    ("output", &["event", "message", "ui"]),
    ("ui", &["access", "event", "message", "output", "permission"]),
    ("commands", &["*"]),
    ("session", &["*"]),
    ("cli", &["*", "cli"]),
    ("lib", &["*", "cli"]),
    ("main", &["*", "cli"]),
];

/// Names of a concrete provider or tool, which the loop must not know.
const CONCRETE: &[&str] = &["anthropic", "openai", "replay", "bash", "read_file", "edit_file", "glob", "grep"];

fn sources(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found
}

fn imports(text: &str) -> Vec<String> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut found = Vec::new();
    for line in code {
        for (at, _) in line.match_indices("crate::") {
            let name: String = line[at + 7..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            found.push(name);
        }
    }
    found
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let table: BTreeMap<_, _> = MAY_IMPORT.iter().copied().collect();
    let mut wrong = Vec::new();
    for path in sources(&src) {
        let relative = path.strip_prefix(&src).unwrap();
        let first = relative.components().next().unwrap().as_os_str().to_str().unwrap();
        let module = first.strip_suffix(".rs").unwrap_or(first);
        let Some(allowed) = table.get(module) else {
            wrong.push(format!("{}: module {module} is not in the table", relative.display()));
            continue;
        };
        for import in imports(&fs::read_to_string(&path).unwrap()) {
            let is_any = allowed.contains(&"*") && import != "cli";
            if import != module && !is_any && !allowed.contains(&import.as_str()) {
                wrong.push(format!("{}: {module} may not import {import}", relative.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_loop_knows_no_concrete_provider_or_tool() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/agent_loop.rs")).unwrap();
    let named: Vec<_> = CONCRETE.iter().filter(|name| text.contains(&format!("::{name}"))).collect();
    assert!(named.is_empty(), "{named:?}");
    assert!(text.lines().count() <= 225, "the loop is to be read in one sitting");
}

#[test]
fn only_front_ends_write_to_the_standard_streams() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let writers = ["io::stdout", "io::stderr", "println!", "eprintln!"];
    for path in sources(&src) {
        let relative = path.strip_prefix(&src).unwrap();
        if ["cli", "output", "ui"].iter().any(|front| relative.starts_with(front)) {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let found: Vec<_> = writers.iter().filter(|writer| text.contains(**writer)).collect();
        assert!(found.is_empty(), "{}: {found:?}", relative.display());
    }
}

#[test]
fn only_the_terminal_code_writes_escape_sequences() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for path in sources(&src) {
        let relative = path.strip_prefix(&src).unwrap();
        if relative.starts_with("ui") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let written = text.lines().filter(|line| line.contains("\\x1b[") && line.contains("write"));
        assert_eq!(written.count(), 0, "{}", relative.display());
    }
}
