//! The table of known programs, read: one line a program, with the options that are harmless and what its operands
//! are. The lines are in `readers.rs` and `develop.rs`.
//!
//! What is not there is not known to be harmless and is asked about; so is a known program with an option that
//! is not on its line. A name of several words is a program and its subcommand. Abbreviations are not known, and so
//! are refused.
//!
//! Operands: `R` files that are read, `R1` at most one, `R2` at most two, `P` a pattern first (unless an option
//! marked `!` gave it) and then files, `GP` the same with git's way to name files, `T` plain text (`T1` one), `G` and
//! `D` revisions, names and paths in any order, `MAKE` targets that build and test, `0` none.
//!
//! Options: `-x` takes nothing, `-x=` takes text, `-x=R` takes a file that is read, `-x=W` one that is written,
//! `-x=GLOB` a pattern of files to search, `-x=NAME` a name that is no path, `-x=TARGET` a target, `-x=PLUGIN` a
//! plugin to leave out, `-x=LINES` lines of a file, `-x?` may take text as `-x=…`, `-x#` may take a number, `-#` is a number, `-x=!` gives the
//! pattern, `-x=R!` a file with patterns, `*` stands for any. `~` says that an option with one dash is a word, `@`
//! that an operand such as `@file` would be read for options. What follows `--` may come after a `--`, and nothing
//! else; marked `!`, all but these parts.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::develop::{DEVELOPMENT, SHARED};
use super::readers::READERS;

/// A line: names, operands, options.
pub(super) type Line = (&'static str, &'static str, &'static str);

/// What running a known program means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// It only reads.
    Read,
    /// It builds, checks or tests the workspace's own project, which runs the project's code.
    Develop,
}

/// A line of the table, read.
#[derive(Debug)]
pub(super) struct Program {
    /// What running it means.
    pub(super) class: Class,
    /// What its operands are.
    pub(super) operands: Operands,
    /// Its harmless options, by their names with dashes.
    pub(super) options: HashMap<&'static str, Argument>,
    /// What may come after `--`; empty when anything may.
    pub(super) passed_on: Vec<&'static str>,
    /// Whether `-5` is an option.
    pub(super) takes_number: bool,
    /// Whether any option is harmless.
    pub(super) takes_any: bool,
    /// Whether `-abc` is one option, not three.
    pub(super) has_long_words: bool,
    /// Whether `@file` is a file with options.
    pub(super) refuses_at: bool,
}

/// What operands are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operands {
    /// None are taken.
    None,
    /// Files that are read, at most so many.
    Files(usize),
    /// A pattern, then files.
    PatternThenFiles,
    /// A pattern, then revisions and files.
    GitPatternThenFiles,
    /// Text without effect.
    Text,
    /// At most one text.
    OneText,
    /// Revisions, test names and the like; what looks like a path outside is read.
    Mixed,
    /// Targets of the kinds that build and test.
    Targets,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Argument {
    /// Nothing.
    None,
    /// Text.
    Text,
    /// Text, only as `--option=text`.
    Optional,
    /// A number, attached or next, or nothing.
    Number,
    /// The pattern, so that the first operand is none.
    Pattern,
    /// A file that holds patterns, which is read.
    PatternFile,
    /// A pattern of files to search.
    FileGlob,
    /// A name that must not be a path.
    Name,
    /// A target that must build or test.
    Target,
    /// A plugin, which may only be left out (`no:name`).
    Plugin,
    /// Lines of a file (`1,5:file`).
    Lines,
    /// A file that is read.
    Read,
    /// A file or directory that is written.
    Write,
}

/// The line of a program: its name, or its name and subcommand.
pub(super) fn find(name: &str) -> Option<&'static Program> {
    static TABLE: LazyLock<HashMap<&'static str, Program>> = LazyLock::new(|| {
        let read = READERS.iter().map(|line| (*line, Class::Read));
        let lines = read.chain(DEVELOPMENT.iter().map(|line| (*line, Class::Develop)));
        lines
            .flat_map(|((names, operands, options), class)| {
                names.split('|').map(move |name| (name, program(class, operands, options)))
            })
            .collect()
    });
    TABLE.get(name)
}

fn program(class: Class, operands: &str, options: &'static str) -> Program {
    let operands = match operands {
        "0" => Operands::None,
        "R1" => Operands::Files(1),
        "R2" => Operands::Files(2),
        "R" => Operands::Files(usize::MAX),
        "P" => Operands::PatternThenFiles,
        "GP" => Operands::GitPatternThenFiles,
        "T1" => Operands::OneText,
        "G" | "D" => Operands::Mixed,
        "MAKE" => Operands::Targets,
        _ => Operands::Text,
    };
    let mut program = Program {
        class,
        operands,
        options: HashMap::new(),
        passed_on: Vec::new(),
        takes_number: false,
        takes_any: options == "*",
        has_long_words: false,
        refuses_at: false,
    };
    let (own, passed_on) = options.split_once(" -- ").unwrap_or((options, ""));
    program.passed_on = passed_on.split_whitespace().collect();
    own.split_whitespace().for_each(|token| program.read(token));
    program
}

impl Program {
    /// One token of a line's options.
    fn read(&mut self, token: &'static str) {
        if let Some((_, shared)) = SHARED.iter().find(|(name, _)| *name == token) {
            let (own, passed_on) = shared.split_once(" -- ").unwrap_or((shared, ""));
            self.passed_on.extend(passed_on.split_whitespace());
            own.split_whitespace().for_each(|token| self.read(token));
            return;
        }
        match token {
            "-#" => self.takes_number = true,
            "~" => self.has_long_words = true,
            "@" => self.refuses_at = true,
            token => {
                let (name, argument) = read_option(token);
                self.options.insert(name, argument);
            }
        }
    }
}

fn read_option(token: &'static str) -> (&'static str, Argument) {
    if let Some(name) = token.strip_suffix('?') {
        return (name, Argument::Optional);
    }
    if let Some(name) = token.strip_suffix('#') {
        return (name, Argument::Number);
    }
    let Some((name, kind)) = token.split_once('=') else { return (token, Argument::None) };
    let argument = match kind {
        "R" => Argument::Read,
        "W" => Argument::Write,
        "!" => Argument::Pattern,
        "R!" => Argument::PatternFile,
        "GLOB" => Argument::FileGlob,
        "NAME" => Argument::Name,
        "TARGET" => Argument::Target,
        "PLUGIN" => Argument::Plugin,
        "LINES" => Argument::Lines,
        _ => Argument::Text,
    };
    (name, argument)
}

/// Programs that answer `--version` or `--help` and then end.
const VERSIONED: &str = "ansible apt aws bash black brew bun bundle cargo clang clang++ clippy-driver cmake cc c++ composer curl dart \
    deno docker dotnet elixir erl eslint ffmpeg flutter g++ gcc gdb gem gh ghc git go gradle helm java javac \
    jest jq julia kubectl ld llvm-config lua make meson mix mypy mvn mysql ninja node npm npx ocaml openssl perl \
    php pip pip3 pnpm poetry prettier psql pyright pytest python python2 python3 R rg rspec ruby ruff rustc \
    rustfmt rustup scala sed shellcheck sqlite3 swift tar terraform tmux tsc uv vim vitest wget yarn zig zsh \
    ctest fd pre-commit just nvim emacs golangci-lint kotlinc flake8 isort pylint coverage tox nox hatch pdm \
    pipenv virtualenv conda mamba sbt stack cabal nix nasm protoc buf cargo-clippy cargo-fmt wasm-pack trunk awk \
    gawk grep find diff sort ls cat tree xargs";

/// Whether an only argument makes a program say its version, or how it is used, and end.
pub(super) fn only_says_version(name: &str, argument: &str) -> bool {
    let known = || VERSIONED.split(' ').any(|program| program == name);
    let of = |names: &[&str]| names.contains(&name);
    match argument {
        "--version" | "--help" => known(),
        "-V" => {
            of(&["python", "python2", "python3", "pip", "pip3", "rustc", "cargo", "rg", "tmux", "uv", "fd", "ruff"])
        }
        "-v" => of(&["node", "npm", "pnpm", "yarn", "ruby", "php", "lua", "mvn", "gradle", "perl", "bun"]),
        "-version" => of(&["java", "javac", "ant", "scala", "ffmpeg"]),
        "version" => of(&["terraform", "helm", "zig", "gh", "openssl", "hugo", "deno", "buf"]),
        _ => false,
    }
}

/// Names of scripts in package.json that build, check, format, lint or test.
pub(super) fn is_safe_script(name: &str) -> bool {
    let starts = "test tests lint build check typecheck type-check types format fmt tsc eslint prettier unit coverage \
        compile validate verify vitest jest mypy ruff stylelint typings";
    let harmful = "publish deploy release push clean upload install docker update upgrade migrat seed drop delete remov \
        reset prune rm ssh remote start serve prod-db db sync send commit tag ship cloud aws s3 exec run-";
    let mut parts = name.split([':', '-', '_', '.']);
    let first = parts.next().unwrap_or_default();
    let has = |list: &str, word: &str| list.split_whitespace().any(|known| known == word);
    let begins = |word: &str| harmful.split_whitespace().any(|start| word.starts_with(start));
    has(starts, name) || (has(starts, first) && !parts.any(begins))
}

/// Targets of make and its kin that build, check, format, lint or test; a setting that only changes what is shown.
pub(super) fn is_safe_target(name: &str) -> bool {
    let shows = "V VERBOSE Q DEBUG RELEASE CI NO_COLOR COLOR";
    if let Some((setting, value)) = name.split_once('=') {
        return shows.split(' ').any(|known| known == setting) && value.chars().all(char::is_alphanumeric);
    }
    let others = "all debug docs doc lib lint-fix ci package assemble classes testClasses compileJava compileTestJava \
        compileKotlin spec rubocop ktlintCheck spotlessCheck";
    let own = name.rsplit(':').next().filter(|_| name.starts_with(':')).unwrap_or(name);
    is_safe_script(own) || others.split_whitespace().any(|known| known == own)
}
