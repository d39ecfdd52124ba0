//! A suggested rule lets the very call through that it was suggested for, and is no wider than sensible.

use bareagent::permission::{Decision, Mode, Policy};
use serde_json::{Value, json};

use crate::support::policy::Bench;

fn suggestion(bench: &Bench, command: &str) -> Option<String> {
    let policy = Policy::new(Mode::Default, &[], &[], &[]).unwrap();
    bench.judge(&policy, "bash", &json!({"command": command})).suggested_rule
}

#[test]
fn a_suggested_rule_lets_its_call_through() {
    let bench = Bench::new();
    let tables = [include_str!("commands.jsonl"), include_str!("more_commands.jsonl")];
    let more = [
        json!({"tool": "read_file", "input": {"path": "../x"}}),
        json!({"tool": "read_file", "input": {"path": ".env"}}),
        json!({"tool": "read_file", "input": {"path": "/etc/[x"}}),
        json!({"tool": "write_file", "input": {"path": "a b.txt", "content": "x"}}),
        json!({"tool": "edit_file", "input": {"path": "src/../a.rs", "old_string": "x", "new_string": "y"}}),
        json!({"tool": "glob", "input": {"pattern": "../*"}}),
        json!({"tool": "grep", "input": {"pattern": "x", "path": "/etc"}}),
        json!({"tool": "web_fetch", "input": {"url": "https://example.com./"}}),
        json!({"tool": "web_fetch", "input": {"url": "https://user@example.com/"}}),
        json!({"tool": "mcp__a__b", "input": {}}),
    ];
    let cases = tables.iter().flat_map(|table| table.lines()).map(|line| serde_json::from_str(line).unwrap());
    let (mut suggested, mut asked) = (0, 0);
    for case in cases.chain(more) {
        let case: Value = case;
        let tool = case["tool"].as_str().unwrap();
        for mode in [Mode::Default, Mode::Auto, Mode::Plan] {
            let mut policy = Policy::new(mode, &[], &[], &[]).unwrap();
            let judgement = bench.judge(&policy, tool, &case["input"]);
            asked += usize::from(judgement.decision == Decision::Ask);
            let Some(rule) = judgement.suggested_rule else { continue };
            assert_eq!(judgement.decision, Decision::Ask, "{case}");
            suggested += 1;
            policy.allow(&rule);
            let again = bench.judge(&policy, tool, &case["input"]);
            assert_eq!(again.decision, Decision::Allow, "{mode}, {rule}: {case}");
        }
    }
    assert!(suggested > 100 && suggested < asked, "{suggested} of {asked}");
}

#[test]
fn a_suggested_rule_is_no_wider_than_sensible() {
    let bench = Bench::new();
    let cases = [
        ("cargo test -p x", Some("bash(cargo test *)")),
        ("npm run lint -- --fix", Some("bash(npm run lint *)")),
        ("git commit -m 'a message'", Some("bash(git commit *)")),
        ("git push origin main", Some("bash(git push origin main)")),
        ("mkdir -p a/b", Some("bash(mkdir *)")),
        ("rm a.txt", Some("bash(rm a.txt)")),
        ("rm *", None),
        ("rm -rf src/*.rs", None),
        ("curl https://example.com", Some("bash(curl https://example.com)")),
        ("python3 x.py", Some("bash(python3 x.py)")),
        ("cat /etc/hostname", Some("bash(cat /etc/hostname)")),
        ("sort -o a b", Some("bash(sort -o a b)")),
        ("mkdir a && touch b", None),
        ("mkdir a && mkdir b", Some("bash(mkdir *)")),
        ("echo x > a", None),
        ("$x a", None),
        ("ls $(", None),
    ];
    for (command, expected) in cases {
        assert_eq!(suggestion(&bench, command).as_deref(), expected, "{command}");
    }
}
