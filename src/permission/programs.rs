//! The table of known programs: one line a program, with the options that are harmless and what its operands are.
//!
//! What is not here is not known to be harmless and is asked about; so is a known program with an option that
//! is not on its line. A name of two words is a program and its subcommand.
//!
//! Operands: `R` files that are read, `R1` at most one, `R2` at most two, `P` a pattern first (unless an option
//! marked `!` gave it) and then files, `T` plain text (`T1` one), `G` and `D` revisions, names and paths in any
//! order, `MAKE` make's targets, `0` none.
//! Options: `-x` takes nothing, `-x=` takes text, `-x=R` takes a file that is read, `-x=W` one that is written,
//! `-x?` may take text as `-x=…`, `-#` is a number, `-x=!` gives the pattern, `*` stands for any. Abbreviations are
//! not known, and so are refused.

use std::collections::HashMap;
use std::sync::LazyLock;

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
    /// Whether `-5` is an option.
    pub(super) takes_number: bool,
    /// Whether any option is harmless.
    pub(super) takes_any: bool,
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
    /// Text without effect.
    Text,
    /// At most one text.
    OneText,
    /// Revisions, test names and the like; what looks like a path outside is read.
    Mixed,
    /// Make's targets, of the kinds that build and test.
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
    /// The pattern, so that the first operand is none.
    Pattern,
    /// A file that holds patterns, which is read.
    PatternFile,
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
        "T1" => Operands::OneText,
        "G" | "D" => Operands::Mixed,
        "MAKE" => Operands::Targets,
        _ => Operands::Text,
    };
    let mut known = HashMap::new();
    let mut takes_number = false;
    let takes_any = options == "*";
    for option in options.split_whitespace() {
        if option == "-#" {
            takes_number = true;
        } else if let Some((name, kind)) = option.split_once('=') {
            let argument = match kind {
                "R" => Argument::Read,
                "W" => Argument::Write,
                "!" => Argument::Pattern,
                "R!" => Argument::PatternFile,
                _ => Argument::Text,
            };
            known.insert(name, argument);
        } else if let Some(name) = option.strip_suffix('?') {
            known.insert(name, Argument::Optional);
        } else {
            known.insert(option, Argument::None);
        }
    }
    Program { class, operands, options: known, takes_number, takes_any }
}

/// Programs that answer `--version` or `-V` and the like and then end.
pub(super) const VERSIONED: &[&str] = &[
    "ansible",
    "apt",
    "aws",
    "bash",
    "black",
    "brew",
    "bun",
    "bundle",
    "cargo",
    "clang",
    "clang++",
    "clippy-driver",
    "cmake",
    "cc",
    "c++",
    "composer",
    "curl",
    "dart",
    "deno",
    "docker",
    "dotnet",
    "elixir",
    "erl",
    "eslint",
    "ffmpeg",
    "flutter",
    "g++",
    "gcc",
    "gdb",
    "gem",
    "gh",
    "ghc",
    "git",
    "go",
    "gradle",
    "helm",
    "java",
    "javac",
    "jest",
    "jq",
    "julia",
    "kubectl",
    "ld",
    "llvm-config",
    "lua",
    "make",
    "meson",
    "mix",
    "mypy",
    "mvn",
    "mysql",
    "ninja",
    "node",
    "npm",
    "npx",
    "ocaml",
    "openssl",
    "perl",
    "php",
    "pip",
    "pip3",
    "pnpm",
    "poetry",
    "prettier",
    "psql",
    "pyright",
    "pytest",
    "python",
    "python2",
    "python3",
    "R",
    "rg",
    "rspec",
    "ruby",
    "ruff",
    "rustc",
    "rustfmt",
    "rustup",
    "scala",
    "sed",
    "shellcheck",
    "sqlite3",
    "swift",
    "tar",
    "terraform",
    "tmux",
    "tsc",
    "uv",
    "vim",
    "vitest",
    "wget",
    "yarn",
    "zig",
    "zsh",
];

type Line = (&'static str, &'static str, &'static str);

const GREP: &str = "-E -F -G -P -i -y -v -w -x -c -l -L -q -s -n -b -H -h -o -a -I -r -R -z -Z -T -U -u -A= -B= -C= -m= -d= -D= -e=! -f=R! -# \
    --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case --invert-match --word-regexp \
    --line-regexp --count --color? --colour? --files-with-matches --files-without-match --quiet --silent --no-messages --line-number \
    --byte-offset --with-filename --no-filename --only-matching --text --recursive --dereference-recursive --null --null-data \
    --initial-tab --binary --line-buffered --regexp=! --file=R! --max-count= --after-context= --before-context= --context= --include= \
    --exclude= --exclude-dir= --exclude-from=R --directories= --devices= --label= --binary-files= --help --version -V";

const GIT_LOG: &str = "-p -u -s -c -m -r -R -t -b -w -a -z -i -E -F -P -g -# -n= -S= -G= -U= -L= -M? -C? -B? -O=R -l= -X? \
    --patch --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --oneline --graph --decorate? \
    --no-decorate --all --branches? --tags? --remotes? --first-parent --merges --no-merges --reverse --follow --full-history \
    --date= --pretty? --format= --abbrev? --abbrev-commit --no-abbrev-commit --no-abbrev --since= --after= --until= --before= \
    --author= --committer= --grep= --invert-grep --all-match --max-count= --skip= --topo-order --date-order --author-date-order \
    --cached --staged --check --quiet --exit-code --color? --no-color --color-words? --word-diff? --word-diff-regex= --unified= \
    --minimal --patience --histogram --diff-algorithm= --diff-filter= --find-renames? --find-copies? --no-renames --find-object= \
    --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-space-at-eol --ignore-submodules? --submodule? \
    --function-context -W --no-ext-diff --no-textconv --relative? --full-index --binary --text --pickaxe-all --pickaxe-regex --merge-base \
    --inter-hunk-context= --no-prefix --src-prefix= --dst-prefix= --left-right --cherry --cherry-pick --cherry-mark --boundary --count \
    --children --parents --show-signature --notes? --no-notes --walk-reflogs --source --simplify-by-decoration --no-index-never \
    --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --no-walk? --cc --combined-all-paths --compact-summary \
    --no-mailmap --mailmap --use-mailmap --remove-empty --dense --sparse --ancestry-path --not --null --encoding= --expand-tabs? --log-size -q";

/// Programs that only read.
const READERS: &[Line] = &[
    (
        "cat|tac",
        "R",
        "-A -b -e -E -n -s -t -T -u -v -r -B --show-all --number-nonblank --show-ends --number --squeeze-blank --show-tabs --show-nonprinting --before --regex --separator= --help --version",
    ),
    (
        "head",
        "R",
        "-n= -c= -q -v -z -# --lines= --bytes= --quiet --silent --verbose --zero-terminated --help --version",
    ),
    (
        "tail",
        "R",
        "-n= -c= -q -v -z -# --lines= --bytes= --quiet --silent --verbose --zero-terminated --help --version",
    ),
    ("nl", "R", "-b= -d= -f= -h= -i= -l= -n= -p -s= -v= -w= --help --version"),
    ("wc", "R", "-c -m -l -L -w --bytes --chars --lines --max-line-length --words --total= --help --version"),
    (
        "cut",
        "R",
        "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited --output-delimiter= --zero-terminated --help --version",
    ),
    ("paste", "R", "-d= -s -z --delimiters= --serial --zero-terminated --help --version"),
    ("tr", "T", "-c -C -d -s -t --complement --delete --squeeze-repeats --truncate-set1 --help --version"),
    (
        "sort",
        "R",
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= --ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort --numeric-sort --random-sort --reverse --sort= --version-sort --check? --merge --stable --unique --zero-terminated --key= --field-separator= --parallel= --buffer-size= -S= --debug --help --version",
    ),
    (
        "uniq",
        "R1",
        "-c -d -D -i -u -z -f= -s= -w= --count --repeated --all-repeated? --ignore-case --unique --zero-terminated --skip-fields= --skip-chars= --check-chars= --group? --help --version",
    ),
    (
        "comm",
        "R2",
        "-1 -2 -3 -z --check-order --nocheck-order --output-delimiter= --total --zero-terminated --help --version",
    ),
    ("join", "R2", "-a= -e= -i -j= -o= -t= -v= -1= -2= -z --header --check-order --nocheck-order --help --version"),
    (
        "diff",
        "R2",
        "-q -s -c -C= -u -U= -e -n -y -W= -l -p -F= -t -T -r -N -x= -X=R -S= -i -E -Z -b -w -B -I= -a -d -H -# --brief --report-identical-files --context? --unified? --side-by-side --width= --recursive --new-file --exclude= --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-matching-lines= --text --minimal --color? --suppress-common-lines --strip-trailing-cr --label= --no-dereference --help --version",
    ),
    (
        "cmp",
        "R2",
        "-b -i= -l -n= -s --print-bytes --ignore-initial= --verbose --bytes= --quiet --silent --help --version",
    ),
    ("fold", "R", "-b -s -w= -# --bytes --spaces --width= --help --version"),
    (
        "fmt",
        "R",
        "-c -p= -s -t -u -w= -g= -# --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing --width= --goal= --help --version",
    ),
    ("expand|unexpand", "R", "-a -i -t= --all --initial --first-only --tabs= --help --version"),
    (
        "column",
        "R",
        "-t -s= -o= -c= -x -n -N= -R= -H= -J --table --separator= --output-separator= --columns= --json --help --version",
    ),
    ("rev", "R", "--help --version"),
    (
        "od",
        "R",
        "-A= -j= -N= -S= -t= -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix= --skip-bytes= --read-bytes= --format= --output-duplicates --width? --help --version",
    ),
    ("xxd", "R1", "-a -b -c= -e -g= -i -l= -p -ps -s= -u --help --version"),
    (
        "hexdump|hd",
        "R",
        "-b -c -C -d -n= -o -s= -v -x -e= --canonical --length= --skip= --no-squeezing --help --version",
    ),
    (
        "strings",
        "R",
        "-a -f -n= -o -t= -e= -w -# --all --print-file-name --bytes= --radix= --encoding= --help --version",
    ),
    (
        "file",
        "R",
        "-b -i -k -L -h -N -n -p -r -s -z -0 -e= -F= --brief --mime --mime-type --mime-encoding --keep-going --dereference --no-dereference --no-pad --raw --separator= --print0 --help --version",
    ),
    ("stat", "R", "-L -f -c= -t --dereference --file-system --format= --printf= --terse --help --version"),
    (
        "readlink|realpath",
        "R",
        "-f -e -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero --strip --no-symlinks --logical --physical --relative-to= --relative-base= --help --version",
    ),
    ("basename|dirname", "T", "-a -s= -z --multiple --suffix= --zero --help --version"),
    (
        "ls|dir|vdir",
        "R",
        "-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v -w= -x -X -Z -1 --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si --dereference --inode --ignore= --kibibytes --numeric-uid-gid --literal --indicator-style= --quote-name --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --hyperlink? --zero --hide= --help --version",
    ),
    (
        "tree",
        "R",
        "-a -d -l -f -x -L= -P= -I= -p -u -g -s -h -D -F -i -q -N -Q -C -n -A -S -r -t -c -U -v -J -X --dirsfirst --prune --noreport --gitignore --du --si --filelimit= --charset= --matchdirs --ignore-case --fromfile-never --inodes --device --sort? --help --version",
    ),
    (
        "du",
        "R",
        "-0 -a -b -c -d= -D -h -H -k -L -l -m -P -S -s -t= -x --all --apparent-size --bytes --total --max-depth= --human-readable --inodes --dereference --separate-dirs --si --summarize --threshold= --time? --exclude= --one-file-system --block-size= -B= --help --version",
    ),
    (
        "df",
        "R",
        "-a -B= -h -H -i -k -l -P -t= -T -x= --all --human-readable --si --inodes --local --portability --total --type= --print-type --exclude-type= --output? --block-size= --help --version",
    ),
    ("pwd", "0", "-L -P --logical --physical --help --version"),
    ("echo", "T", "*"),
    ("true|false|:|test", "T", "*"),
    ("exit|return|break|continue", "T", ""),
    (
        "date",
        "T",
        "-d= -R -u -I? -r=R --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal --reference=R --debug --help --version",
    ),
    (
        "uptime|arch|whoami|nproc|tty|groups|logname|users",
        "0",
        "-p -s --pretty --since --all --ignore= --help --version",
    ),
    (
        "uname",
        "0",
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine --processor --hardware-platform --operating-system --help --version",
    ),
    (
        "hostname",
        "0",
        "-f -s -i -I -d -A --fqdn --long --short --ip-address --all-ip-addresses --domain --help --version",
    ),
    ("id", "T", "-a -g -G -n -r -u -z --group --groups --name --real --user --zero --help --version"),
    (
        "free|vmstat",
        "T",
        "-b -k -m -g -h -w -t -l --bytes --kibi --mebi --gibi --human --wide --total --lohi --help --version",
    ),
    (
        "lscpu|lsblk|lsmem|lsusb|lspci",
        "0",
        "-a -e -p -b -f -l -J -n -v -k --all --json --bytes --fs --list --help --version",
    ),
    ("sleep", "T", "--help --version"),
    ("seq", "T", "-f= -s= -w --format= --separator= --equal-width --help --version"),
    (
        "expr|factor|numfmt",
        "T",
        "--to= --from= --suffix= --padding= --format= --field= -d= --delimiter= --header? --grouping --round= --help --version",
    ),
    ("cal|ncal", "T", "-1 -3 -y -m -j --one --three --year --monday --sunday --julian --help --version"),
    ("which", "T", "-a -s --all --skip-alias --help --version"),
    ("type", "T", "-a -f -t -p -P"),
    ("whereis|whatis", "T", "-b -m -s --help --version"),
    (
        "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|shasum",
        "R",
        "-b -c -t -w -z -a= -l= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict --warn --length= --algorithm= --help --version",
    ),
    ("cksum|sum", "R", "-a= -r -s --algorithm= --sysv --help --version"),
    ("base64|base32", "R", "-d -i -w= --decode --ignore-garbage --wrap= --help --version"),
    ("zcat|bzcat|xzcat|zstdcat", "R", "-f -q --force --quiet --help --version"),
    ("grep|egrep|fgrep|zgrep", "P", GREP),
    (
        "rg",
        "P",
        "-A= -B= -C= -E= -F -H -I -L -M= -N -P -S -T= -U -a -b -c -d= -e=! -f=R! -g= -h -i -j= -l -m= -n -o -p -q -r= -s -t= -u -v -w -x -0 -. -V \
        --after-context= --before-context= --context= --encoding= --fixed-strings --no-fixed-strings --with-filename --no-filename --follow --max-columns= \
        --max-columns-preview --no-line-number --pcre2 --smart-case --type-not= --multiline --multiline-dotall --text --byte-offset --count --count-matches \
        --max-depth= --regexp=! --file=R! --glob= --iglob= --glob-case-insensitive --ignore-case --threads= --files-with-matches --files-without-match \
        --max-count= --line-number --only-matching --passthru --passthrough --pretty --quiet --replace= --case-sensitive --type= --type-list --unrestricted \
        --invert-match --word-regexp --line-regexp --null --null-data --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-global \
        --no-ignore-parent --no-ignore-exclude --no-ignore-files --ignore-file=R --sort= --sortr= --stats --trim --vimgrep --json --heading --no-heading --column \
        --no-column --color= --colors= --context-separator= --field-match-separator= --field-context-separator= --one-file-system --max-filesize= --line-buffered \
        --block-buffered --no-messages --no-config --crlf --engine= --type-add= --type-clear= --no-mmap --mmap --debug --help --version --path-separator= \
        --no-require-git --binary --no-unicode --dfa-size-limit= --regex-size-limit= --include-zero --stop-on-nonmatch",
    ),
    (
        "rg --files",
        "R",
        "--files -g= -t= -T= -u -. -L -0 -d= -S -i -l --glob= --iglob= --type= --type-not= --hidden --no-ignore --no-ignore-vcs --follow --null --sort= --sortr= --max-depth= --max-filesize= --no-messages --color= --threads= -j= --unrestricted --one-file-system --no-config --path-separator= --glob-case-insensitive",
    ),
    (
        "fd|fdfind",
        "P",
        "-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -d= -E= -t= -e= -S= -c= -j= --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= --exclude= --type= --extension= --size= --changed-within= --changed-before= --color= --threads= --max-results= --quiet --show-errors --one-file-system --strip-cwd-prefix? --base-directory=R --help --version",
    ),
    (
        "jq",
        "P",
        "-c -r -j -a -s -n -e -S -C -M -R --compact-output --raw-output --join-output --ascii-output --slurp --null-input --exit-status --sort-keys --color-output --monochrome-output --raw-input --tab --indent= --stream --seq --help --version",
    ),
    ("bc", "R", "-l -q -s -w --mathlib --quiet --standard --warn --help --version"),
    ("ps", "T", "-A -a -d -e -f -F -j -l -o= -p= -u= -C= -H --forest --pid= --user= --sort= --no-headers --version"),
    (
        "pgrep",
        "T",
        "-a -c -f -l -n -o -u= -x --list-name --list-full --count --full --newest --oldest --exact --help --version",
    ),
    (
        "nm|size|readelf|objdump",
        "R",
        "-a -A -B -C -D -g -n -p -P -r -S -s -u -h -l -d -x -t -e -W -t= --all --demangle? --dynamic --extern-only --headers --symbols --sections --segments --wide --file-header --section-headers --disassemble --syms --help --version",
    ),
    ("unzip -l", "R1", "-l -v"),
    ("tar -t", "0", "-t -v -z -j -J -f=R --list --verbose --gzip --bzip2 --xz --zstd --file=R"),
    (
        "cloc|tokei|scc",
        "R",
        "-e= -t= -f -s= -o= --exclude-dir= --exclude= --include-lang= --by-file --json --quiet --files --sort= --output= --help --version",
    ),
    ("getconf|locale", "T", "-a --all-locales"),
    ("read", "T", "-r -s -e -a= -d= -n= -N= -p= -t= -u="),
    (
        "git status",
        "G",
        "-s -b -v -u? -z -uno -unormal -uall --short --branch --show-stash --porcelain? --long --verbose --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind --no-ahead-behind --renames --no-renames --find-renames?",
    ),
    (
        "git log|git show|git diff|git whatchanged|git diff-tree|git diff-index|git diff-files|git rev-list|git reflog|git reflog show|git stash show",
        "G",
        GIT_LOG,
    ),
    ("git stash list", "0", GIT_LOG),
    (
        "git blame|git annotate",
        "G",
        "-b -c -e -f -l -n -p -s -t -w -L= -M? -C? -S=R --root --show-stats --show-name --show-number --show-email --porcelain --line-porcelain --incremental --date= --since= --first-parent --ignore-rev= --abbrev= --color-lines --color-by-age --reverse",
    ),
    (
        "git shortlog",
        "G",
        "-s -n -e -c -w? --summary --numbered --email --committer --group= --all --no-merges --merges --since= --until= --format= --author= --branches? --tags? --remotes? --first-parent",
    ),
    (
        "git describe",
        "G",
        "--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= --always --first-parent --dirty? --broken?",
    ),
    (
        "git grep",
        "P",
        "-a -I -i -w -v -h -H -E -G -F -P -n -l -L -O-never -c -o -p -W -q -z -A= -B= -C= -e=! -f=R! -m= -# --cached --untracked --no-index-never --exclude-standard --text --ignore-case --word-regexp --invert-match --full-name --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column --files-with-matches --files-without-match --name-only --count --only-matching --show-function --function-context --quiet --all-match --and --or --not --after-context= --before-context= --context= --max-depth= --recursive --no-recursive --threads= --break --heading --color? --no-color --max-count= --null",
    ),
    (
        "git ls-files",
        "G",
        "-c -d -m -o -i -s -u -k -t -v -f -z -x= -X=R --cached --deleted --modified --others --ignored --stage --unmerged --killed --exclude= --exclude-from=R --exclude-per-directory= --exclude-standard --error-unmatch --full-name --recurse-submodules --abbrev? --debug --eol --deduplicate --directory --no-empty-directory --with-tree= --format=",
    ),
    (
        "git ls-tree",
        "G",
        "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? --format=",
    ),
    ("git cat-file", "G", "-t -s -e -p --batch-check? --batch-all-objects --unordered --buffer --follow-symlinks"),
    (
        "git rev-parse",
        "G",
        "--short? --verify -q --quiet --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? --remotes? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository --show-superproject-working-tree --show-object-format? --path-format= --git-path= --revs-only --no-revs --flags --no-flags --since= --until= --shared-index-path --show-ref-format",
    ),
    ("git merge-base", "G", "-a --all --octopus --independent --is-ancestor --fork-point"),
    ("git name-rev", "G", "--tags --refs= --exclude= --all --name-only --no-undefined --always"),
    (
        "git show-ref",
        "G",
        "-q -s -d -h --head --tags --heads --branches --dereference --hash? --verify --exists --abbrev? --quiet",
    ),
    (
        "git for-each-ref",
        "T",
        "-s -p --format= --sort= --count= --points-at= --merged? --no-merged? --contains? --no-contains? --ignore-case --color? --shell --perl --omit-empty --exclude=",
    ),
    ("git count-objects", "0", "-v -H --verbose --human-readable"),
    ("git check-ignore", "G", "-q -v -n -z --quiet --verbose --non-matching --no-index"),
    ("git check-attr", "G", "-a -z --all --cached"),
    (
        "git branch",
        "0",
        "-a -r -v -vv -i -l --all --remotes --list --verbose --show-current --color? --no-color --column? --no-column --sort= --merged? --no-merged? --contains= --no-contains= --points-at= --format= --abbrev? --no-abbrev --ignore-case",
    ),
    ("git branch --list|git branch -l", "T", "-a -r -v -i -l --all --remotes --list --verbose --sort= --format="),
    (
        "git tag",
        "0",
        "-l -n? -n -i --list --sort= --contains= --no-contains= --merged? --no-merged? --points-at= --format= --column? --color? --ignore-case",
    ),
    ("git tag -l|git tag --list", "T", "-l -n? -n --list --sort= --format= --merged? --contains="),
    ("git remote", "0", "-v --verbose"),
    ("git remote get-url", "T", "--all --push"),
    (
        "git config --get|git config --get-all|git config --get-regexp|git config get",
        "T",
        "--get --get-all --get-regexp --global --local --system --worktree --type= --bool --int --path -z --null --name-only --show-origin --show-scope --includes --no-includes --default= --all --regexp",
    ),
    (
        "git config --list|git config -l|git config list",
        "0",
        "-l --list --global --local --system --worktree --show-origin --show-scope --name-only -z --null --includes",
    ),
    ("git symbolic-ref", "T1", "-q --quiet --short --no-recurse --recurse"),
    ("git worktree list", "0", "-v -z --porcelain --verbose"),
    ("git submodule status", "G", "--recursive --cached --quiet"),
    ("git version|git --version", "0", "--build-options"),
    ("git cherry|git range-diff", "G", "-v --verbose --abbrev? --no-color --color? --creation-factor= --no-dual-color"),
];

const CARGO: &str = "-p= -j= -v -q -r -F= --package= --workspace --all --exclude= --lib --bin= --bins --example= --examples --test= --tests --bench= --benches --all-targets --features= \
    --all-features --no-default-features --release --profile= --jobs= --keep-going --verbose --quiet --color= --message-format= --locked --offline --frozen --doc --no-run --no-fail-fast \
    --ignore-rust-version --future-incompat-report --timings? --target= --manifest-path=R --target-dir=W --no-deps --document-private-items --unit-graph --build-plan";
const NODE_SCRIPT: &str = "-s --silent --if-present --workspaces --workspace= -w= --no-color --color";

/// Programs that build, check, format, lint or test the workspace's own project.
const DEVELOPMENT: &[Line] = &[
    (
        "cargo build|cargo b|cargo check|cargo c|cargo test|cargo t|cargo bench|cargo doc|cargo clippy|cargo nextest run",
        "T",
        CARGO,
    ),
    ("cargo fmt", "T", "-v -q -p= --all --check --package= --manifest-path=R --message-format= --verbose --quiet"),
    (
        "cargo metadata",
        "0",
        "-q -v --no-deps --format-version= --filter-platform= --manifest-path=R --locked --offline --frozen --features= --all-features --no-default-features --quiet",
    ),
    (
        "cargo tree",
        "0",
        "-p= -i= -e= -d -f= -q -v --package= --invert= --edges= --depth= --prune= --no-dedupe --duplicates --format= --workspace --all --features= --all-features --no-default-features --target= --locked --offline --frozen --charset= --prefix= --manifest-path=R",
    ),
    (
        "cargo pkgid|cargo verify-project|cargo locate-project",
        "T",
        "-q --message-format= --workspace --manifest-path=R",
    ),
    ("go build", "D", "-v -x -n -a -race -p= -o=W -tags= -trimpath -ldflags-never -mod= -cover -work"),
    (
        "go test",
        "D",
        "-v -x -n -a -race -p= -tags= -trimpath -mod= -run= -bench= -benchmem -benchtime= -count= -short -timeout= -cover -covermode= -coverpkg= -coverprofile=W -failfast -json -list= -parallel= -shuffle= -skip= -fuzz= -fuzztime= -cpu= -vet=",
    ),
    ("go vet|go list|go fmt", "D", "-v -x -n -json -tags= -m -f= -deps -e -test -u-never -mod= -c= -compiled -find"),
    ("go version|go env-never|go doc", "T", "-m -v -all -c -cmd -short -src -u"),
    ("gofmt|goimports|gofumpt", "D", "-l -w -d -s -e"),
    (
        "golangci-lint run|staticcheck",
        "D",
        "-v --fix --fast --timeout= --tests --enable= --disable= --new --out-format=",
    ),
    (
        "pytest|py.test|python -m pytest|python3 -m pytest",
        "D",
        "-v -vv -q -qq -s -x -l -k= -m= -n= -r= -ra -rA -rf -rs -rx --verbose --quiet --exitfirst --maxfail= --lf --ff --last-failed --failed-first --nf --sw --stepwise --collect-only --co --tb= --durations= --no-header --no-summary --showlocals --capture= --color= --cov? --cov-report= --cov-branch --no-cov --strict-markers --disable-warnings --markers --fixtures --setup-show --numprocesses= --timeout= --benchmark-skip --asyncio-mode= --deselect= --ignore= --ignore-glob= --version --help",
    ),
    (
        "python -m unittest|python3 -m unittest",
        "D",
        "-v -q -f -b -c -k= --verbose --quiet --failfast --buffer --locals",
    ),
    ("python -m py_compile|python3 -m py_compile|python -m compileall|python3 -m compileall", "D", "-q"),
    (
        "ruff check|ruff format|ruff",
        "D",
        "-q -v -n -w --fix --diff --check --select= --ignore= --extend-select= --output-format= --statistics --show-fixes --no-cache --preview --unsafe-fixes --quiet --verbose --line-length= --target-version= --exit-zero",
    ),
    (
        "mypy|pyright|dmypy run",
        "D",
        "-v -p= -m= --strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty --no-incremental --follow-imports= --python-version= --check-untyped-defs --warn-unused-ignores --show-column-numbers --namespace-packages --explicit-package-bases --outputjson --stats --level= --warnings",
    ),
    (
        "black|isort|flake8|pylint|autopep8|pycodestyle|pydocstyle|yapf|bandit",
        "D",
        "-q -v -l= -S -t= -c-never -d -i -r -p --check --check-only --diff --color --colored --quiet --verbose --line-length= --profile= --max-line-length= --select= --ignore= --disable= --enable= --errors-only -E --fast --in-place --recursive --count --statistics --skip-string-normalization --score= --reports=",
    ),
    ("npm test|npm t|npm tst|npm run-script test|pnpm test|pnpm t|yarn test|bun test", "T", NODE_SCRIPT),
    (
        "yarn lint|yarn build|yarn typecheck|yarn check-types|yarn format|pnpm lint|pnpm build|pnpm typecheck|pnpm format",
        "T",
        NODE_SCRIPT,
    ),
    ("npm run SAFE|npm run-script SAFE|pnpm run SAFE|yarn run SAFE|bun run SAFE", "T", NODE_SCRIPT),
    (
        "npm ls|npm list|pnpm ls|pnpm list|yarn list",
        "T",
        "-a -g --all --depth= --json --long --parseable --prod --dev --omit= --include=",
    ),
    (
        "jest|vitest|vitest run|mocha|ava|tap|npx jest|npx vitest|npx vitest run|npx mocha",
        "D",
        "-v -t= -u -i -w= -b -o -f= -g= -R= --ci --coverage? --verbose --silent --bail? --watch=false --watchAll=false --run --no-watch --testNamePattern= --testPathPattern= --runInBand --maxWorkers= --onlyChanged --passWithNoTests --updateSnapshot --json --reporter= --reporters= --no-color --color --colors --grep= --fgrep= --exit --timeout= --forceExit --detectOpenHandles --listTests --showConfig --expand --findRelatedTests --lastCommit --changedSince= --shard= --testTimeout= --no-coverage --project= --recursive",
    ),
    (
        "tsc|npx tsc|vue-tsc|npx vue-tsc",
        "D",
        "-b -v -p=R --noEmit --build --project=R --pretty? --incremental? --skipLibCheck --strict --listFiles --diagnostics --extendedDiagnostics --showConfig --explainFiles --emitDeclarationOnly --declaration --target= --module= --jsx= --lib= --moduleResolution= --allowJs --checkJs --version --help --noErrorTruncation",
    ),
    (
        "eslint|npx eslint|stylelint|npx stylelint",
        "D",
        "-f= --fix --fix-dry-run --ext= --quiet --max-warnings= --format= --no-color --color --cache --ignore-pattern= --no-inline-config --report-unused-disable-directives --rule= --env= --debug --stdin-never --no-eslintrc --no-error-on-unmatched-pattern --report-needless-disables --version --help",
    ),
    (
        "prettier|npx prettier|biome check|biome lint|biome format|npx biome check|npx biome lint|npx biome format",
        "D",
        "-c -l -w --check --list-different --write --apply --no-color --color --loglevel= --log-level= --ignore-unknown --no-config --single-quote --tab-width= --print-width= --parser= --cache --no-semi --version --help",
    ),
    (
        "make|gmake",
        "MAKE",
        "-j? -k -n -s -B -i -q --jobs? --keep-going --dry-run --just-print --silent --quiet --always-make --no-print-directory --version --help",
    ),
    ("cmake --build", "T", "--build=W -j= -j -t= -v --target= --config= --parallel? --verbose --clean-first"),
    (
        "ctest|ninja -n",
        "T",
        "-N -V -VV -R= -E= -L= -j= -Q -n --output-on-failure --verbose --test-dir=R --parallel= --rerun-failed --stop-on-failure --timeout=",
    ),
    (
        "mvn test|mvn compile|mvn verify|mvn package|mvn -q test",
        "T",
        "-q -B -o -T= -e -ntp --quiet --batch-mode --offline --no-transfer-progress -DskipTests -pl= -am",
    ),
    (
        "gradle test|gradle build|gradle check|gradle compileJava|gradle assemble",
        "T",
        "-q -i --quiet --info --offline --parallel --continue --tests= --no-daemon --console= --rerun-tasks --stacktrace",
    ),
    (
        "dotnet build|dotnet test|dotnet format",
        "D",
        "-c= -v= -f= --no-restore --no-build --configuration= --verbosity= --framework= --filter= --nologo --verify-no-changes",
    ),
    (
        "mix test|mix compile|mix format|mix credo|rake test|rake spec|rspec|bundle exec rspec|bundle exec rake test|bundle exec rubocop|rubocop|phpunit|composer test|swift build|swift test|zig build|zig fmt|zig test|deno test|deno lint|deno fmt|deno check|dart analyze|dart test|dart format|flutter test|flutter analyze|stack test|stack build|cabal test|cabal build|sbt test|sbt compile|lein test|dune build|dune test|dune runtest",
        "D",
        "-v -q -f= -t= -e= -c= --check --trace --stale --failed --color --no-color --verbose --quiet --format= --filter= --parallel --check-formatted --force --warnings-as-errors --only= --exclude= --seed= --cover --strict -a -A --autocorrect --testdox --stop-on-failure --release --watch=never",
    ),
    (
        "rustfmt|clang-format|shellcheck|shfmt|hadolint|yamllint|markdownlint|actionlint|taplo fmt|taplo check|stylua|clang-tidy|cppcheck",
        "D",
        "-i -l -d -w -s= -e= -x -f= -n -p=R --check --edition= --style= --dry-run -Werror --severity= --shell= --exclude= --format= --strict --fix --quiet --verbose --enable= --inline-suppr --color= --diff",
    ),
];

/// Names of scripts in package.json that build, check, format, lint or test.
pub(super) fn is_safe_script(name: &str) -> bool {
    let starts = [
        "test",
        "lint",
        "build",
        "check",
        "typecheck",
        "type-check",
        "types",
        "format",
        "fmt",
        "tsc",
        "eslint",
        "prettier",
        "unit",
        "coverage",
        "compile",
        "validate",
        "verify",
    ];
    let first = name.split([':', '-', '_', '.']).next().unwrap_or_default();
    starts.contains(&name)
        || (starts.contains(&first)
            && !["publish", "deploy", "release", "push", "clean"].iter().any(|word| name.contains(word)))
}

/// Make targets that build, check, format, lint or test.
pub(super) fn is_safe_target(name: &str) -> bool {
    let is_count = name.chars().all(|c| c.is_ascii_digit());
    is_count
        || is_safe_script(name)
        || matches!(name, "all" | "tests" | "debug" | "docs" | "doc" | "lib" | "lint-fix" | "ci")
}
