//! Tables of calls with the decisions that are accepted for each.

use bareagent::permission::{Mode, Policy};
use serde_json::Value;

use crate::support::policy::{Bench, is_expected};

fn rules(case: &Value, kind: &str) -> Vec<String> {
    case["rules"][kind].as_array().into_iter().flatten().map(|rule| rule.as_str().unwrap().to_owned()).collect()
}

fn check(table: &str) {
    let plain = Bench::new();
    let mut wrong = Vec::new();
    for line in table.lines().filter(|line| !line.trim().is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let text = |key: &str| case[key].as_str().unwrap_or_default();
        let mode: Mode = text("mode").parse().unwrap();
        let policy = Policy::new(mode, &rules(&case, "allow"), &rules(&case, "ask"), &rules(&case, "deny")).unwrap();
        let own = case.get("setup").map(Bench::with);
        let judgement = own.as_ref().unwrap_or(&plain).judge(&policy, text("tool"), &case["input"]);
        if !is_expected(judgement.decision, text("expect")) {
            wrong.push(format!(
                "{:?} ({}) instead of {}: {line}",
                judgement.decision,
                judgement.reason,
                text("expect")
            ));
        }
    }
    assert!(wrong.is_empty(), "{} cases\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn commands_are_judged_as_the_table_says() {
    check(include_str!("commands.jsonl"));
}

#[test]
fn rules_are_applied_as_the_table_says() {
    check(include_str!("rules.jsonl"));
}

#[test]
fn further_commands_are_judged_as_the_table_says() {
    check(include_str!("more_commands.jsonl"));
}

#[test]
fn further_rules_are_applied_as_the_table_says() {
    check(include_str!("more_rules.jsonl"));
}

#[test]
fn everyday_and_harmful_commands_are_judged_as_the_table_says() {
    check(include_str!("everyday_and_harmful.jsonl"));
}
