//! What a simple command would do: harmless reading, development, or something to ask about. Wrappers are opened
//! up, and both they and what they run are judged.

use super::arguments;
use super::programs::{self, Argument, Class, only_says_version};
use super::shell::{Dirs, Kind, NotUnderstood, Simple, Word, parse};
use super::special;
use std::path::Path;

/// One thing that a part would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    /// Reads files named by this word.
    Read(Word),
    /// Writes the file named by this word.
    Write(Word),
    /// Builds, checks or tests the project.
    Develop,
    /// Something that is not known to be harmless; why.
    Command(String),
    /// Shows secrets, such as the environment.
    Secret(String),
}

/// A part of a command line, judged by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Part {
    /// Its source, for people.
    pub(super) text: String,
    /// The command as one line in the forms that a rule that allows may mean; empty for a redirection alone.
    pub(super) lines: Vec<String>,
    /// The same for rules that forbid: whatever the path of the program and git's global options.
    pub(super) all_lines: Vec<String>,
    /// Words that may name files, for a program of which nothing is known.
    pub(super) mentions: Vec<Word>,
    /// What it would do; nothing means harmless.
    pub(super) effects: Vec<Effect>,
    /// Where it would do it.
    pub(super) dirs: Dirs,
    /// True when it runs something that cannot be seen.
    pub(super) is_opaque: bool,
}

/// Wrappers nested deeper than this are not opened.
const DEEPEST: usize = 8;

/// All parts of a command line, wrappers opened.
pub(super) fn parts(command: &str, dir: &Path, home: Option<&Path>) -> Result<Vec<Part>, NotUnderstood> {
    let mut parts = Vec::new();
    for simple in parse(command, Dirs::one(dir.to_owned()), home)? {
        open(simple, home, &mut parts, 0)?;
    }
    Ok(parts)
}

/// Judges a simple command, and what it would run in turn.
fn open(simple: Simple, home: Option<&Path>, parts: &mut Vec<Part>, depth: usize) -> Result<(), NotUnderstood> {
    if depth > DEEPEST {
        return Err(NotUnderstood::because("it is wrapped too deeply"));
    }
    let mut effects = redirections(&simple);
    effects.extend(assignments(&simple));
    let (lines, all_lines) = lines(&simple.words);
    let mut part = Part {
        text: simple.text.clone(),
        lines,
        all_lines,
        mentions: Vec::new(),
        effects: Vec::new(),
        dirs: simple.dirs.clone(),
        is_opaque: false,
    };
    let verdict = program(&simple.words);
    part.is_opaque = verdict.is_opaque;
    if verdict.effects.iter().any(|effect| matches!(effect, Effect::Command(_))) {
        part.mentions = simple.words.iter().skip(1).filter(|word| word.is_known()).cloned().collect();
    }
    effects.extend(verdict.effects);
    part.effects = effects;
    parts.push(part);
    for inner in verdict.inner {
        match inner {
            Inner::Words(words) => {
                let text = words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
                let inner =
                    Simple { text, words, assignments: Vec::new(), redirects: Vec::new(), dirs: simple.dirs.clone() };
                open(inner, home, parts, depth + 1)?;
            }
            Inner::Line(line) => {
                for inner in parse(&line, simple.dirs.clone(), home)? {
                    open(inner, home, parts, depth + 1)?;
                }
            }
        }
    }
    Ok(())
}

/// What a program does, and what it runs in turn.
#[derive(Debug, Default)]
pub(super) struct Verdict {
    pub(super) effects: Vec<Effect>,
    pub(super) inner: Vec<Inner>,
    pub(super) is_opaque: bool,
}

/// A command that a wrapper runs.
#[derive(Debug)]
pub(super) enum Inner {
    /// As words.
    Words(Vec<Word>),
    /// As a command line for a shell.
    Line(String),
}

impl Verdict {
    /// Something to ask about.
    pub(super) fn ask(reason: impl Into<String>) -> Self {
        Self { effects: vec![Effect::Command(reason.into())], ..Self::default() }
    }

    /// Something to ask about that may run what cannot be seen.
    pub(super) fn opaque(reason: impl Into<String>) -> Self {
        Self { is_opaque: true, ..Self::ask(reason) }
    }
}

fn redirections(simple: &Simple) -> Vec<Effect> {
    let targets =
        simple.redirects.iter().flat_map(|redirect| redirect.targets.iter().map(|word| (redirect.writes, word)));
    let harmless = ["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/stdin", "/dev/tty"];
    targets
        .filter(|(_, word)| word.as_literal().is_none_or(|path| !harmless.contains(&path)))
        .filter(|(writes, word)| *writes || word.kind != Kind::Stream)
        .map(|(writes, word)| if writes { Effect::Write(word.clone()) } else { Effect::Read(word.clone()) })
        .collect()
}

/// Variables in the environment of a command can load or configure programs; so only harmless ones pass.
fn assignments(simple: &Simple) -> Vec<Effect> {
    let odd = |name: &str, is_environment: bool| !is_harmless_variable(name, is_environment);
    let all = simple.assignments.iter().filter(|assignment| odd(&assignment.name, assignment.is_environment));
    let unknown = simple.assignments.iter().filter(|assignment| assignment.is_environment && !assignment.is_literal);
    all.map(|assignment| Effect::Command(format!("it sets {}, which programs may act on", assignment.name)))
        .chain(unknown.map(|assignment| Effect::Command(format!("the value of {} is not known", assignment.name))))
        .collect()
}

pub(super) fn is_harmless_variable(name: &str, is_environment: bool) -> bool {
    let known = [
        "LANG",
        "LANGUAGE",
        "TZ",
        "NO_COLOR",
        "FORCE_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "COLUMNS",
        "LINES",
        "TERM",
        "RUST_BACKTRACE",
        "RUST_LOG",
        "RUST_MIN_STACK",
        "CI",
        "CARGO_TERM_COLOR",
        "CARGO_INCREMENTAL",
        "PYTHONDONTWRITEBYTECODE",
        "PYTHONUNBUFFERED",
        "PYTHONHASHSEED",
        "NODE_ENV",
        "DEBUG",
        "GOOS",
        "GOARCH",
        "CGO_ENABLED",
        "GIT_PAGER_IN_USE",
        "PROPTEST_CASES",
        "INSTA_UPDATE",
        "GOMAXPROCS",
        "RAYON_NUM_THREADS",
        "OMP_NUM_THREADS",
        "FORCE",
        "VERBOSE",
        "COLOR",
        "COLORTERM",
    ];
    let is_local = !is_environment
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.contains("proxy")
        && !matches!(name, "histchars" | "prompt" | "path" | "cdpath" | "fpath" | "manpath");
    known.contains(&name) || name.starts_with("LC_") || is_local
}

/// The command in the forms that rules may mean: as it is, with the program's name alone, and for git without
/// its global options. A rule that allows must not be taken to mean a program of that name somewhere else, or
/// options that change what git runs; one that forbids may.
fn lines(words: &[Word]) -> (Vec<String>, Vec<String>) {
    if words.is_empty() {
        return (Vec::new(), Vec::new());
    }
    let plain = |name: &str, rest: &[Word]| {
        std::iter::once(name.to_owned()).chain(rest.iter().map(shown)).collect::<Vec<_>>().join(" ")
    };
    let name = base_name(&words[0].text);
    let mut own = vec![plain(&shown(&words[0]), &words[1..])];
    let name = shown(&Word::literal(name));
    let mut all = vec![plain(&name, &words[1..])];
    let is_system = words[0].as_literal().is_some_and(is_system_path);
    if name == "git" {
        let call = special::git_call(&words[1..]);
        all.push(plain(&name, call.rest));
        if is_system && !call.is_risky && call.dirs.is_empty() {
            own.push(plain(&name, call.rest));
        }
    }
    if is_system {
        own.push(plain(&name, &words[1..]));
    }
    all.extend(own.iter().cloned());
    own.dedup();
    (own, all)
}

/// A word as a rule would write it; one with blanks or quotes in it is quoted, so that it cannot pass for two.
fn shown(word: &Word) -> String {
    let is_plain =
        !word.text.is_empty() && word.text.chars().all(|c| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\'));
    match (word.kind, is_plain) {
        (Kind::Unknown | Kind::Text | Kind::Found, _) => format!("{}…", word.text),
        (_, true) => word.text.clone(),
        (_, false) => format!("'{}'", word.text.replace('\'', "'\\''")),
    }
}

/// A program's name without its directory.
pub(super) fn base_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

/// Whether a program is called by its name alone, or from a directory of the system.
fn is_system_path(program: &str) -> bool {
    let dirs = ["/bin/", "/usr/bin/", "/usr/local/bin/", "/sbin/", "/usr/sbin/", "/opt/homebrew/bin/"];
    !program.contains('/') || dirs.iter().any(|dir| program.strip_prefix(dir).is_some_and(|name| !name.contains('/')))
}

/// Judges a program with its arguments.
fn program(words: &[Word]) -> Verdict {
    let Some(first) = words.first() else { return Verdict::default() };
    let Some(path) = first.as_literal() else {
        return Verdict::opaque("which program it runs is not known before it runs");
    };
    let name = base_name(path);
    if let Some(mut verdict) = special::judge(name, &words[1..]) {
        if !is_system_path(path) {
            verdict.effects.push(Effect::Command(format!("{path} is not a program of the system")));
        }
        return verdict;
    }
    if !is_system_path(path) {
        return Verdict::opaque(format!("{path} is not a program of the system"));
    }
    if let [_, only] = words
        && only.as_literal().is_some_and(|only| only_says_version(name, only))
    {
        return Verdict::default();
    }
    // `cargo +nightly test` is cargo's test by another toolchain that is installed.
    let is_toolchain = |word: &Word| name == "cargo" && word.as_literal().is_some_and(|text| text.starts_with('+'));
    match &words[1..] {
        arguments if name == "git" => git(arguments),
        [first, rest @ ..] if is_toolchain(first) => by_table(name, rest),
        arguments => by_table(name, arguments),
    }
}

/// Git by its subcommand, in the directory that its options name.
fn git(arguments: &[Word]) -> Verdict {
    let call = special::git_call(arguments);
    if call.is_risky {
        return Verdict::opaque("git's global options can run programs");
    }
    let mut verdict = by_table("git", call.rest);
    verdict.effects.extend(call.dirs.into_iter().cloned().map(Effect::Read));
    verdict
}

/// Options that make a program list, whatever its operands are.
const LISTING: &[(&str, &str, &[&str])] = &[
    ("rg", "rg --files", &["--files"]),
    ("git branch", "git branch --list", &["--list", "-l", "--merged", "--no-merged", "--contains", "--no-contains"]),
    ("git tag", "git tag --list", &["--list", "-l", "--merged", "--no-merged", "--contains", "--no-contains"]),
];

/// Looks the program up with up to two words of subcommand, the longest name first.
fn by_table(name: &str, arguments: &[Word]) -> Verdict {
    let literal = |at: usize| arguments.get(at).and_then(Word::as_literal);
    let safe_script = |word: &str| if programs::is_safe_script(word) { "SAFE".to_owned() } else { word.to_owned() };
    for taken in (0..=2usize).rev() {
        let subcommand: Option<Vec<&str>> = (0..taken).map(literal).collect();
        let Some(subcommand) = subcommand else { continue };
        let mut full = std::iter::once(name).chain(subcommand.iter().copied()).map(str::to_owned).collect::<Vec<_>>();
        if full.len() == 3 && matches!(full[1].as_str(), "run" | "run-script") {
            full[2] = safe_script(&full[2]);
        }
        let full = full.join(" ");
        if let Some(program) = programs::find(&full) {
            // An option that is part of the name is still held against the line.
            let is_module = subcommand.first() == Some(&"-m");
            let own = subcommand.iter().take_while(|word| is_module || !word.starts_with('-')).count();
            let rest = &arguments[own..];
            let listing = LISTING.iter().find(|(of, _, options)| *of == full && lists(program, options, rest));
            return match listing.and_then(|(_, name, _)| programs::find(name)) {
                Some(listing) => against(&full, listing, rest),
                None => against(&full, program, rest),
            };
        }
    }
    Verdict::ask(format!("{} is not known to be harmless", summary(name, arguments)))
}

/// Whether one of these options is given, and not as another's value.
fn lists(program: &programs::Program, options: &[&str], arguments: &[Word]) -> bool {
    let mut rest = arguments.iter().map(|word| word.text.as_str());
    while let Some(text) = rest.next() {
        let name = text.split('=').next().unwrap_or(text);
        if text == "--" {
            return false;
        }
        if options.contains(&name) {
            return true;
        }
        let takes_next = !matches!(program.options.get(text), None | Some(Argument::None | Argument::Optional));
        if takes_next {
            rest.next();
        }
    }
    false
}

/// Judges a program by its line alone.
pub(super) fn against_table(name: &str, arguments: &[Word]) -> Verdict {
    match programs::find(name) {
        Some(program) => against(name, program, arguments),
        None => Verdict::ask(format!("{name} is not known to be harmless")),
    }
}

fn against(name: &str, program: &programs::Program, arguments: &[Word]) -> Verdict {
    match arguments::check(program, arguments) {
        Ok(touched) => {
            let is_development = program.class == Class::Develop;
            // A formatter changes what it is given; files that run code later are not for it.
            let changes = touched
                .reads
                .iter()
                .filter(|word| is_development && super::paths::runs_later(Path::new(&word.text)))
                .cloned()
                .map(Effect::Write);
            let mut effects: Vec<Effect> = changes.collect();
            effects.extend(touched.reads.into_iter().map(Effect::Read));
            effects.extend(touched.writes.into_iter().map(|path| Effect::Write(Word::literal(path))));
            effects.extend(
                touched
                    .secret
                    .map(|pattern| Effect::Secret(format!("{pattern} may stand for files that hold secrets"))),
            );
            if is_development {
                effects.push(Effect::Develop);
            }
            Verdict { effects, ..Verdict::default() }
        }
        Err(reason) => Verdict::ask(format!("{name}: {reason}")),
    }
}

/// The program with its subcommand, for a reason.
fn summary(name: &str, arguments: &[Word]) -> String {
    let with_subcommand =
        ["git", "cargo", "npm", "pnpm", "yarn", "go", "docker", "kubectl", "gh", "pip", "apt", "systemctl"];
    let subcommand =
        arguments.iter().find(|word| !word.text.starts_with('-')).filter(|_| with_subcommand.contains(&name));
    subcommand.map_or_else(|| name.to_owned(), |word| format!("{name} {}", word.text))
}
