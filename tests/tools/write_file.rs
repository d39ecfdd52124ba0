//! `write_file`: new files, replaced files, and what must stay as it is.

use std::os::unix::fs::{PermissionsExt, symlink};

use bareagent::access::{Access, Preview};
use serde_json::json;

use crate::support::tool_fixture::{Tools, make_fifo};

#[tokio::test]
async fn creates_with_parents_and_overwrites() {
    let tools = Tools::new();
    let text = tools.ok("write_file", json!({"path": "a/b/c.txt", "content": "one\ntwo\n"})).await;
    assert_eq!(text, "Created a/b/c.txt: 2 lines, 8 bytes.");
    let text = tools.ok("write_file", json!({"path": "a/b/c.txt", "content": "x"})).await;
    assert_eq!(text, "Overwrote a/b/c.txt: 1 line, 1 byte.");
    assert_eq!(tools.get("a/b/c.txt"), "x");
    let names: Vec<_> = std::fs::read_dir(tools.path("a/b")).unwrap().collect();
    assert_eq!(names.len(), 1, "no temporary file is left");
}

#[tokio::test]
async fn keeps_the_mode_and_writes_through_links() {
    let tools = Tools::with_files(&[("run.sh", "old"), ("real", "old")]);
    std::fs::set_permissions(tools.path("run.sh"), std::fs::Permissions::from_mode(0o750)).unwrap();
    tools.ok("write_file", json!({"path": "run.sh", "content": "new"})).await;
    assert_eq!(std::fs::metadata(tools.path("run.sh")).unwrap().permissions().mode() & 0o777, 0o750);

    symlink("real", tools.path("link")).unwrap();
    symlink("sub/later", tools.path("dangling")).unwrap();
    tools.ok("write_file", json!({"path": "link", "content": "new"})).await;
    tools.ok("write_file", json!({"path": "dangling", "content": "new"})).await;
    for (link, target) in [("link", "real"), ("dangling", "sub/later")] {
        assert!(tools.path(link).is_symlink());
        assert_eq!(tools.get(target), "new");
    }
}

#[tokio::test]
async fn refuses_what_is_no_file_to_be_replaced() {
    let tools = Tools::with_files(&[("dir/x", ""), ("locked", "old"), ("file", "")]);
    make_fifo(&tools.path("fifo"));
    std::fs::set_permissions(tools.path("locked"), std::fs::Permissions::from_mode(0o444)).unwrap();
    symlink("circle", tools.path("circle")).unwrap();
    for (path, expected) in [
        ("dir", "is not a regular file"),
        ("fifo", "is not a regular file"),
        ("locked", "is read-only"),
        ("file/x", "Nothing was written"),
        ("circle", "form a circle"),
        ("", "\"path\" is empty"),
    ] {
        let text = tools.error("write_file", json!({"path": path, "content": "new"})).await;
        assert!(text.contains(expected), "{path}: {text}");
    }
    assert_eq!(tools.get("locked"), "old");
}

#[test]
fn access_and_preview_show_the_change() {
    let tools = Tools::with_files(&[("f", "old\n")]);
    make_fifo(&tools.path("fifo"));
    let input = json!({"path": "f", "content": "new\n"});
    assert_eq!(tools.access("write_file", input.clone()), [Access::Write(tools.path("f"))]);
    let diff = |path: &str, before: &str| Preview::Diff {
        path: tools.path(path),
        before: before.to_owned(),
        after: "new\n".to_owned(),
    };
    assert_eq!(tools.preview("write_file", input), diff("f", "old\n"));
    assert_eq!(tools.preview("write_file", json!({"path": "g", "content": "new\n"})), diff("g", ""));
    assert!(matches!(tools.preview("write_file", json!({"path": "fifo", "content": ""})), Preview::Text(_)));
}
