//! `glob`: patterns, order, what is left out.

use std::os::unix::fs::symlink;
use std::time::{Duration, SystemTime};

use bareagent::access::Access;
use serde_json::json;

use crate::support::tool_fixture::Tools;

/// A small project; the files are aged in this order, the first is the newest.
fn project() -> Tools {
    let names = [
        "src/main.rs",
        "src/deep/mod.rs",
        "Cargo.toml",
        ".env",
        ".github/ci.yml",
        "target/out.rs",
        "notes/a.log",
        "notes/keep.txt",
    ];
    let tools = Tools::with_files(&names.map(|name| (name, "")));
    tools.put(".gitignore", "target/\n*.log\n");
    for (age, name) in names.iter().enumerate() {
        let time = SystemTime::now() - Duration::from_secs(60 * age as u64);
        std::fs::File::options().write(true).open(tools.path(name)).unwrap().set_modified(time).unwrap();
    }
    tools
}

#[tokio::test]
async fn patterns() {
    let tools = project();
    let nothing = "No files match (ignored and hidden files are left out).";
    let absolute = tools.path("src").join("*.rs").display().to_string();
    for (pattern, expected) in [
        ("**/*.rs", "src/main.rs\nsrc/deep/mod.rs"),
        ("*.rs", "src/main.rs\nsrc/deep/mod.rs"),
        ("./*.rs", nothing),
        ("src/*.rs", "src/main.rs"),
        ("src/**", "src/main.rs\nsrc/deep/mod.rs"),
        ("src/**/mod.rs", "src/deep/mod.rs"),
        ("{src,notes}/*", "src/main.rs\nnotes/keep.txt"),
        ("Cargo.toml", "Cargo.toml"),
        ("src/main.rs", "src/main.rs"),
        ("*.{toml,txt}", "Cargo.toml\nnotes/keep.txt"),
        (".env*", ".env"),
        (".github/*", ".github/ci.yml"),
        ("target/*.rs", "target/out.rs"),
        ("*.log", nothing),
        ("src/*/", "src/deep/"),
        ("deep/", "src/deep/"),
        ("*.zig", nothing),
        ("nowhere/**/*.rs", "No files match: there is no directory nowhere."),
        (absolute.as_str(), "src/main.rs"),
    ] {
        assert_eq!(tools.ok("glob", json!({ "pattern": pattern })).await, expected, "{pattern}");
    }
}

#[tokio::test]
async fn the_pattern_counts_from_path() {
    let tools = project();
    for (path, pattern, expected) in [
        ("src", "*/*.rs", "src/deep/mod.rs"),
        ("src/deep", "../*.rs", "src/deep/../main.rs"),
        ("src", "deep/mod.rs", "src/deep/mod.rs"),
    ] {
        assert_eq!(tools.ok("glob", json!({"pattern": pattern, "path": path})).await, expected, "{pattern}");
    }
    let text = tools.error("glob", json!({"pattern": "*", "path": "scr"})).await;
    assert_eq!(text, "scr does not exist. Did you mean src?");
    let text = tools.error("glob", json!({"pattern": "*", "path": "Cargo.toml"})).await;
    assert!(text.contains("is not a directory"), "{text}");
    let text = tools.error("glob", json!({"pattern": "a{b"})).await;
    assert!(text.starts_with("Invalid glob pattern \"a{b\""), "{text}");
}

#[tokio::test]
async fn links_are_not_followed_and_many_matches_are_cut() {
    let outside = Tools::with_files(&[("secret.txt", "")]);
    let tools = Tools::new();
    symlink(outside.path("."), tools.path("out")).unwrap();
    assert!(tools.ok("glob", json!({"pattern": "**/secret.txt"})).await.starts_with("No files match"));
    for number in 0..520 {
        tools.put(&format!("many/{number}.txt"), "");
    }
    let text = tools.ok("glob", json!({"pattern": "*.txt"})).await;
    assert_eq!(text.lines().count(), 501);
    assert!(text.ends_with("\n[the newest 500; 20 more match, narrow the pattern]"), "{text}");
}

#[tokio::test]
async fn a_cancelled_search_ends_at_once() {
    let tools = project();
    tools.cancel.cancel();
    assert_eq!(tools.error("glob", json!({"pattern": "*"})).await, "interrupted by the user");
}

#[test]
fn access_names_where_the_walk_starts() {
    let tools = project();
    for (pattern, root, rest) in [
        ("../**", "src/..", "./**"),
        ("*.rs", "src", "*.rs"),
        ("deep/*.rs", "src/deep", "./*.rs"),
        ("/etc/*", "/etc", "./*"),
    ] {
        let expected = Access::Search { root: tools.path(root), pattern: Some(rest.to_owned()) };
        assert_eq!(tools.access("glob", json!({"pattern": pattern, "path": "src"})), [expected]);
    }
}
