//! Programs that a line of the table cannot describe: wrappers that run another command, shells and their
//! builtins, and programs with a language of their own (`find`, `sed`, `awk`).

use super::command::{Effect, Inner, Verdict, base_name};
use super::scripts;
use super::shell::{Kind, Word};

/// Programs that run what cannot be seen from outside.
const OPAQUE: &[&str] = &[
    "source",
    ".",
    "trap",
    "alias",
    "unalias",
    "hash",
    "enable",
    "bind",
    "complete",
    "coproc",
    "ssh",
    "docker",
    "podman",
    "kubectl",
    "nsenter",
    "chroot",
    "unshare",
    "script",
    "expect",
    "tmux",
    "screen",
    "busybox",
    "toybox",
    "watch",
    "parallel",
    "entr",
    "strace",
    "ltrace",
    "gdb",
    "lldb",
    "npx",
    "bunx",
    "pnpx",
    "uvx",
    "pipx",
    "flatpak",
    "snap",
    "at",
    "batch",
    "crontab",
    "systemd-run",
    "setpriv",
    "systemctl",
    "python",
    "python2",
    "python3",
    "node",
    "perl",
    "ruby",
    "php",
    "lua",
    "osascript",
    "Rscript",
    "tclsh",
    "ghci",
    "irb",
    "powershell",
    "pwsh",
    "vim",
    "vi",
    "ex",
    "ed",
    "emacs",
    "nano",
    "less",
    "more",
    "man",
    "start-stop-daemon",
    "daemonize",
    "dbus-run-session",
    "faketime",
    "proxychains",
    "torify",
    "firejail",
    "bwrap",
    "valgrind",
    "perf",
    "hyperfine",
    "entr",
    "inotifywait",
    "xvfb-run",
    "direnv",
    "nix",
    "nix-shell",
    "guix",
    "vagrant",
    "lxc-attach",
    "machinectl",
    "fakeroot",
    "flock",
    "rlwrap",
    "unbuffer",
    "socat",
    "nc",
    "ncat",
    "telnet",
];

/// Judges a program that is treated specially; `None` for all others.
pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Verdict> {
    let verdict = match name {
        "cd" | "pushd" => change_dir(arguments),
        "popd" | "dirs" | "wait" | "jobs" => Verdict::default(),
        "env" => env(arguments),
        "printenv" => secret("it shows the environment"),
        "export" | "declare" | "typeset" | "readonly" | "local" => declaration(arguments),
        "set" => set(arguments),
        "command" | "builtin" => command(arguments),
        "exec" | "nohup" | "time" | "setsid" | "nice" | "ionice" | "timeout" | "stdbuf" => wrapper(name, arguments),
        "sudo" | "doas" | "su" | "runuser" | "pkexec" => gains_rights(name, arguments),
        "xargs" => xargs(arguments),
        "find" => find(arguments),
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "fish" => shell(name, arguments),
        "eval" => eval(arguments),
        "sed" | "gsed" => scripts::sed(arguments),
        "awk" | "gawk" | "mawk" | "nawk" => scripts::awk(arguments),
        "jq" => return scripts::jq(arguments),
        "tee" => tee(arguments),
        "printf" if arguments.first().is_some_and(|word| word.text.starts_with("-v") || word.kind == Kind::Unknown) => {
            Verdict::ask("printf may set a variable")
        }
        "printf" => Verdict::default(),
        "read" => read(arguments)?,
        "test" | "[" if arguments.iter().any(|word| word.text.contains(['[', '`'])) && !arguments.is_empty() => {
            Verdict::ask("its test may evaluate a subscript")
        }
        "date" if arguments.iter().any(|word| !word.text.starts_with(['+', '-']) || word.kind == Kind::Unknown) => {
            date(arguments)?
        }
        "ps" if arguments.iter().any(|word| {
            !word.text.starts_with('-') && word.text.contains('e') && word.text.parse::<u32>().is_err()
        }) =>
        {
            secret("ps may show the environment of processes")
        }
        "git" if reflog_changes(arguments) => Verdict::ask("git reflog: it may drop entries"),
        name if OPAQUE.contains(&name) => return opaque(name, arguments),
        _ => return None,
    };
    Some(verdict)
}

/// Interpreters and the like, unless the table knows this very use of them (`python -m pytest`).
fn opaque(name: &str, arguments: &[Word]) -> Option<Verdict> {
    let first = arguments.first().and_then(Word::as_literal);
    let is_known = match (name, first) {
        ("python" | "python3", Some("-m")) => {
            let module = arguments.get(1).and_then(Word::as_literal);
            matches!(module, Some("pytest" | "unittest" | "py_compile" | "compileall"))
        }
        ("npx", Some(tool)) => {
            ["jest", "vitest", "mocha", "tsc", "vue-tsc", "eslint", "stylelint", "prettier", "biome"].contains(&tool)
        }
        (_, Some("--version" | "-V" | "version" | "-version")) => arguments.len() == 1,
        _ => false,
    };
    (!is_known).then(|| Verdict::opaque(format!("{name} can run anything")))
}

fn secret(reason: &str) -> Verdict {
    Verdict { effects: vec![Effect::Secret(reason.to_owned())], ..Verdict::default() }
}

fn inner(words: &[Word]) -> Verdict {
    Verdict { inner: vec![Inner::Words(words.to_vec())], ..Verdict::default() }
}

fn change_dir(arguments: &[Word]) -> Verdict {
    let target = match arguments {
        [] => Word { text: "~".to_owned(), kind: Kind::Literal },
        [dashes, target] if dashes.text == "--" => target.clone(),
        [target] if target.kind == Kind::Literal && !target.text.starts_with(['-', '+']) => target.clone(),
        _ => return Verdict::ask("where it changes to is not known"),
    };
    Verdict { effects: vec![Effect::Read(target)], ..Verdict::default() }
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
                if !super::command::is_harmless_variable(name, true) {
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

fn declaration(arguments: &[Word]) -> Verdict {
    let shows =
        arguments.iter().all(|word| matches!(word.as_literal(), Some("-p" | "-x" | "-f" | "-F" | "-px" | "-xp")));
    if shows { secret("it shows variables") } else { Verdict::ask("it declares what later commands may act on") }
}

fn set(arguments: &[Word]) -> Verdict {
    if arguments.is_empty() {
        return secret("it shows variables");
    }
    let known = ["errexit", "nounset", "xtrace", "pipefail", "noglob", "verbose"];
    let is_harmless = |word: &Word| {
        word.as_literal().is_some_and(|text| {
            let letters = text.trim_start_matches(['-', '+']);
            known.contains(&text)
                || (text.starts_with(['-', '+'])
                    && !letters.is_empty()
                    && letters.chars().all(|c| "euxofv".contains(c)))
        })
    };
    if arguments.iter().all(is_harmless) {
        Verdict::default()
    } else {
        Verdict::ask("set with these arguments is not known to be harmless")
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
            has_value && (!option.starts_with("--") || text[option.len()..].starts_with('='))
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
    let valued = [
        "-n",
        "-L",
        "-P",
        "-I",
        "-d",
        "-E",
        "-s",
        "--max-args",
        "--max-lines",
        "--max-procs",
        "--replace",
        "--delimiter",
        "--max-chars",
    ];
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
    let unseen = |text: &str| Word { text: text.to_owned(), kind: Kind::Unknown };
    let words: Vec<Word> = match placeholder {
        Some(mark) if !mark.is_empty() => {
            let replace = |word: &Word| match word.text.find(&mark) {
                Some(at) => unseen(&word.text[..at]),
                None => word.clone(),
            };
            rest.iter().map(replace).collect()
        }
        Some(_) => return Verdict::opaque("an option of xargs that is not known"),
        None => rest.iter().cloned().chain([unseen("")]).collect(),
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

fn tee(arguments: &[Word]) -> Verdict {
    let (options, files): (Vec<&Word>, Vec<&Word>) = arguments.iter().partition(|word| word.text.starts_with('-'));
    if options.iter().any(|option| !matches!(option.as_literal(), Some("-a" | "-i" | "--append" | "-"))) {
        return Verdict::ask("tee: an option that is not known");
    }
    let harmless = ["/dev/null", "/dev/stderr", "/dev/stdout"];
    let files = files.into_iter().filter(|file| file.as_literal().is_none_or(|path| !harmless.contains(&path)));
    Verdict { effects: files.cloned().map(Effect::Write).collect(), ..Verdict::default() }
}

/// `read` sets variables; only those of the script's own are harmless.
fn read(arguments: &[Word]) -> Option<Verdict> {
    let is_own = |word: &Word| {
        word.as_literal().is_some_and(|name| {
            name.starts_with('-') || name.parse::<f64>().is_ok() || super::command::is_harmless_variable(name, false)
        })
    };
    if arguments.iter().all(is_own) {
        None
    } else {
        Some(Verdict::ask("read sets a variable that programs may act on"))
    }
}

/// An operand of `date` that is no format sets the clock.
fn date(arguments: &[Word]) -> Option<Verdict> {
    let mut takes_value = false;
    for word in arguments {
        let text = word.as_literal().unwrap_or_default();
        if !takes_value && !text.starts_with(['+', '-']) {
            return Some(Verdict::ask("date may set the clock"));
        }
        takes_value = !takes_value && matches!(text, "-d" | "-r" | "--date" | "--reference");
    }
    None
}

/// The arguments of git after its harmless global options; `None` when there are others.
pub(super) fn without_git_globals(arguments: &[Word]) -> Option<&[Word]> {
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_literal() {
            Some("--no-pager" | "-P" | "--no-optional-locks" | "--literal-pathspecs" | "--no-replace-objects") => {
                rest = after
            }
            Some("-C") if after.first()?.as_literal().is_some_and(is_below) => rest = &after[1..],
            Some("--version") => return Some(rest),
            Some(text) if text.starts_with('-') => return None,
            _ => return Some(rest),
        }
    }
    Some(rest)
}

/// Whether tar's first argument only lists an archive: `-tzf`.
pub(super) fn is_tar_list(word: &Word) -> bool {
    let letters = word.as_literal().and_then(|text| text.strip_prefix('-')).unwrap_or_default();
    letters.contains('t') && letters.chars().all(|c| "tvzjJf".contains(c))
}

/// Whether a directory is plainly below the current one.
fn is_below(path: &str) -> bool {
    !path.starts_with(['/', '~', '-']) && path.split('/').all(|part| part != "..")
}

fn reflog_changes(arguments: &[Word]) -> bool {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    words.contains(&"reflog") && words.iter().any(|word| matches!(*word, "expire" | "delete" | "drop" | "write"))
}

/// What find's tests and actions take, for those that only look.
fn find_argument_count(name: &str) -> Option<usize> {
    let none = [
        "-print",
        "-print0",
        "-ls",
        "-prune",
        "-quit",
        "-depth",
        "-d",
        "-xdev",
        "-mount",
        "-empty",
        "-true",
        "-false",
        "-not",
        "!",
        "-a",
        "-and",
        "-o",
        "-or",
        ",",
        "(",
        ")",
        "-executable",
        "-readable",
        "-writable",
        "-nouser",
        "-nogroup",
        "-daystart",
        "-follow",
        "-noleaf",
        "-ignore_readdir_race",
        "-noignore_readdir_race",
        "-warn",
        "-nowarn",
    ];
    let one = [
        "-name",
        "-iname",
        "-path",
        "-ipath",
        "-wholename",
        "-iwholename",
        "-regex",
        "-iregex",
        "-regextype",
        "-type",
        "-xtype",
        "-size",
        "-mtime",
        "-atime",
        "-ctime",
        "-mmin",
        "-amin",
        "-cmin",
        "-newer",
        "-anewer",
        "-cnewer",
        "-maxdepth",
        "-mindepth",
        "-perm",
        "-user",
        "-group",
        "-uid",
        "-gid",
        "-links",
        "-inum",
        "-samefile",
        "-lname",
        "-ilname",
        "-fstype",
        "-used",
        "-printf",
        "-newermt",
        "-newerct",
        "-newerat",
        "-context",
    ];
    if none.contains(&name) { Some(0) } else { one.contains(&name).then_some(1) }
}

fn find(arguments: &[Word]) -> Verdict {
    let mut verdict = Verdict::default();
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_literal() {
            Some("-H" | "-L" | "-P") => rest = after,
            Some(text) if text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",") => break,
            _ => {
                verdict.effects.push(Effect::Read(word.clone()));
                rest = after;
            }
        }
    }
    while let Some((word, after)) = rest.split_first() {
        let Some(name) = word.as_literal() else { return Verdict::opaque("find: an argument that is not known") };
        rest = match name {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let end = after.iter().position(|word| matches!(word.as_literal(), Some(";" | "+")));
                let Some(end) = end else { return Verdict::opaque("find: the end of -exec is not clear") };
                let found = |word: &Word| {
                    if word.text.contains("{}") {
                        Word { text: String::new(), kind: Kind::Unknown }
                    } else {
                        word.clone()
                    }
                };
                verdict.inner.push(Inner::Words(after[..end].iter().map(found).collect()));
                &after[end + 1..]
            }
            "-newer" | "-samefile" | "-anewer" | "-cnewer" if !after.is_empty() => {
                verdict.effects.push(Effect::Read(after[0].clone()));
                &after[1..]
            }
            name => match find_argument_count(name) {
                Some(count) if after.len() >= count => &after[count..],
                _ => return Verdict::ask(format!("find: {} is not known to be harmless", base_name(name))),
            },
        };
    }
    verdict
}
