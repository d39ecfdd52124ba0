//! What a command sees of our environment: everything but secrets, and settings that make programs
//! fail at once where they would wait for a person.

use std::ffi::OsString;

/// Words in a variable's name that make it a secret.
const SECRET_WORDS: [&str; 9] =
    ["TOKEN", "SECRET", "SECRETS", "PASSWD", "PASSPHRASE", "APIKEY", "CREDENTIAL", "CREDENTIALS", "PAT"];

/// Set for every command. An editor in the middle of `git commit` says why it fails; other programs may
/// not run their editor through a shell, so theirs is the plain `false`.
const FIXED: [(&str, &str); 9] = [
    ("GIT_TERMINAL_PROMPT", "0"),
    ("PAGER", "cat"),
    ("GIT_PAGER", "cat"),
    ("MANPAGER", "cat"),
    ("EDITOR", "false"),
    ("VISUAL", "false"),
    ("GIT_EDITOR", "echo 'No editor here: give the text on the command line, for example with -m.' >&2; exit 1"),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("TERM", "dumb"),
];

/// The environment of a command: ours without secrets and without the names in `hidden`.
pub(super) fn clean(hidden: &[String]) -> impl Iterator<Item = (OsString, OsString)> {
    let keeps = |name: &OsString| {
        let name = name.to_string_lossy();
        !is_secret(&name) && !hidden.iter().any(|other| *other == name)
    };
    let inherited = std::env::vars_os().filter(move |(name, _)| keeps(name));
    inherited.chain(FIXED.iter().map(|(name, value)| (name.into(), value.into())))
}

/// Whether a variable of this name is likely to hold a secret: `*_KEY`, `*_TOKEN`, `*_SECRET`,
/// anything about passwords. `MAX_TOKENS` and `SSH_AUTH_SOCK` are none.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    name.contains("PASSWORD")
        || name.split('_').any(|word| SECRET_WORDS.contains(&word))
        || name.rsplit('_').next().is_some_and(|last| matches!(last, "KEY" | "KEYS"))
}

#[cfg(test)]
mod tests {
    use super::is_secret;

    #[test]
    fn secrets_are_known_by_their_names() {
        for name in [
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "AWS_SESSION_TOKEN",
            "DB_PASSWORD",
            "PGPASSWORD",
            "my_secret",
            "WORK_KEY",
            "TOKEN",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in ["PATH", "HOME", "SSH_AUTH_SOCK", "MAX_TOKENS", "KEYBOARD", "TOKENIZERS_PARALLELISM", "SECRETARY"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
