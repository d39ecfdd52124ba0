//! The allow rule that is offered with a question: as wide as is sensible for that program, no wider.

use super::command::{Effect, Part};

/// Programs whose subcommand says what they do.
const WITH_SUBCOMMAND: &str =
    "git cargo npm pnpm yarn bun go pip pip3 uv poetry make just mvn gradle dotnet mix bundle rake brew apt rustup";

/// Programs that are too dangerous to let through with other arguments.
const EXACT: &str = "rm rmdir dd mkfs chmod chown chgrp kill pkill killall curl wget mv cp ln rsync scp shred truncate \
    install patch tar unzip zip sed awk find xargs tee sudo doas su env nohup timeout export source eval exec gh aws \
    gcloud az terraform helm kubectl docker systemctl service mount umount crontab reboot shutdown";

/// Subcommands of the same kind.
const EXACT_SUBCOMMAND: &str = "push reset clean checkout restore rebase filter-branch gc config rm mv branch tag stash \
    remote update-ref publish login logout exec x dlx install uninstall run-script deploy release yank owner unpublish \
    token access adduser";

/// The rule that would let a part through, if there is one.
pub(super) fn rule(part: &Part) -> Option<String> {
    let line = part.lines.last()?;
    // A star would be a wildcard, an ellipsis stands for what is not known.
    if line.contains(['…', '\n', '*']) {
        return None;
    }
    let words: Vec<&str> = line.split(' ').collect();
    let has = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let leads_out = |path: &str| path.starts_with(['/', '~']) || path.split('/').any(|step| step == "..");
    let is_development = part.effects.contains(&Effect::Develop);
    let is_narrow = part.effects.iter().any(|effect| match effect {
        Effect::Read(word) => !is_development || leads_out(&word.text),
        Effect::Write(_) | Effect::Secret(_) => true,
        Effect::Command(_) | Effect::Develop => false,
    });
    let program = *words.first()?;
    let takes_subcommand = has(WITH_SUBCOMMAND, program);
    let second = words.get(1).copied().filter(|word| !word.starts_with('-') && !word.contains(['\'', '"']));
    let is_exact = is_narrow
        || part.is_opaque
        || has(EXACT, program)
        || super::programs::find(program).is_some_and(|_| !is_development)
        || (takes_subcommand && second.is_none_or(|word| has(EXACT_SUBCOMMAND, word)) && words.len() > 1);
    if is_exact {
        return Some(format!("bash({line})"));
    }
    let taken = match second {
        Some("run") if takes_subcommand => words.len().min(3),
        Some(_) if takes_subcommand => 2,
        _ => 1,
    };
    Some(format!("bash({} *)", words[..taken].join(" ")))
}
