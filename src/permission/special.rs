//! Programs that a line of the table cannot describe: wrappers that run another command, shells and their
//! builtins, and programs with a language of their own (`find`, `sed`, `awk`).

use super::command::{Effect, Inner, Verdict, base_name};
use super::shell::{Kind, Word};
use super::{awk, scripts};

/// Programs that run what cannot be seen from outside.
const OPAQUE: &str = "source . trap alias unalias hash enable bind complete coproc ssh docker podman kubectl nsenter chroot \
    unshare script expect tmux screen busybox toybox watch parallel entr strace ltrace gdb lldb npx bunx pnpx \
    uvx pipx flatpak snap at batch crontab systemd-run setpriv systemctl python python2 python3 node perl ruby \
    php lua osascript Rscript tclsh ghci irb powershell pwsh vim vi ex ed emacs nano less more man \
    start-stop-daemon daemonize dbus-run-session faketime proxychains torify firejail bwrap valgrind perf \
    hyperfine inotifywait xvfb-run direnv nix nix-shell guix vagrant lxc-attach machinectl fakeroot flock rlwrap \
    unbuffer socat nc ncat telnet";

/// Modules of Python that the table knows.
const PYTHON_MODULES: &[&str] =
    &["pytest", "unittest", "py_compile", "compileall", "json.tool", "mypy", "black", "flake8", "isort", "ruff"];

/// Judges a program that is treated specially; `None` for all others.
pub(super) fn judge(name: &str, arguments: &[Word]) -> Option<Verdict> {
    if let Some(verdict) = super::wrappers::judge(name, arguments) {
        return Some(verdict);
    }
    let verdict = match name {
        "cd" | "pushd" => change_dir(arguments),
        "popd" | "dirs" | "wait" | "jobs" => Verdict::default(),
        "printenv" => secret("it shows the environment"),
        "export" | "declare" | "typeset" | "readonly" | "local" => declaration(arguments),
        "set" => set(arguments),
        "find" => find(arguments),
        "sed" | "gsed" => scripts::sed(arguments),
        "awk" | "gawk" | "mawk" | "nawk" => awk::awk(arguments),
        "jq" => scripts::jq(arguments)?,
        "tar" | "bsdtar" | "gtar" => tar(arguments),
        "ps" => ps(arguments)?,
        "tee" => tee(arguments),
        "printf" if arguments.first().is_some_and(Word::may_be_option) && !is_dashes(&arguments[0]) => {
            Verdict::ask("printf may set a variable")
        }
        "printf" => Verdict::default(),
        "read" => read(arguments),
        "test" | "[" if may_evaluate(arguments) => Verdict::ask("its test may evaluate a variable's name"),
        "date" if arguments.iter().any(|word| !word.text.starts_with(['+', '-']) || !word.is_known()) => {
            date(arguments)?
        }
        "git" if reflog_changes(arguments) => Verdict::ask("git reflog: it may drop entries"),
        name if OPAQUE.split(' ').any(|opaque| opaque == name) => return opaque(name, arguments),
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
            PYTHON_MODULES.contains(&module.unwrap_or_default())
        }
        ("npx", Some(tool)) => {
            ["jest", "vitest", "mocha", "tsc", "vue-tsc", "eslint", "stylelint", "prettier", "biome"].contains(&tool)
        }
        (name, Some(only)) => arguments.len() == 1 && super::programs::only_says_version(name, only),
        _ => false,
    };
    (!is_known).then(|| Verdict::opaque(format!("{name} can run anything")))
}

fn secret(reason: &str) -> Verdict {
    Verdict { effects: vec![Effect::Secret(reason.to_owned())], ..Verdict::default() }
}

fn is_dashes(word: &Word) -> bool {
    word.as_literal() == Some("--")
}

/// Whether `test` may look up a variable by a name that it is given (`-v`, `-R`), whose subscript would run.
pub(super) fn may_evaluate(words: &[Word]) -> bool {
    let looks_up = words.iter().any(|word| matches!(word.text.as_str(), "-v" | "-R"));
    let is_plain = |word: &Word| word.kind == Kind::Literal && !word.text.contains(['[', '`', '$', '(']);
    // Of two unknown words the first may be such an operator.
    let is_hidden = words.windows(2).any(|pair| pair.iter().all(|word| !word.is_known()));
    let is_alone = words.iter().any(|word| word.kind == Kind::Unknown) && words.len() < 3;
    is_hidden || (looks_up && !words.iter().all(is_plain)) || (is_alone && words.len() == 2 && !words[0].is_known())
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
fn read(arguments: &[Word]) -> Verdict {
    let is_own = |name: &str| super::command::is_harmless_variable(name, false);
    let mut rest = arguments.iter().map(Word::as_literal);
    while let Some(word) = rest.next() {
        let Some(text) = word else { return Verdict::ask("what read sets is not known") };
        let is_harmless = match text.strip_prefix('-') {
            None => is_own(text),
            Some("a") => rest.next().flatten().is_some_and(is_own),
            Some("d" | "n" | "N" | "p" | "t" | "u") => rest.next().is_some(),
            Some(flags) => {
                let letters = flags.trim_start_matches(['r', 's', 'e']);
                let value = letters.get(1..).unwrap_or_default();
                match letters.chars().next() {
                    None => true,
                    Some('a') if value.is_empty() => rest.next().flatten().is_some_and(is_own),
                    Some('a') => is_own(value),
                    Some('d' | 'n' | 'N' | 'p' | 't' | 'u') => !value.is_empty() || rest.next().is_some(),
                    Some(_) => false,
                }
            }
        };
        if !is_harmless {
            return Verdict::ask("read sets a variable that programs may act on");
        }
    }
    Verdict::default()
}

/// `ps` with an `e` among its old-style letters, or with that column, shows environments.
fn ps(arguments: &[Word]) -> Option<Verdict> {
    let mut shows = false;
    let mut rest = arguments.iter();
    let mut others = Vec::new();
    while let Some(word) = rest.next() {
        let text = word.as_literal().unwrap_or("e");
        if text.contains("env") && !text.starts_with("--") {
            shows = true;
        } else if text.starts_with('-') {
            others.push(word.clone());
            let takes_value = ["-o", "-p", "-u", "-U", "-t", "-C", "-g", "-q"].contains(&text);
            if takes_value {
                let value = rest.next();
                shows |= value.is_some_and(|value| value.text.contains("env") || !value.is_known());
                others.extend(value.cloned());
            }
        } else {
            let letters = text.chars().all(|c| "auxlwfjhrgvsmcnTtSXZL0123456789,".contains(c));
            shows |= !letters;
        }
    }
    if shows {
        return Some(secret("ps may show the environment of programs"));
    }
    let program = super::programs::find("ps")?;
    super::arguments::check(program, &others)
        .is_err()
        .then(|| Verdict::ask("ps: an option that is not known"))
        .or_else(|| Some(Verdict::default()))
}

/// `tar` that only lists what is in a local archive. Its first argument may be letters without a dash.
fn tar(arguments: &[Word]) -> Verdict {
    let mut words = arguments.to_vec();
    let Some(first) = words.first().and_then(Word::as_literal) else { return Verdict::ask("tar: no options") };
    if first == "--version" {
        return Verdict::default();
    }
    if !first.starts_with('-') {
        // Letters without a dash take their values in turn; only the archive's name has one here.
        let letters = format!("-{}", first.replace('f', "")) + if first.contains('f') { "f" } else { "" };
        words[0] = Word::literal(letters);
    }
    let lists = words.iter().filter_map(Word::as_literal).any(|text| {
        text == "--list"
            || (text.starts_with('-')
                && !text.starts_with("--")
                && text.split('f').next().is_some_and(|letters| letters.contains('t')))
    });
    let Some(program) = super::programs::find("tar -t").filter(|_| lists) else {
        return Verdict::ask("tar does more than list");
    };
    match super::arguments::check(program, &words) {
        Err(reason) => Verdict::ask(format!("tar: {reason}")),
        // A colon makes the archive one on another machine.
        Ok(touched) if touched.reads.iter().any(|file| !file.is_known() || file.text.contains(':')) => {
            Verdict::ask("tar: the archive may be on another machine")
        }
        Ok(touched) => Verdict { effects: touched.reads.into_iter().map(Effect::Read).collect(), ..Verdict::default() },
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

/// Git's arguments, taken apart.
pub(super) struct GitCall<'a> {
    /// From the subcommand on.
    pub(super) rest: &'a [Word],
    /// Directories that `-C` names.
    pub(super) dirs: Vec<&'a Word>,
    /// Whether a global option may load a configuration or run a program.
    pub(super) is_risky: bool,
}

/// Takes git's global options away. An option that is not known takes nothing with it.
pub(super) fn git_call(arguments: &[Word]) -> GitCall<'_> {
    let harmless = [
        "--no-pager",
        "-P",
        "--no-optional-locks",
        "--literal-pathspecs",
        "--no-replace-objects",
        "--no-lazy-fetch",
        "--no-advice",
    ];
    let valued = ["-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env", "--attr-source"];
    let mut call = GitCall { rest: arguments, dirs: Vec::new(), is_risky: false };
    while let Some((word, after)) = call.rest.split_first() {
        let text = word.text.as_str();
        if !text.starts_with('-') || text == "--version" {
            break;
        }
        call.rest = after;
        match text {
            "-C" => {
                call.dirs.extend(after.first());
                call.rest = after.get(1..).unwrap_or_default();
            }
            "-c" => {
                call.is_risky |= !after.first().and_then(Word::as_literal).is_some_and(is_harmless_setting);
                call.rest = after.get(1..).unwrap_or_default();
            }
            text if valued.contains(&text) => {
                call.is_risky = true;
                call.rest = after.get(1..).unwrap_or_default();
            }
            text => call.is_risky |= word.kind != Kind::Literal || !harmless.contains(&text),
        }
    }
    call
}

/// Settings that only change how things look.
fn is_harmless_setting(setting: &str) -> bool {
    let key = setting.split('=').next().unwrap_or_default().to_ascii_lowercase();
    key.starts_with("color.")
        || key.starts_with("advice.")
        || matches!(
            key.as_str(),
            "core.quotepath" | "log.showsignature" | "log.decorate" | "diff.renames" | "column.ui"
        ) && !setting.to_ascii_lowercase().contains("log.showsignature=t")
        || setting == "core.pager=cat"
}

fn reflog_changes(arguments: &[Word]) -> bool {
    let words: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
    words.contains(&"reflog") && words.iter().any(|word| matches!(*word, "expire" | "delete" | "drop" | "write"))
}

/// What find's tests and actions take, for those that only look.
fn find_argument_count(name: &str) -> Option<usize> {
    let none = "-print -print0 -ls -prune -quit -depth -d -xdev -mount -empty -true -false -not ! -a -and -o -or , ( ) \
        -executable -readable -writable -nouser -nogroup -daystart -follow -noleaf -ignore_readdir_race \
        -noignore_readdir_race -warn -nowarn";
    let one = "-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -size -mtime \
        -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group -uid -gid \
        -links -inum -samefile -lname -ilname -fstype -used -printf -newermt -newerct -newerat -context";
    let has = |list: &str| list.split_whitespace().any(|known| known == name);
    if has(none) { Some(0) } else { has(one).then_some(1) }
}

fn find(arguments: &[Word]) -> Verdict {
    let mut verdict = Verdict::default();
    let mut rest = arguments;
    while let Some((word, after)) = rest.split_first() {
        match word.as_literal() {
            Some("-H" | "-L" | "-P") => rest = after,
            Some(text) if text.starts_with('-') || matches!(text, "(" | ")" | "!" | ",") => break,
            None if word.may_be_option() => return Verdict::opaque("find: an argument that is not known"),
            _ => {
                verdict.effects.push(Effect::Read(word.clone()));
                rest = after;
            }
        }
    }
    while let Some((word, after)) = rest.split_first() {
        let Some(name) = word.as_literal() else { return Verdict::opaque("find: an argument that is not known") };
        rest = match name {
            "-exec" | "-execdir" | "-ok" | "-okdir" => match find_exec(name, after, finds_plain_files(arguments)) {
                Ok((words, after)) => {
                    verdict.inner.push(Inner::Words(words));
                    after
                }
                Err(reason) => return Verdict::opaque(reason),
            },
            "-newer" | "-samefile" | "-anewer" | "-cnewer" if !after.is_empty() => {
                verdict.effects.push(Effect::Read(after[0].clone()));
                &after[1..]
            }
            name => match find_argument_count(name) {
                Some(count) if after.len() >= count && after[..count].iter().all(is_find_value) => &after[count..],
                _ => return Verdict::ask(format!("find: {} is not known to be harmless", base_name(name))),
            },
        };
    }
    verdict
}

/// Whether a word stays one value: a pattern without quotes may become several words, of which only those that
/// end like a file's name are no action.
fn is_find_value(word: &Word) -> bool {
    let has_extension =
        || word.text.rsplit_once('.').is_some_and(|(_, end)| !end.is_empty() && end.chars().all(char::is_alphanumeric));
    match word.kind {
        Kind::Literal | Kind::Text => true,
        Kind::Glob => has_extension() && !word.text.starts_with('-'),
        Kind::Variable | Kind::Stream | Kind::Found | Kind::Unknown => false,
    }
}

/// Whether a search gives only files below plain places, no links, and none whose name could be a secret's.
fn finds_plain_files(arguments: &[Word]) -> bool {
    let words: Vec<&str> = arguments.iter().map(|word| word.as_literal().unwrap_or("-L")).collect();
    let until = words.iter().position(|word| *word == "-exec").unwrap_or(words.len());
    let tests = &words[..until];
    let follows = words.iter().any(|word| matches!(*word, "-L" | "-H" | "-follow" | "-o" | "-or" | "!" | "-not" | ","));
    let has = |name: &str, holds: &dyn Fn(&str) -> bool| tests.windows(2).any(|pair| pair[0] == name && holds(pair[1]));
    let is_harmless = |pattern: &str| !super::paths::may_match_hidden_secret(pattern) && pattern != "*";
    let starts_plain = !words.first().is_some_and(|word| word.starts_with('-'));
    !follows && starts_plain && has("-type", &|kind| kind == "f") && has("-name", &is_harmless)
}

/// The command of `-exec` and what follows it.
fn find_exec<'a>(name: &str, after: &'a [Word], is_plain: bool) -> Result<(Vec<Word>, &'a [Word]), &'static str> {
    let end = after.iter().position(|word| matches!(word.as_literal(), Some(";" | "+")));
    let end = end.ok_or("find: the end of -exec is not clear")?;
    let found = |word: &Word| match word.text.find("{}") {
        Some(0) if is_plain && word.text == "{}" && name == "-exec" => {
            Word { text: "./".to_owned(), kind: Kind::Found }
        }
        Some(at) => Word { text: word.text[..at].to_owned(), kind: Kind::Text },
        None => word.clone(),
    };
    Ok((after[..end].iter().map(found).collect(), &after[end + 1..]))
}
