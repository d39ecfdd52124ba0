//! What a simple command would do: harmless reading, development, or something to ask about. Wrappers are opened
//! up, and both they and what they run are judged.

use super::arguments;
use super::programs::{self, Class, VERSIONED};
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
    /// The command as one line in the forms that rules may mean; empty for a redirection alone.
    pub(super) lines: Vec<String>,
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
    let mut part = Part {
        text: simple.text.clone(),
        lines: lines(&simple.words),
        effects: Vec::new(),
        dirs: simple.dirs.clone(),
        is_opaque: false,
    };
    let verdict = program(&simple.words);
    part.is_opaque = verdict.is_opaque;
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
        "PYTEST_ADDOPTS_NONE",
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
/// its global options.
fn lines(words: &[Word]) -> Vec<String> {
    if words.is_empty() {
        return Vec::new();
    }
    let plain = |words: &[Word]| words.iter().map(shown).collect::<Vec<_>>().join(" ");
    let mut lines = vec![plain(words)];
    let name = base_name(&words[0].text);
    if name != words[0].text {
        let mut named = words.to_vec();
        named[0] = Word::literal(name);
        lines.push(plain(&named));
    }
    if name == "git"
        && let Some(rest) = special::without_git_globals(&words[1..])
    {
        let short: Vec<Word> = std::iter::once(Word::literal("git")).chain(rest.iter().cloned()).collect();
        lines.push(plain(&short));
    }
    lines.dedup();
    lines
}

/// A word as a rule would write it; one with blanks or quotes in it is quoted, so that it cannot pass for two.
fn shown(word: &Word) -> String {
    let is_plain =
        !word.text.is_empty() && word.text.chars().all(|c| !c.is_whitespace() && !matches!(c, '\'' | '"' | '\\'));
    match (word.kind, is_plain) {
        (Kind::Unknown, _) => format!("{}…", word.text),
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
        && VERSIONED.contains(&name)
        && matches!(only.as_literal(), Some("--version" | "-V" | "-version" | "version"))
    {
        return Verdict::default();
    }
    let arguments = if name == "git" {
        match special::without_git_globals(&words[1..]) {
            Some(rest) => rest,
            None => return Verdict::opaque("git's global options can run programs"),
        }
    } else {
        &words[1..]
    };
    // `cargo +nightly test` is cargo's test by another toolchain that is installed.
    let names_toolchain =
        name == "cargo" && arguments.first().and_then(Word::as_literal).is_some_and(|word| word.starts_with('+'));
    by_table(name, &arguments[usize::from(names_toolchain)..])
}

/// Looks the program up with up to two words of subcommand, the longest name first.
fn by_table(name: &str, arguments: &[Word]) -> Verdict {
    let lists_files = name == "rg" && arguments.iter().any(|word| word.text == "--files");
    if let Some(program) = programs::find("rg --files").filter(|_| lists_files) {
        return against("rg --files", program, arguments);
    }
    let lists_archive = name == "tar" && arguments.first().is_some_and(special::is_tar_list);
    if let Some(program) = programs::find("tar -t").filter(|_| lists_archive) {
        return against("tar -t", program, arguments);
    }
    let literal = |at: usize| arguments.get(at).and_then(Word::as_literal);
    let safe_script = |word: &str| if programs::is_safe_script(word) { "SAFE".to_owned() } else { word.to_owned() };
    for taken in (0..=2usize).rev() {
        let subcommand: Option<Vec<&str>> = (0..taken).map(literal).collect();
        let Some(subcommand) = subcommand else { continue };
        let mut full = std::iter::once(name).chain(subcommand.iter().copied()).map(str::to_owned).collect::<Vec<_>>();
        if full.len() == 3 && matches!(full[1].as_str(), "run" | "run-script") {
            full[2] = safe_script(&full[2]);
        }
        let is_option_name = subcommand.last().is_some_and(|word| word.starts_with('-'));
        if let Some(program) = programs::find(&full.join(" ")) {
            let rest = if is_option_name { arguments } else { &arguments[taken..] };
            return against(&full.join(" "), program, rest);
        }
    }
    Verdict::ask(format!("{} is not known to be harmless", summary(name, arguments)))
}

fn against(name: &str, program: &programs::Program, arguments: &[Word]) -> Verdict {
    match arguments::check(program, arguments) {
        Ok(touched) => {
            let mut effects: Vec<Effect> = touched.reads.into_iter().cloned().map(Effect::Read).collect();
            effects.extend(touched.reads_in_option.into_iter().map(|path| Effect::Read(Word::literal(path))));
            effects.extend(touched.writes.into_iter().map(|path| Effect::Write(Word::literal(path))));
            if program.class == Class::Develop {
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
