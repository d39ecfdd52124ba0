//! What the model is told of the tools, and how its slips are taken.

use serde_json::{Value, json};

use crate::support::tool_fixture::Tools;

#[test]
fn the_tools_are_these_in_this_order_and_small() {
    let tools = Tools::new();
    let specs = tools.registry.specs();
    let names: Vec<_> = specs.iter().map(|spec| spec.name.as_str()).collect();
    assert_eq!(names, ["bash", "read_file", "write_file", "edit_file", "glob", "grep"]);
    let json: Vec<Value> = specs
        .iter()
        .map(|spec| json!({"name": spec.name, "description": spec.description, "input_schema": spec.schema}))
        .collect();
    let text = serde_json::to_string(&json).unwrap();
    assert!(text.len() <= 4000, "{} bytes: {text}", text.len());
    for noise in ["$schema", "null", "\"format\"", "\"title\"", "anyOf", "oneOf", "\\n", "$ref", "minimum"] {
        assert!(!text.contains(noise), "{noise} in {text}");
    }
}

#[test]
fn the_schema_of_grep_is_clean() {
    let tools = Tools::new();
    let schema = &tools.registry.get("grep").unwrap().spec().schema;
    assert_eq!(schema["type"], "object");
    assert_eq!(schema["required"], json!(["pattern"]));
    assert_eq!(schema["properties"]["context"]["type"], "integer");
    assert_eq!(schema["properties"]["output"]["enum"], json!(["content", "files", "count"]));
    assert_eq!(schema["properties"]["output"]["type"], "string");
}

#[tokio::test]
async fn invalid_input_names_the_field_what_was_expected_and_what_came() {
    let tools = Tools::new();
    let takes = "It takes path (string), offset? (integer), limit? (integer).";
    for (input, expected) in [
        (json!({}), "\"path\" is missing"),
        (json!({"path": null}), "\"path\" is missing"),
        (json!({"path": ["a"]}), "\"path\" must be a string, got [\"a\"]"),
        (json!({"path": "a", "limit": "many"}), "\"limit\" must be a whole number, 0 or more, got \"many\""),
        (json!({"path": "a", "offset": -5}), "\"offset\" must be a whole number, 0 or more, got -5"),
        (json!({"path": "a", "offset": 1.5}), "\"offset\" must be a whole number, 0 or more, got 1.5"),
    ] {
        let text = tools.error("read_file", input).await;
        assert_eq!(text, format!("Invalid input for read_file: {expected}. {takes}"));
    }
}

#[tokio::test]
async fn usual_slips_are_taken_as_meant() {
    let tools = Tools::with_files(&[("f", "one\ntwo\n"), ("42", "answer\n")]);
    for (tool, input, expected) in [
        ("read_file", json!({"file_path": "f", "limit": "1"}), "1\tone\n"),
        ("read_file", json!({"path": "f", "offset": 2.0, "unknown": true}), "2\ttwo\n"),
        ("read_file", json!({"path": 42, "limit": null}), "1\tanswer"),
        ("glob", json!({"pattern": "f", "path": null}), "f"),
        ("edit_file", json!({"file_path": "f", "old_str": "one", "new_str": "1", "replace_all": "false"}), "Edited f:"),
    ] {
        let text = tools.ok(tool, input.clone()).await;
        assert!(text.starts_with(expected), "{input}: {text}");
    }
}

#[tokio::test]
async fn a_tilde_is_the_home_directory() {
    let mut tools = Tools::with_files(&[("home/notes", "mine\n")]);
    let root = tools.path("");
    tools.workspace = bareagent::workspace::Workspace::new(&root, &[], Some(tools.path("home"))).unwrap();
    assert_eq!(tools.ok("read_file", json!({"path": "~/notes"})).await, "1\tmine");
}
