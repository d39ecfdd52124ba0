//! `awk` programs, of which only a harmless part is known: no commands, no files written, none read but the operands,
//! nothing of the environment.

use super::command::{Effect, Verdict};
use super::shell::{Kind, Word};

/// Judges a call of `awk`.
pub(super) fn awk(arguments: &[Word]) -> Verdict {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_literal() {
            Some("-F" | "-v") if after.first().is_some_and(|value| value.kind != Kind::Unknown) => rest = &after[1..],
            Some("--") => {
                rest = after;
                break;
            }
            Some("--version") if after.is_empty() => return Verdict::default(),
            Some(text) if text.starts_with("-F") && text.len() > 2 => rest = after,
            Some(text) if text.starts_with("-v") && text.contains('=') => rest = after,
            Some(text) if text.starts_with('-') && text != "-" => {
                return Verdict::ask(format!("awk: the option {text} is not known to be harmless"));
            }
            // `-vname="$value"` stays one word.
            None if word.kind == Kind::Text && word.text.starts_with("-v") && word.text.contains('=') => rest = after,
            _ => break,
        }
    }
    let Some((program, files)) = rest.split_first() else { return Verdict::ask("awk: the program is missing") };
    if program.kind != Kind::Literal || !is_harmless(&program.text) {
        return Verdict::ask("awk: the program is not known to be harmless");
    }
    Verdict { effects: files.iter().cloned().map(Effect::Read).collect(), ..Verdict::default() }
}

fn is_harmless(program: &str) -> bool {
    let Some(code) = without_texts(program) else { return false };
    let harmful = [
        "system", "getline", "ENVIRON", "ARGV", "ARGC", "ARGIND", "PROCINFO", "SYMTAB", "FUNCTAB", "nextfile", "close",
    ];
    let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    if code.contains('@') || words.into_iter().any(|word| harmful.contains(&word)) {
        return false;
    }
    !code.replace("||", "").contains('|') && !redirects(&code)
}

/// Within an action and outside of parentheses `>` may write a file; elsewhere it compares.
fn redirects(code: &str) -> bool {
    let (mut braces, mut parentheses) = (0, 0);
    let mut chars = code.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '{' => (braces, parentheses) = (braces + 1, 0),
            '}' => braces -= 1,
            '(' => parentheses += 1,
            ')' => parentheses -= 1,
            '>' if chars.peek() == Some(&'=') => {}
            '>' if braces != 0 && parentheses <= 0 => return true,
            _ => {}
        }
        if braces < 0 || parentheses < 0 {
            return true;
        }
    }
    false
}

/// The program with its strings, regular expressions and comments made empty; `None` where it is not clear whether
/// a slash divides or starts a regular expression.
fn without_texts(program: &str) -> Option<String> {
    let mut code = String::new();
    let mut chars = program.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => {
                skip_to('"', &mut chars)?;
                code.push_str("\"\"");
            }
            '#' => while chars.next_if(|c| *c != '\n').is_some() {},
            '/' => match slash(&code)? {
                Slash::Divides => code.push('/'),
                Slash::StartsRegex => {
                    skip_to('/', &mut chars)?;
                    code.push_str("\"\"");
                }
            },
            '\\' if chars.peek() == Some(&'\n') => code.push(' '),
            '\\' | '\'' => return None,
            c => code.push(c),
        }
    }
    Some(code)
}

type Chars<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn skip_to(end: char, chars: &mut Chars<'_>) -> Option<()> {
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            // A bracket may hide the end, for some programs.
            '[' if end == '/' => skip_class(chars)?,
            '\n' => return None,
            c if c == end => return Some(()),
            _ => {}
        }
    }
}

/// A bracket expression; `None` if it holds a slash, which ends the expression for some programs only.
fn skip_class(chars: &mut Chars<'_>) -> Option<()> {
    chars.next_if_eq(&'^');
    chars.next_if_eq(&']');
    loop {
        match chars.next()? {
            '\\' => {
                chars.next()?;
            }
            '[' if chars.next_if_eq(&':').is_some() => while chars.next()? != ']' {},
            '/' | '\n' => return None,
            ']' => return Some(()),
            _ => {}
        }
    }
}

enum Slash {
    Divides,
    StartsRegex,
}

/// What a slash is after this code.
fn slash(code: &str) -> Option<Slash> {
    let before = code.trim_end_matches([' ', '\t']);
    let Some(last) = before.chars().next_back() else { return Some(Slash::StartsRegex) };
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
    match last {
        _ if matches!(word, "print" | "printf" | "return" | "in" | "else" | "do" | "exit" | "delete" | "case") => None,
        c if c.is_ascii_alphanumeric() || c == '_' => Some(Slash::Divides),
        ']' | '"' => Some(Slash::Divides),
        '{' | '}' | '(' | ',' | ';' | '!' | '&' | '|' | '~' | '\n' | '=' | '?' | ':' => Some(Slash::StartsRegex),
        _ => None,
    }
}
