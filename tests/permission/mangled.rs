//! Nothing that is put around or into a command loosens it, and no input makes the gate fail.

use bareagent::permission::{Decision, Mode};
use serde_json::Value;

use crate::support::policy::Bench;

/// Every command of the one table, and some of the other.
fn corpus() -> Vec<String> {
    let more = include_str!("more_commands.jsonl").lines().step_by(13);
    let cases = include_str!("commands.jsonl").lines().chain(more).filter(|line| !line.trim().is_empty());
    cases
        .filter_map(|line| {
            let case: Value = serde_json::from_str(line).unwrap();
            case["input"]["command"].as_str().map(str::to_owned)
        })
        .collect()
}

#[test]
fn a_harmful_part_is_found_wherever_it_is_put() {
    let bench = Bench::new();
    let around = [
        "{}; rm -rf x",
        "rm -rf x; {}",
        "{} && rm -rf x",
        "{} || rm -rf x",
        "{} | rm -rf x",
        "{} & rm -rf x",
        "{}\nrm -rf x",
        "( {} ; rm -rf x )",
        "{ {}; rm -rf x; }",
        "{} $(rm -rf x)",
        "{} `rm -rf x`",
        "{} \"$(rm -rf x)\"",
        "{} <(rm -rf x)",
        "if {}; then rm -rf x; fi",
        "for i in a; do rm -rf x; done; {}",
        "! {} || rm -rf x",
        "{} > /etc/passwd",
        "{} >> .git/config",
        "while {}; do rm -rf x; done",
        "env FOO=1 rm -rf x; {}",
        "timeout 5 rm -rf x; {}",
        "sh -c 'rm -rf x'; {}",
    ];
    for command in corpus() {
        for wrap in around {
            let wrapped = wrap.replacen("{}", &command, 1);
            // What a trailing comment or an open here-document swallows does not run.
            if command.contains('#') || command.contains("<<") {
                continue;
            }
            for mode in [Mode::Default, Mode::Auto, Mode::Plan] {
                assert_ne!(bench.decide(mode, &wrapped), Decision::Allow, "{mode}: {wrapped}");
            }
        }
    }
}

#[test]
fn no_input_makes_the_gate_fail() {
    let bench = Bench::new();
    let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |below: usize| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        usize::try_from(seed % below as u64).unwrap()
    };
    let pieces = [
        "'", "\"", "$(", ")", "`", "<<EOF\n", "{", "}", ",", "\\", "*", "[", "$'\\x", "|", "&", ";", "\n", "<(", "é",
        "\u{202e}", "${x:-", "-", "=", "~",
    ];
    for command in corpus() {
        for _ in 0..20 {
            let mut chars: Vec<char> = command.chars().collect();
            for _ in 0..=random(3) {
                let at = random(chars.len() + 1);
                match random(3) {
                    0 if at < chars.len() => {
                        chars.remove(at);
                    }
                    _ => {
                        let piece: Vec<char> = pieces[random(pieces.len())].chars().collect();
                        chars.splice(at..at, piece);
                    }
                }
            }
            let mangled: String = chars.into_iter().collect();
            bench.decide(Mode::Default, &mangled);
        }
    }
}
