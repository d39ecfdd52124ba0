//! `grep`: output modes, filters, limits, and what is left out.

use bareagent::access::Access;
use serde_json::json;

use crate::support::tool_fixture::{Tools, make_fifo};

fn project() -> Tools {
    let tools = Tools::with_files(&[
        ("src/a.rs", "fn one() {}\nfn two() {}\n// ONE\nlet x = one();\n"),
        ("src/b.rs", "use one;\n"),
        ("notes.md", "# one\n"),
        ("ignored/c.rs", "one\n"),
        (".hidden.rs", "one\n"),
        (".gitignore", "ignored/\n"),
    ]);
    tools.put("blob", b"one\0\xff\n");
    make_fifo(&tools.path("fifo"));
    tools
}

#[tokio::test]
async fn output_modes_and_filters() {
    let tools = project();
    for (input, expected) in [
        (
            json!({"pattern": "one"}),
            "notes.md\n1:# one\n\nsrc/a.rs\n1:fn one() {}\n4:let x = one();\n\nsrc/b.rs\n1:use one;",
        ),
        (json!({"pattern": "one", "glob": "*.md"}), "notes.md\n1:# one"),
        (json!({"pattern": "one", "glob": "!*.rs"}), "notes.md\n1:# one"),
        (json!({"pattern": "one", "glob": "src/b*"}), "src/b.rs\n1:use one;"),
        (json!({"pattern": "one", "path": "src/b.rs"}), "src/b.rs\n1:use one;"),
        (json!({"pattern": "one", "path": "src", "output": "files"}), "src/a.rs\nsrc/b.rs"),
        (json!({"pattern": "one", "output": "count"}), "notes.md:1\nsrc/a.rs:2\nsrc/b.rs:1\n[4 matches in 3 files]"),
        (json!({"pattern": "^// one", "ignore_case": "true"}), "src/a.rs\n3:// ONE"),
        (json!({"pattern": "two", "context": 1}), "src/a.rs\n1-fn one() {}\n2:fn two() {}\n3-// ONE"),
        (json!({"pattern": "one\\(", "context": 0}), "src/a.rs\n1:fn one() {}\n4:let x = one();"),
        (
            json!({"pattern": "one\\(", "context": "1"}),
            "src/a.rs\n1:fn one() {}\n2-fn two() {}\n3-// ONE\n4:let x = one();",
        ),
        (json!({"pattern": "one.*two", "multiline": true}), "src/a.rs\n1:fn one() {}\n2:fn two() {}"),
        (json!({"pattern": "\\{\\}\n//"}), "src/a.rs\n2:fn two() {}\n3:// ONE"),
        (json!({"pattern": "one", "glob": ".*.rs"}), ".hidden.rs\n1:one"),
        (json!({"pattern": "absent"}), "No matches."),
    ] {
        assert_eq!(tools.ok("grep", input.clone()).await, expected, "{input}");
    }
}

#[tokio::test]
async fn limits_cut_in_the_order_of_paths_and_say_so() {
    let tools = Tools::new();
    for number in 0..30 {
        tools.put(&format!("f{number:02}"), "hit\nmiss\nhit\n");
    }
    let text = tools.ok("grep", json!({"pattern": "hit", "limit": 3})).await;
    let shown = "f00\n1:hit\n3:hit\n\nf01\n1:hit\n";
    assert_eq!(text, format!("{shown}[3 shown of 60 matches in 30 files; narrow the search or set limit]"));
    let text = tools.ok("grep", json!({"pattern": "hit", "output": "files", "limit": 2})).await;
    assert_eq!(text, "f00\nf01\n[2 shown of 30 files; narrow the search or set limit]");
    tools.put("big", "hit and a longer line of text\n".repeat(10_000));
    let text = tools.ok("grep", json!({"pattern": "hit", "path": "big", "limit": 5000})).await;
    assert!(text.len() < 31_000 && text.contains(" shown of 10000 matches in 1 file; "), "{}", text.len());
}

#[tokio::test]
async fn of_a_long_line_the_part_around_the_match_is_shown() {
    let tools = Tools::new();
    tools.put("min.js", format!("{}needle{}\n", "é".repeat(5000), "x".repeat(5000)));
    let text = tools.ok("grep", json!({"pattern": "needle"})).await;
    assert!(text.starts_with("min.js\n1:…é") && text.contains("éneedlex"), "{text}");
    assert!(text.ends_with("x… [line of 15.0 kB]") && text.chars().count() < 600, "{text}");
}

#[tokio::test]
async fn bad_input_is_explained() {
    let tools = project();
    for (input, expected) in [
        (json!({"pattern": "fn main("}), "Invalid regular expression: "),
        (json!({"pattern": "(?=x)"}), "look-around"),
        (json!({"pattern": "x", "path": "srk"}), "srk does not exist. Did you mean src?"),
        (json!({"pattern": "x", "path": "fifo"}), "fifo is a named pipe (FIFO), not a regular file."),
        (
            json!({"pattern": "x", "output": "lines"}),
            "\"output\" must be one of \"content\", \"files\", \"count\", got \"lines\"",
        ),
        (json!({"pattern": "x", "glob": "[a"}), "Invalid glob pattern \"[a\""),
    ] {
        let text = tools.error("grep", input.clone()).await;
        assert!(text.contains(expected), "{input}: {text}");
    }
}

#[tokio::test]
async fn a_cancelled_search_ends_at_once() {
    let tools = project();
    tools.cancel.cancel();
    assert_eq!(tools.error("grep", json!({"pattern": "x"})).await, "interrupted by the user");
}

#[test]
fn access_names_root_and_filter() {
    let tools = project();
    let expected = Access::Search { root: tools.path(""), pattern: Some("*.rs".to_owned()) };
    let access = tools.access("grep", json!({"pattern": "x", "glob": "*.rs"}));
    let Access::Search { root, pattern } = &access[0] else { panic!("{access:?}") };
    assert_eq!(Access::Search { root: root.join(""), pattern: pattern.clone() }, expected);
}
