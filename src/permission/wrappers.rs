//! Wrappers: programs and builtins that run another command. They are opened up as far as their options are
//! known, and both they and what they run are judged.

use super::command::{Effect, Inner, Verdict, is_harmless_variable};
use super::shell::{Kind, Word};

/// Judges a wrapper; `None` for all other programs.
pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Verdict> {
    Some(match name {
        "env" => env(arguments),
        "command" | "builtin" => command(arguments),
        "exec" | "nohup" | "time" | "setsid" | "nice" | "ionice" | "timeout" | "stdbuf" => wrapper(name, arguments),
        "sudo" | "doas" | "su" | "runuser" | "pkexec" => gains_rights(name, arguments),
        "xargs" => xargs(arguments),
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "fish" => shell(name, arguments),
        "eval" => eval(arguments),
        "poetry" | "pipenv" | "pdm" | "hatch" | "uv" => environment(name, arguments)?,
        _ => return None,
    })
}

fn inner(words: &[Word]) -> Verdict {
    Verdict { inner: vec![Inner::Words(words.to_vec())], ..Verdict::default() }
}

/// `poetry run pytest`: the project's own environment around a command. `uv run` may install first, unless told
/// not to.
fn environment(name: &str, arguments: &[Word]) -> Option<Verdict> {
    let (first, rest) = arguments.split_first()?;
    if first.as_literal() != Some("run") {
        return None;
    }
    let quiet = ["-q", "-v", "--quiet", "--verbose", "--no-sync", "--offline", "--frozen", "--locked"];
    let words = after_options(rest, &quiet, &[], 0).filter(|words| !words.is_empty());
    let Some(words) = words else { return Some(Verdict::opaque(format!("what {name} runs is not known"))) };
    let own = &rest[..rest.len() - words.len()];
    let may_install = name == "uv" && !own.iter().any(|word| matches!(word.as_literal(), Some("--no-sync")));
    let mut verdict = inner(words);
    verdict.effects.push(if may_install {
        Effect::Command("uv run may install packages first".to_owned())
    } else {
        Effect::Develop
    });
    Some(verdict)
}

fn env(arguments: &[Word]) -> Verdict {
    let mut rest = arguments;
    let mut effects = Vec::new();
    loop {
        let Some((word, after)) = rest.split_first() else {
            effects.push(Effect::Secret("it shows the environment".to_owned()));
            return Verdict { effects, ..Verdict::default() };
        };
        let Some(text) = word.as_literal() else { return Verdict::opaque("what env runs is not known") };
        match text {
            "-i" | "-" | "--ignore-environment" | "-0" | "--null" | "-v" | "--debug" | "--" => rest = after,
            "-u" | "--unset" => rest = after.get(1..).unwrap_or_default(),
            text if text.starts_with("-u") || text.starts_with("--unset=") => rest = after,
            text if text.starts_with('-') => {
                return Verdict::opaque(format!("env's option {text} is not known to be harmless"));
            }
            text if text.contains('=') => {
                let name = text.split('=').next().unwrap_or_default();
                if !is_harmless_variable(name, true) {
                    effects.push(Effect::Command(format!("it sets {name}, which programs may act on")));
                }
                rest = after;
            }
            _ => {
                let mut verdict = inner(rest);
                verdict.effects = effects;
                return verdict;
            }
        }
    }
}

fn command(arguments: &[Word]) -> Verdict {
    match arguments.first().and_then(Word::as_literal) {
        Some("-v" | "-V") => Verdict::default(),
        Some("-p" | "--") => inner(&arguments[1..]),
        Some(option) if option.starts_with('-') => Verdict::opaque("an option of command that is not known"),
        _ => inner(arguments),
    }
}

/// The words after a wrapper's own options and operands; `None` when these are not known.
fn after_options<'a>(arguments: &'a [Word], flags: &[&str], valued: &[&str], operands: usize) -> Option<&'a [Word]> {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        let text = word.as_literal()?;
        if text == "--" {
            rest = after;
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        let is_attached = valued.iter().any(|option| {
            let has_value = text.len() > option.len() && text.starts_with(option);
            let is_long = option.starts_with("--");
            has_value && if is_long { text[option.len()..].starts_with('=') } else { !text.starts_with("--") }
        });
        if valued.contains(&text) {
            let value = after.first()?;
            value.as_literal()?;
            rest = &after[1..];
        } else if flags.contains(&text) || is_attached {
            rest = after;
        } else {
            return None;
        }
    }
    for _ in 0..operands {
        rest.first()?.as_literal()?;
        rest = &rest[1..];
    }
    Some(rest)
}

fn wrapper(name: &str, arguments: &[Word]) -> Verdict {
    let is_number = |word: &Word| {
        let digits = word.text.strip_prefix('-').unwrap_or_default();
        word.kind == Kind::Literal && !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit())
    };
    let arguments =
        if name == "nice" && arguments.first().is_some_and(is_number) { &arguments[1..] } else { arguments };
    let rest = match name {
        "exec" | "nohup" => after_options(arguments, &[], &[], 0),
        "time" => after_options(arguments, &["-p", "-v", "--verbose", "--portability"], &["-f", "--format"], 0),
        "setsid" => after_options(arguments, &["-w", "-f", "-c", "--wait", "--fork"], &[], 0),
        "nice" => after_options(arguments, &[], &["-n", "--adjustment"], 0),
        "ionice" => after_options(arguments, &["-t", "--ignore"], &["-c", "-n", "--class", "--classdata"], 0),
        "timeout" => {
            let flags = ["--foreground", "--preserve-status", "-v", "--verbose", "-p", "-f"];
            after_options(arguments, &flags, &["-s", "-k", "--signal", "--kill-after"], 1)
        }
        _ => after_options(arguments, &[], &["-i", "-o", "-e", "--input", "--output", "--error"], 0),
    };
    match rest {
        Some([]) if name == "exec" => Verdict::default(),
        Some([]) | None => Verdict::opaque(format!("what {name} runs is not known")),
        Some(words) => inner(words),
    }
}

/// A program that gains rights is asked about whatever it runs; what it runs is judged too, for deny rules.
fn gains_rights(name: &str, arguments: &[Word]) -> Verdict {
    let flags = ["-n", "-E", "-H", "-S", "-k", "-b", "-P", "-A", "-l", "-", "-m", "-p"];
    let valued = ["-u", "-g", "-U", "-C", "-h", "-p", "-r", "-t", "-D", "--user", "--group"];
    let mut verdict = Verdict::opaque(format!("{name} gains rights"));
    let mut rest = after_options(arguments, &flags, &valued, 0);
    if matches!(name, "su" | "runuser")
        && let Some(at) = arguments.iter().position(|word| matches!(word.text.as_str(), "-c" | "--command"))
        && let Some(line) = arguments.get(at + 1).and_then(Word::as_literal)
    {
        verdict.inner.push(Inner::Line(line.to_owned()));
        rest = None;
    }
    let skipped = rest.map(|rest| {
        let assignments = rest.iter().take_while(|word| word.text.contains('=')).count();
        &rest[assignments..]
    });
    if let Some(words) = skipped.filter(|words| !words.is_empty()) {
        verdict.inner.push(Inner::Words(words.to_vec()));
    }
    verdict
}

/// `xargs` adds words that nobody has seen.
fn xargs(arguments: &[Word]) -> Verdict {
    let flags = ["-0", "-r", "-t", "-x", "-o", "--null", "--no-run-if-empty", "--verbose", "--exit"];
    let valued = ["-n", "-L", "-P", "-I", "-d", "-E", "-s", "--max-args", "--max-procs", "--delimiter", "--max-chars"];
    let Some(rest) = after_options(arguments, &flags, &valued, 0) else {
        return Verdict::opaque("an option of xargs that is not known");
    };
    if rest.is_empty() {
        return Verdict::default();
    }
    let own = &arguments[..arguments.len() - rest.len()];
    let placeholder = own.iter().enumerate().find_map(|(at, word)| match word.text.strip_prefix("-I") {
        Some("") => own.get(at + 1).map(|next| next.text.clone()),
        Some(attached) => Some(attached.to_owned()),
        None => word.text.strip_prefix("--replace=").map(str::to_owned),
    });
    let unseen = |text: &str, kind| Word { text: text.to_owned(), kind };
    let words: Vec<Word> = match placeholder {
        Some(mark) if !mark.is_empty() => {
            let replace = |word: &Word| match word.text.find(&mark) {
                Some(at) => unseen(&word.text[..at], Kind::Text),
                None => word.clone(),
            };
            rest.iter().map(replace).collect()
        }
        Some(_) => return Verdict::opaque("an option of xargs that is not known"),
        None => rest.iter().cloned().chain([unseen("", Kind::Unknown)]).collect(),
    };
    inner(&words)
}

fn shell(name: &str, arguments: &[Word]) -> Verdict {
    if let [only] = arguments
        && only.as_literal() == Some("--version")
    {
        return Verdict::default();
    }
    let options: Vec<&str> =
        arguments.iter().map_while(Word::as_literal).take_while(|text| text.starts_with('-')).collect();
    let harmless = |text: &str| {
        let letters = text.trim_start_matches('-');
        matches!(text, "--norc" | "--noprofile" | "--posix")
            || (!text.starts_with("--") && letters.chars().all(|c| "ceufx".contains(c)))
    };
    let ends_in_c = options.last().is_some_and(|option| !option.starts_with("--") && option.contains('c'));
    let only_one_c = options.iter().filter(|option| !option.starts_with("--") && option.contains('c')).count() == 1;
    let line = arguments.get(options.len()).and_then(Word::as_literal);
    match line {
        Some(line) if ends_in_c && only_one_c => {
            let inner = vec![Inner::Line(line.to_owned())];
            let effects = if options.iter().all(|option| harmless(option)) && name != "fish" {
                Vec::new()
            } else {
                vec![Effect::Command(format!("{name} may read start-up files"))]
            };
            Verdict { effects, inner, is_opaque: false }
        }
        _ => Verdict::opaque(format!("what {name} runs is not known")),
    }
}

fn eval(arguments: &[Word]) -> Verdict {
    let words: Option<Vec<&str>> = arguments.iter().map(Word::as_literal).collect();
    match words {
        Some(words) => Verdict { inner: vec![Inner::Line(words.join(" "))], ..Verdict::default() },
        None => Verdict::opaque("what eval runs is not known"),
    }
}
