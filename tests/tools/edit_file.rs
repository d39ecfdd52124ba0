//! `edit_file`: the shared table of cases, and what a failed edit is told.

use bareagent::access::{Access, Preview};
use serde_json::{Value, json};

use crate::support::tool_fixture::Tools;

/// One JSON object a line: the file before, the call, and the file after or `error`. `pad` lines go around
/// both texts.
const CASES: &str = include_str!("edits.jsonl");

#[tokio::test]
async fn every_case_of_the_table() {
    let tools = Tools::new();
    for line in CASES.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let why = case["why"].as_str().unwrap();
        let pad = &case["pad"];
        let filler = pad["line"].as_str().unwrap_or("").repeat(pad["count"].as_u64().unwrap_or(0) as usize);
        let padded = |text: &str| match pad["where"].as_str() {
            Some("after") => format!("{text}{filler}"),
            _ => format!("{filler}{text}"),
        };
        let before = padded(case["before"].as_str().unwrap());
        tools.put("file", &before);
        let input = json!({
            "path": "file",
            "old_string": case["old_string"],
            "new_string": case["new_string"],
            "replace_all": case["replace_all"],
        });
        let result = tools.call("edit_file", input).await;
        let accepted = case["expect"].as_str().unwrap().split('|').collect::<Vec<_>>();
        let (outcome, expected) = match &result {
            Ok(_) => ("ok", padded(case["after"].as_str().unwrap_or(""))),
            Err(_) => ("error", before),
        };
        assert!(accepted.contains(&outcome), "{why}: {result:?}");
        assert!(tools.get("file") == expected, "{why}: {result:?}");
    }
}

/// A small generator of the same numbers every time.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn text(&mut self, line_end: &str, length: usize) -> String {
        let alphabet = ["a", "b", "é", " ", "\t", "語", line_end, "}"];
        (0..length).map(|_| alphabet[self.below(alphabet.len())]).collect()
    }
}

#[tokio::test]
async fn whatever_the_file_and_the_edit_nothing_outside_the_span_changes() {
    let tools = Tools::new();
    let mut numbers = Numbers(7);
    for round in 0..300 {
        let line_end = if round % 2 == 0 { "\n" } else { "\r\n" };
        let parts = [5, 40, 40].map(|length| numbers.text(line_end, length));
        let [old, before, after] = &parts;
        let new = numbers.text("\n", 6);
        let file = format!("{before}{old}{after}");
        tools.put("f", &file);
        let input = json!({"path": "f", "old_string": old.replace("\r\n", "\n"), "new_string": new});
        let result = tools.call("edit_file", input).await;
        let expected = match result {
            Ok(_) if line_end == "\n" || !new.contains('\n') => format!("{before}{new}{after}"),
            // The new text's line ends follow the file's, where there is one near to follow.
            Ok(_) => tools.get("f"),
            Err(_) => file,
        };
        let found = tools.get("f");
        assert_eq!(found, expected);
        assert!(found.starts_with(before.as_str()) && found.ends_with(after.as_str()), "{found:?}");
    }
}

#[tokio::test]
async fn line_ends_of_the_file_stay() {
    let tools = Tools::new();
    for (before, old, new, after) in [
        ("a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n"),
        ("a\r\nb\r\n", "\nb", "\nx\ny", "a\r\nx\r\ny\r\n"),
        ("a\r\nb\r\nc", "c", "x\ny", "a\r\nb\r\nx\r\ny"),
        ("a\nb\r\nc\n", "a\nb\nc", "x\ny", "x\ny\n"),
        ("a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"),
        ("a\nb\r\nc\n", "c", "x\ny", "a\nb\r\nx\ny\n"),
        ("one\r\ntwo\r\n", "one\n", "", "two\r\n"),
    ] {
        tools.put("f", before);
        tools.ok("edit_file", json!({"path": "f", "old_string": old, "new_string": new})).await;
        assert_eq!(tools.get("f"), after, "{before:?} {old:?} {new:?}");
    }
}

#[tokio::test]
async fn bytes_that_are_not_utf8_stay() {
    let tools = Tools::new();
    tools.put("f", b"\xff\xfe key: 1 \x80\n");
    tools.ok("edit_file", json!({"path": "f", "old_string": "key: 1", "new_string": "key: é"})).await;
    assert_eq!(std::fs::read(tools.path("f")).unwrap(), b"\xff\xfe key: \xc3\xa9 \x80\n");
}

#[tokio::test]
async fn the_result_shows_a_diff() {
    let tools = Tools::with_files(&[("f", "1\n2\n3\n4\n5\n6\n7\n")]);
    let text = tools.ok("edit_file", json!({"path": "f", "old_string": "4", "new_string": "four"})).await;
    assert_eq!(text, "Edited f:\n@@ -2,5 +2,5 @@\n 2\n 3\n-4\n+four\n 5\n 6");
    tools.put("g", "a b\n".repeat(100));
    let input = json!({"path": "g", "old_string": "a", "new_string": "x", "replace_all": true});
    let text = tools.ok("edit_file", input).await;
    assert!(text.starts_with("Edited g in 100 places:\n@@ -1,100"), "{text}");
    assert!(text.ends_with("[141 more lines of the diff left out]"), "{text}");
}

#[tokio::test]
async fn an_empty_old_string_creates() {
    let tools = Tools::with_files(&[("full", "text")]);
    let text = tools.ok("edit_file", json!({"path": "new/f", "old_string": "", "new_string": "hi\n"})).await;
    assert_eq!(text, "Created new/f: 3 bytes.");
    assert_eq!(tools.get("new/f"), "hi\n");
    let text = tools.error("edit_file", json!({"path": "full", "old_string": "", "new_string": "x"})).await;
    assert!(text.contains("old_string must not be empty"), "{text}");
}

#[tokio::test]
async fn a_failed_edit_says_what_helps() {
    let source = "fn main() {\n    let x = 1;\n    print(x);\n}\n\nfn other() {\n    print(x);\n}\n";
    let tools = Tools::with_files(&[("f.rs", source)]);
    let edit = |old: &str, new: &str| json!({"path": "f.rs", "old_string": old, "new_string": new});
    for (input, expected) in [
        (edit("print(x)", "y"), "old_string occurs 2 times in f.rs, on lines 3, 7. Add lines"),
        (edit("same", "same"), "old_string and new_string are the same"),
        (
            edit("\tlet x = 1;\n\tprint(x);", "z"),
            "The nearest lines are:\n2\t    let x = 1;\n3\t    print(x);\n\
             Line 2 differs only in white space (· space, → tab):\n\
             file:       ····let·x·=·1;\nold_string: →let·x·=·1;",
        ),
        (edit("    let x = 2;", "z"), "Line 2 differs:\nfile:           let x = 1;\nold_string:     let x = 2;"),
        (edit("let y = 9;", "let x = 1;"), "new_string is there already, on line 2."),
        (edit("something else entirely", "z"), "No line is like it"),
        (edit("    print(x);\n}\nmore", "z"), "Line 5 differs:\nfile:       \nold_string: more"),
    ] {
        let text = tools.error("edit_file", input.clone()).await;
        assert!(text.contains(expected), "{input}\n{text}");
        assert_eq!(tools.get("f.rs"), source);
    }
    let missing = json!({"path": "g.rs", "old_string": "a", "new_string": "b"});
    assert_eq!(tools.error("edit_file", missing).await, "g.rs does not exist. Did you mean f.rs?");
}

#[test]
fn access_and_preview_show_the_change() {
    let tools = Tools::with_files(&[("f", "old\n")]);
    let path = tools.path("f");
    let input = json!({"path": "f", "old_string": "old", "new_string": "new"});
    assert_eq!(tools.access("edit_file", input.clone()), [Access::Read(path.clone()), Access::Write(path.clone())]);
    let expected = Preview::Diff { path, before: "old\n".to_owned(), after: "new\n".to_owned() };
    assert_eq!(tools.preview("edit_file", input), expected);
    let wrong = json!({"path": "f", "old_string": "absent", "new_string": "new"});
    assert_eq!(tools.preview("edit_file", wrong), Preview::Text("edit f".to_owned()));
}
