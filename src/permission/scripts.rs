//! Programs with a language of their own, of which only a harmless part is known: `sed`, `awk` and `jq`.

use super::command::{Effect, Verdict};
use super::shell::{Kind, Word};

/// `sed` without `-i` and `-f`, with a script that neither writes files nor runs commands.
pub(super) fn sed(arguments: &[Word]) -> Verdict {
    let mut scripts = Vec::new();
    let mut operands = Vec::new();
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        let text = word.text.as_str();
        if !word.may_be_option() {
            operands.push(word);
            continue;
        }
        if word.kind != Kind::Literal {
            return Verdict::ask("sed: an option depends on what is not known");
        }
        match text {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "-rn" | "--quiet" | "--silent"
            | "--regexp-extended" | "--separate" | "--unbuffered" | "--null-data" | "--posix" | "--sandbox"
            | "--debug" | "-nz" | "-zn" | "-zE" | "-Ez" | "-nu" | "-un" | "-su" | "-ns" | "-sn" | "--version"
            | "--help" => {}
            "-e" | "--expression" | "-ne" | "-Ee" | "-nEe" | "-Ene" | "-re" | "-nre" | "-rne" => match rest.next() {
                Some(script) => scripts.push(script.clone()),
                None => return Verdict::ask("sed: the script is missing"),
            },
            _ => match text.strip_prefix("--expression=") {
                Some(script) => scripts.push(Word::literal(script)),
                None => return Verdict::ask(format!("sed: the option {text} is not known to be harmless")),
            },
        }
    }
    if scripts.is_empty() && !operands.is_empty() {
        scripts.push(operands.remove(0).clone());
    }
    let is_harmless = |script: &Word| script.kind == Kind::Literal && is_harmless_sed(&script.text);
    if scripts.is_empty() || !scripts.iter().all(is_harmless) {
        return Verdict::ask("sed: the script is not known to be harmless");
    }
    reads(operands)
}

fn reads(operands: Vec<&Word>) -> Verdict {
    Verdict { effects: operands.into_iter().cloned().map(Effect::Read).collect(), ..Verdict::default() }
}

/// Whether a sed script holds only addresses, printing, deleting and substitutions without `w` and `e`.
fn is_harmless_sed(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        if rest.is_empty() {
            return true;
        }
        let Some(after) = sed_command(rest) else { return false };
        rest = after;
    }
}

/// One command with its addresses; what follows it.
fn sed_command(script: &str) -> Option<&str> {
    let mut rest = sed_address(script)?;
    if let Some(second) = rest.trim_start().strip_prefix(',') {
        rest = sed_address(second.trim_start().trim_start_matches(['+', '~']))?;
    }
    let rest = rest.trim_start().trim_start_matches('!').trim_start();
    let command = rest.chars().next()?;
    let after = &rest[command.len_utf8()..];
    match command {
        // A label, and branches to it.
        ':' | 'b' | 't' | 'T' => {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            end_of_sed_command(after.trim_start_matches([' ', '\t']).trim_start_matches(is_name), false)
        }
        'p' | 'd' | 'D' | 'P' | '=' | 'n' | 'N' | 'h' | 'H' | 'g' | 'G' | 'x' | 'l' | '{' => {
            end_of_sed_command(after, command == '{')
        }
        'q' | 'Q' => end_of_sed_command(after.trim_start().trim_start_matches(|c: char| c.is_ascii_digit()), false),
        's' | 'y' => {
            let delimiter = after.chars().next().filter(|c| c.is_ascii_punctuation() && *c != '\\')?;
            let after = past_delimiter(&after[1..], delimiter)?;
            let after = past_delimiter(after, delimiter)?;
            let after =
                after.trim_start_matches(|c: char| command == 's' && (c.is_ascii_digit() || "gpiIM".contains(c)));
            end_of_sed_command(after, false)
        }
        _ => None,
    }
}

/// A command ends at a separator, a closing brace or the end; anything else is an argument that is not known.
fn end_of_sed_command(rest: &str, is_block: bool) -> Option<&str> {
    let rest = rest.trim_start_matches([' ', '\t']);
    (is_block || rest.is_empty() || rest.starts_with([';', '\n', '}'])).then_some(rest)
}

fn sed_address(script: &str) -> Option<&str> {
    match script.chars().next() {
        Some('/') => {
            let after = past_delimiter(&script[1..], '/')?;
            Some(after.trim_start_matches(['I', 'M']))
        }
        Some('$') => Some(&script[1..]),
        Some(c) if c.is_ascii_digit() => Some(script.trim_start_matches(|c: char| c.is_ascii_digit() || c == '~')),
        _ => Some(script),
    }
}

/// Past a delimiter that no backslash and no bracket expression hides. A bracket makes the end unclear, so that
/// the first delimiter must not stand in one.
fn past_delimiter(text: &str, delimiter: char) -> Option<&str> {
    let mut chars = text.char_indices().peekable();
    let mut in_bracket = false;
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => {
                chars.next()?;
            }
            '\n' => return None,
            '[' if !in_bracket => {
                in_bracket = true;
                // A bracket right after the opening one is an ordinary member.
                chars.next_if(|(_, c)| *c == '^');
                chars.next_if(|(_, c)| *c == ']');
            }
            ']' => in_bracket = false,
            c if c == delimiter && in_bracket => return None,
            c if c == delimiter => return Some(&text[at + c.len_utf8()..]),
            _ => {}
        }
    }
    None
}

/// `jq` with a filter that shows the environment or reads modules; all else is left to the table.
pub(super) fn jq(arguments: &[Word]) -> Option<Verdict> {
    let mut rest = arguments.iter();
    let mut others = Vec::new();
    while let Some(word) = rest.next() {
        match word.as_literal() {
            // Two texts: a name and its value.
            Some("--arg" | "--argjson") => {
                let value = rest.next().and_then(|name| name.as_literal()).and_then(|_| rest.next());
                if value.is_none_or(|value| value.kind == Kind::Unknown) {
                    return Some(Verdict::ask("jq: a value depends on what is not known"));
                }
            }
            Some("--args" | "--jsonargs") => return Some(Verdict::ask("jq: its arguments are not judged")),
            _ => others.push(word.clone()),
        }
    }
    let filter = others.iter().find(|word| !word.may_be_option());
    if filter.is_none_or(|word| word.kind != Kind::Literal) {
        let only_asks = others.len() == 1 && matches!(others[0].as_literal(), Some("--version" | "--help"));
        return (!only_asks).then(|| Verdict::ask("jq: the filter is not known"));
    }
    if others.iter().any(|word| shows_environment(&word.text)) {
        let reason = "jq: the filter may show the environment or read other files".to_owned();
        return Some(Verdict { effects: vec![Effect::Secret(reason)], ..Verdict::default() });
    }
    Some(super::command::against_table("jq", &others))
}

/// Whether a filter names `env` (other than as the field `.env`), `$ENV`, or what reads modules.
fn shows_environment(filter: &str) -> bool {
    if filter.contains("$ENV") || filter.contains("$__prog") {
        return true;
    }
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut before = ' ';
    let mut rest = filter;
    while let Some(start) = rest.find(is_name) {
        before = rest[..start].chars().next_back().unwrap_or(before);
        let end = rest[start..].find(|c| !is_name(c)).map_or(rest.len(), |length| start + length);
        let word = &rest[start..end];
        if matches!(word, "import" | "include" | "modulemeta" | "get_search_list") || (word == "env" && before != '.') {
            return true;
        }
        before = word.chars().next_back().unwrap_or(' ');
        rest = &rest[end..];
    }
    false
}
