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
        if word.kind != Kind::Literal || !text.starts_with('-') || text == "-" {
            operands.push(word);
            continue;
        }
        match text {
            "-n" | "-E" | "-r" | "-s" | "-u" | "-z" | "-nE" | "-En" | "-nr" | "-rn" | "--quiet" | "--silent"
            | "--regexp-extended" | "--separate" | "--unbuffered" | "--null-data" | "--posix" | "--sandbox"
            | "--debug" => {}
            "-e" | "--expression" | "-ne" | "-Ee" | "-nEe" | "-re" => match rest.next() {
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
    let is_harmless =
        |script: &Word| matches!(script.kind, Kind::Literal | Kind::Glob) && is_harmless_sed(&script.text);
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

/// `awk` with a program that neither runs commands nor writes or reads further files.
pub(super) fn awk(arguments: &[Word]) -> Verdict {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_literal() {
            Some("-F" | "-v") if !after.is_empty() => rest = &after[1..],
            Some("--") => {
                rest = after;
                break;
            }
            Some(text) if text.starts_with("-F") || (text.starts_with("-v") && text.contains('=')) => rest = after,
            Some(text) if text.starts_with('-') && text != "-" => {
                return Verdict::ask(format!("awk: the option {text} is not known to be harmless"));
            }
            _ => break,
        }
    }
    let Some((program, files)) = rest.split_first() else { return Verdict::ask("awk: the program is missing") };
    match program.kind {
        Kind::Literal | Kind::Glob if is_harmless_awk(&program.text) => reads(files.iter().collect()),
        _ => Verdict::ask("awk: the program is not known to be harmless"),
    }
}

fn is_harmless_awk(program: &str) -> bool {
    let words = ["system", "getline", "ENVIRON", "close", "fflush", "@", "`", "ARGV", "PROCINFO", "strftime_never"];
    if words.iter().any(|word| program.contains(word)) || program.replace("||", "").contains('|') {
        return false;
    }
    // Between braces `>` writes a file after print; in a condition in front of them it only compares.
    let mut depth = 0;
    for c in program.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            '>' if depth > 0 => return false,
            _ => {}
        }
    }
    true
}

/// `jq` with a filter that shows the environment or reads modules; all else is left to the table.
pub(super) fn jq(arguments: &[Word]) -> Option<Verdict> {
    let shows = |word: &Word| {
        ["env", "$ENV", "$__prog", "import", "include", "input_filename"].iter().any(|name| word.text.contains(name))
    };
    arguments.iter().any(shows).then(|| Verdict {
        effects: vec![Effect::Secret("jq: the filter may show the environment or read other files".to_owned())],
        ..Verdict::default()
    })
}
