//! Programs that only read. How a line is written is said in `programs.rs`.

use super::programs::Line;

const GREP: &str = "-E -F -G -P -i -y -v -w -x -c -l -L -q -s -n -b -H -h -o -a -I -r -R -z -Z -T -U -u -A= -B= -C= -m= -d= -D= \
    -e=! -f=R! -# --extended-regexp --fixed-strings --basic-regexp --perl-regexp --ignore-case --no-ignore-case \
    --invert-match --word-regexp --line-regexp --count --color? --colour? --files-with-matches \
    --files-without-match --quiet --silent --no-messages --line-number --byte-offset --with-filename \
    --no-filename --only-matching --text --recursive --dereference-recursive --null --null-data --initial-tab \
    --binary --line-buffered --regexp=! --file=R! --max-count= --after-context= --before-context= --context= \
    --include=GLOB --exclude= --exclude-dir= --exclude-from=R --directories= --devices= --label= --binary-files= \
    --help --version -V";

const LOG: &str = "-p -u -s -c -m -r -R -t -b -w -a -z -i -E -F -P -g -# -n= -S= -G= -U= -M? -C? -B? -O=R -l= -X? --patch \
    --no-patch --raw --stat? --numstat --shortstat --dirstat? --summary --name-only --name-status --oneline \
    --graph --decorate? --no-decorate --all --branches? --tags? --remotes? --first-parent --merges --no-merges \
    --reverse --follow --full-history --date= --pretty? --format= --abbrev? --abbrev-commit --no-abbrev-commit \
    --no-abbrev --since= --after= --until= --before= --author= --committer= --grep= --invert-grep --all-match \
    --max-count= --skip= --topo-order --date-order --author-date-order --cached --staged --check --quiet \
    --exit-code --color? --no-color --color-words? --word-diff? --word-diff-regex= --unified= --minimal \
    --patience --histogram --diff-algorithm= --diff-filter= --find-renames? --find-copies? --no-renames \
    --find-object= --ignore-space-change --ignore-all-space --ignore-blank-lines --ignore-space-at-eol \
    --ignore-submodules? --submodule? --function-context -W --no-ext-diff --no-textconv --relative? --full-index \
    --binary --text --pickaxe-all --pickaxe-regex --merge-base --inter-hunk-context= --no-prefix --src-prefix= \
    --dst-prefix= --left-right --cherry --cherry-pick --cherry-mark --boundary --count --children --parents \
    --no-notes --walk-reflogs --source --simplify-by-decoration --regexp-ignore-case --extended-regexp \
    --fixed-strings --perl-regexp --no-walk? --cc --combined-all-paths --compact-summary --no-mailmap --mailmap \
    --use-mailmap --remove-empty --dense --sparse --ancestry-path --not --null --encoding= --expand-tabs? \
    --log-size -q -L=LINES --notes? --no-color-moved --color-moved? --color-moved-ws= --root --always --exclude= \
    --glob= --ignore-cr-at-eol --ignore-matching-lines= -I= --anchored= --dd --since-as-filter= --diff-merges= \
    --no-diff-merges --no-commit-id --ours --theirs --base";

/// The lines of the table that only read.
pub(super) const READERS: &[Line] = &[
    (
        "cat|tac",
        "R",
        "-A -b -e -E -n -s -t -T -u -v -r -B --show-all --number-nonblank --show-ends --number --squeeze-blank \
        --show-tabs --show-nonprinting --before --regex --separator= --help --version",
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
        "-b= -c= -d= -f= -n -s -z --bytes= --characters= --delimiter= --fields= --complement --only-delimited \
        --output-delimiter= --zero-terminated --help --version",
    ),
    ("paste", "R", "-d= -s -z --delimiters= --serial --zero-terminated --help --version"),
    ("tr", "T", "*"),
    (
        "sort",
        "R",
        "-b -d -f -g -i -M -h -n -R -r -V -c -C -m -s -u -z -k= -t= --ignore-leading-blanks --dictionary-order \
        --ignore-case --general-numeric-sort --ignore-nonprinting --month-sort --human-numeric-sort \
        --numeric-sort --random-sort --reverse --sort= --version-sort --check? --merge --stable --unique \
        --zero-terminated --key= --field-separator= --parallel= --buffer-size= -S= --debug --help --version",
    ),
    (
        "uniq",
        "R1",
        "-c -d -D -i -u -z -f= -s= -w= --count --repeated --all-repeated? --ignore-case --unique \
        --zero-terminated --skip-fields= --skip-chars= --check-chars= --group? --help --version",
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
        "-q -s -c -C= -u -U= -e -n -y -W= -l -p -F= -t -T -r -N -x= -X=R -S= -i -E -Z -b -w -B -I= -a -d -H -# \
        --brief --report-identical-files --context? --unified? --side-by-side --width= --recursive --new-file \
        --exclude= --ignore-case --ignore-all-space --ignore-space-change --ignore-blank-lines \
        --ignore-matching-lines= --text --minimal --color? --suppress-common-lines --strip-trailing-cr --label= \
        --no-dereference --help --version",
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
        "-c -p= -s -t -u -w= -g= -# --crown-margin --prefix= --split-only --tagged-paragraph --uniform-spacing \
        --width= --goal= --help --version",
    ),
    ("expand|unexpand", "R", "-a -i -t= --all --initial --first-only --tabs= --help --version"),
    (
        "column",
        "R",
        "-t -s= -o= -c= -x -n -N= -R= -H= -J --table --separator= --output-separator= --columns= --json --help \
        --version",
    ),
    ("rev", "R", "--help --version"),
    (
        "od",
        "R",
        "-A= -j= -N= -S= -t= -v -w? -a -b -c -d -f -i -l -o -s -x --address-radix= --skip-bytes= --read-bytes= \
        --format= --output-duplicates --width? --help --version",
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
        "-a -f -n= -o -t= -e= -w -# --all --print-file-name --bytes= --radix= --encoding= --help --version @",
    ),
    (
        "file",
        "R",
        "-b -i -k -L -h -N -n -p -r -s -z -0 -e= -F= --brief --mime --mime-type --mime-encoding --keep-going \
        --dereference --no-dereference --no-pad --raw --separator= --print0 --help --version",
    ),
    ("stat", "R", "-L -f -c= -t --dereference --file-system --format= --printf= --terse --help --version"),
    (
        "readlink|realpath",
        "R",
        "-f -e -m -n -q -s -v -z -L -P --canonicalize --canonicalize-existing --canonicalize-missing --no-newline \
        --quiet --silent --verbose --zero --strip --no-symlinks --logical --physical --relative-to= \
        --relative-base= --help --version",
    ),
    ("basename|dirname", "T", "*"),
    (
        "ls|dir|vdir",
        "R",
        "-a -A -b -B -c -C -d -f -F -g -G -h -H -i -I= -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -T= -u -U -v \
        -w= -x -X -Z -1 --all --almost-all --author --escape --block-size= --ignore-backups --color? --directory \
        --classify? --file-type --format= --full-time --group-directories-first --no-group --human-readable --si \
        --dereference --inode --ignore= --kibibytes --numeric-uid-gid --literal --indicator-style= --quote-name \
        --quoting-style= --reverse --recursive --size --sort= --time= --time-style= --width= --hyperlink? --zero \
        --hide= --help --version -D --dired",
    ),
    (
        "tree",
        "R",
        "-a -d -l -f -x -L= -P= -I= -p -u -g -s -h -D -F -i -q -N -Q -C -n -A -S -r -t -c -U -v -J -X --dirsfirst \
        --prune --noreport --gitignore --du --si --filelimit= --charset= --matchdirs --ignore-case --inodes \
        --device --sort? --help --version",
    ),
    (
        "du",
        "R",
        "-0 -a -b -c -d= -D -h -H -k -L -l -m -P -S -s -t= -x --all --apparent-size --bytes --total --max-depth= \
        --human-readable --inodes --dereference --separate-dirs --si --summarize --threshold= --time? --exclude= \
        --one-file-system --block-size= -B= --help --version",
    ),
    (
        "df",
        "R",
        "-a -B= -h -H -i -k -l -P -t= -T -x= --all --human-readable --si --inodes --local --portability --total \
        --type= --print-type --exclude-type= --output? --block-size= --help --version",
    ),
    ("pwd", "0", "-L -P --logical --physical --help --version"),
    ("echo", "T", "*"),
    ("true|false|:|test", "T", "*"),
    ("exit|return|break|continue", "T", ""),
    (
        "date",
        "T",
        "-d= -R -u -I? -r=R --date= --iso-8601? --rfc-3339= --rfc-email --utc --universal --reference=R --debug \
        --help --version",
    ),
    (
        "uptime|arch|whoami|nproc|tty|groups|logname|users",
        "0",
        "-p -s --pretty --since --all --ignore= --help --version",
    ),
    (
        "uname",
        "0",
        "-a -s -n -r -v -m -p -i -o --all --kernel-name --nodename --kernel-release --kernel-version --machine \
        --processor --hardware-platform --operating-system --help --version",
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
    ("sleep", "T", "*"),
    ("seq", "T", "*"),
    ("expr|factor|numfmt", "T", "*"),
    ("cal|ncal", "T", "-1 -3 -y -m -j --one --three --year --monday --sunday --julian --help --version"),
    ("which", "T", "*"),
    ("type", "T", "-a -f -t -p -P"),
    ("whereis|whatis", "T", "-b -m -s --help --version"),
    (
        "md5sum|sha1sum|sha224sum|sha256sum|sha384sum|sha512sum|b2sum|shasum",
        "R",
        "-b -c -t -w -z -a= -l= --binary --check --tag --text --zero --ignore-missing --quiet --status --strict \
        --warn --length= --algorithm= --help --version",
    ),
    ("cksum|sum", "R", "-a= -r -s --algorithm= --sysv --help --version"),
    ("base64|base32", "R", "-d -i -w= --decode --ignore-garbage --wrap= --help --version"),
    ("zcat|bzcat|xzcat|zstdcat", "R", "-f -q --force --quiet --help --version"),
    ("grep|egrep|fgrep|zgrep", "P", GREP),
    (
        "rg",
        "P",
        "-A= -B= -C= -E= -F -H -I -L -M= -N -P -S -T= -U -a -b -c -d= -e=! -f=R! -g=GLOB -h -i -j= -l -m= -n -o \
        -p -q -r= -s -t= -u -v -w -x -0 -. -V --after-context= --before-context= --context= --encoding= \
        --fixed-strings --no-fixed-strings --with-filename --no-filename --follow --max-columns= \
        --max-columns-preview --no-line-number --pcre2 --smart-case --type-not= --multiline --multiline-dotall \
        --text --byte-offset --count --count-matches --max-depth= --regexp=! --file=R! --glob=GLOB --iglob=GLOB \
        --glob-case-insensitive --ignore-case --threads= --files-with-matches --files-without-match --max-count= \
        --line-number --only-matching --passthru --passthrough --pretty --quiet --replace= --case-sensitive \
        --type= --type-list --unrestricted --invert-match --word-regexp --line-regexp --null --null-data \
        --hidden --no-hidden --no-ignore --no-ignore-vcs --no-ignore-dot --no-ignore-global --no-ignore-parent \
        --no-ignore-exclude --no-ignore-files --ignore-file=R --sort= --sortr= --stats --trim --vimgrep --json \
        --heading --no-heading --column --no-column --color= --colors= --context-separator= \
        --field-match-separator= --field-context-separator= --one-file-system --max-filesize= --line-buffered \
        --block-buffered --no-messages --no-config --crlf --engine= --type-add= --type-clear= --no-mmap --mmap \
        --debug --help --version --path-separator= --no-require-git --binary --no-unicode --dfa-size-limit= \
        --regex-size-limit= --include-zero --stop-on-nonmatch",
    ),
    (
        "rg --files",
        "R",
        "--files -g=GLOB -t= -T= -u -. -L -0 -d= -S -i -l --glob=GLOB --iglob=GLOB --type= --type-not= --hidden \
        --no-ignore --no-ignore-vcs --follow --null --sort= --sortr= --max-depth= --max-filesize= --no-messages \
        --color= --threads= -j= --unrestricted --one-file-system --no-config --path-separator= \
        --glob-case-insensitive",
    ),
    (
        "fd|fdfind",
        "P",
        "-H -I -u -s -i -g -F -a -l -L -p -0 -1 -q -d= -E= -t= -e= -S= -c= -j= --hidden --no-ignore \
        --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings \
        --absolute-path --list-details --follow --full-path --print0 --max-depth= --min-depth= --exact-depth= \
        --exclude= --type= --extension= --size= --changed-within= --changed-before= --color= --threads= \
        --max-results= --quiet --show-errors --one-file-system --strip-cwd-prefix? --base-directory=R --help \
        --version",
    ),
    (
        "jq",
        "P",
        "-c -r -j -a -s -n -e -S -C -M -R --compact-output --raw-output --join-output --ascii-output --slurp \
        --null-input --exit-status --sort-keys --color-output --monochrome-output --raw-input --tab --indent= \
        --stream --seq --help --version",
    ),
    ("bc", "R", "-l -q -s -w --mathlib --quiet --standard --warn --help --version"),
    (
        "pgrep",
        "T",
        "-a -c -f -l -n -o -u= -x --list-name --list-full --count --full --newest --oldest --exact --help \
        --version",
    ),
    (
        "nm|size|readelf|objdump",
        "R",
        "-a -A -B -C -D -g -n -p -P -r -S -s -u -h -l -d -x -t -e -W -t= --all --demangle? --dynamic \
        --extern-only --headers --symbols --sections --segments --wide --file-header --section-headers \
        --disassemble --syms --help --version @",
    ),
    ("unzip -l", "R1", "-l -v"),
    (
        "cloc",
        "R",
        "--exclude-dir= --exclude= --include-lang= --by-file --json --quiet --files --sort= --help --version",
    ),
    ("getconf|locale", "T", "-a --all-locales"),
    (
        "git status",
        "G",
        "-s -b -v -u? -z -uno -unormal -uall --short --branch --show-stash --porcelain? --long --verbose \
        --untracked-files? --ignored? --ignore-submodules? --column? --no-column --ahead-behind \
        --no-ahead-behind --renames --no-renames --find-renames? -M? --verbose --find-renames? --null",
    ),
    (
        "git log|git show|git diff|git whatchanged|git diff-tree|git diff-index|git diff-files|git rev-list\
        |git reflog|git reflog show|git stash show",
        "G",
        LOG,
    ),
    ("git stash list", "0", LOG),
    (
        "git blame|git annotate",
        "G",
        "-b -c -e -f -l -n -p -s -t -w -L= -M? -C? -S=R --root --show-stats --show-name --show-number \
        --show-email --porcelain --line-porcelain --incremental --date= --since= --first-parent --ignore-rev= \
        --abbrev= --color-lines --color-by-age --reverse",
    ),
    (
        "git shortlog",
        "G",
        "-s -n -e -c -w? --summary --numbered --email --committer --group= --all --no-merges --merges --since= \
        --until= --format= --author= --branches? --tags? --remotes? --first-parent",
    ),
    (
        "git describe",
        "G",
        "--all --tags --contains --abbrev= --candidates= --exact-match --debug --long --match= --exclude= \
        --always --first-parent --dirty? --broken?",
    ),
    (
        "git grep",
        "GP",
        "-a -I -i -w -v -h -H -E -G -F -P -n -l -L -c -o -p -W -q -z -A= -B= -C= -e=! -f=R! -m= -# --cached \
        --untracked --exclude-standard --text --ignore-case --word-regexp --invert-match --full-name \
        --extended-regexp --basic-regexp --fixed-strings --perl-regexp --line-number --column \
        --files-with-matches --files-without-match --name-only --count --only-matching --show-function \
        --function-context --quiet --all-match --and --or --not --after-context= --before-context= --context= \
        --max-depth= --recursive --no-recursive --threads= --break --heading --color? --no-color --max-count= \
        --null",
    ),
    (
        "git ls-files",
        "G",
        "-c -d -m -o -i -s -u -k -t -v -f -z -x= -X=R --cached --deleted --modified --others --ignored --stage \
        --unmerged --killed --exclude= --exclude-from=R --exclude-per-directory= --exclude-standard \
        --error-unmatch --full-name --recurse-submodules --abbrev? --debug --eol --deduplicate --directory \
        --no-empty-directory --with-tree= --format=",
    ),
    (
        "git ls-tree",
        "G",
        "-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev? \
        --format=",
    ),
    ("git cat-file", "G", "-t -s -e -p --batch-check? --batch-all-objects --unordered --buffer --follow-symlinks"),
    (
        "git rev-parse",
        "G",
        "--short? --verify -q --quiet --abbrev-ref? --symbolic --symbolic-full-name --all --branches? --tags? \
        --remotes? --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir \
        --is-inside-work-tree --is-inside-git-dir --is-bare-repository --is-shallow-repository \
        --show-superproject-working-tree --show-object-format? --path-format= --git-path= --revs-only --no-revs \
        --flags --no-flags --since= --until= --shared-index-path --show-ref-format --show-toplevel --default= \
        --symbolic --disambiguate= --is-inside-work-tree --short? --sq",
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
        "-s -p --format= --sort= --count= --points-at= --merged? --no-merged? --contains? --no-contains? \
        --ignore-case --color? --shell --perl --omit-empty --exclude=",
    ),
    ("git count-objects", "0", "-v -H --verbose --human-readable"),
    ("git check-ignore", "G", "-q -v -n -z --quiet --verbose --non-matching --no-index"),
    ("git check-attr", "G", "-a -z --all --cached"),
    (
        "git branch",
        "0",
        "-a -r -v -vv -i -l --all --remotes --list --verbose --show-current --color? --no-color --column? \
        --no-column --sort= --merged? --no-merged? --contains? --no-contains? --points-at= --format= --abbrev? \
        --no-abbrev --ignore-case",
    ),
    (
        "git tag",
        "0",
        "-l -n? -n -i --list --sort= --contains? --no-contains? --merged? --no-merged? --points-at= --format= \
        --column? --color? --ignore-case",
    ),
    ("git remote", "0", "-v --verbose"),
    ("git remote get-url", "T", "--all --push"),
    (
        "git config --get|git config --get-all|git config --get-regexp|git config get",
        "T",
        "--get --get-all --get-regexp --global --local --system --worktree --type= --bool --int --path -z --null \
        --name-only --show-origin --show-scope --includes --no-includes --default= --all --regexp",
    ),
    (
        "git config --list|git config -l|git config list",
        "0",
        "-l --list --global --local --system --worktree --show-origin --show-scope --name-only -z --null \
        --includes",
    ),
    ("git symbolic-ref", "T1", "-q --quiet --short --no-recurse --recurse"),
    ("git worktree list", "0", "-v -z --porcelain --verbose"),
    ("git submodule status", "G", "--recursive --cached --quiet"),
    ("git version|git --version", "0", "--build-options"),
    ("git cherry|git range-diff", "G", "-v --verbose --abbrev? --no-color --color? --creation-factor= --no-dual-color"),
    (
        "tokei",
        "R",
        "-e= -f -s= -o= -t= -C --exclude= --files --sort= --output= --type= --compact --hidden --no-ignore -V \
        --version --help",
    ),
    (
        "scc",
        "R",
        "-f= -i= -x= -s= -w --by-file --exclude-dir= --include-ext= --no-cocomo --sort= --wide --format=NAME \
        --version --help",
    ),
    (
        "tar -t",
        "R",
        "-f=R --file=R -t -v -z -j -J --list --verbose --gzip --bzip2 --xz --zstd --numeric-owner --totals -a --exclude= \
        --wildcards --no-recursion --force-local",
    ),
    (
        "ps",
        "0",
        "-A -a -d -e -f -F -j -l -y -c -L -T -H -M -x -o= -p= -u= -U= -t= -C= -g= -q= --forest --pid= --ppid= \
        --user= --sort= --no-headers --headers --cols= --rows= -w --version --help",
    ),
    (
        "git branch --list|git branch -l",
        "T",
        "-a -r -v -vv -i -l --all --remotes --list --verbose --sort= --format= --no-color --color? --column? \
        --no-column --merged? --no-merged? --contains? --no-contains? --points-at= --abbrev? --ignore-case",
    ),
    (
        "git branch --merged|git branch --no-merged|git branch --contains|git branch --no-contains\
        |git branch --points-at",
        "T",
        "--merged? --no-merged? --contains? --no-contains? --points-at? -a -r -v -vv --all --remotes --verbose \
        --sort= --format= --no-color --color? --list",
    ),
    (
        "git tag -l|git tag --list|git tag --contains|git tag --merged|git tag --no-merged\
        |git tag --points-at",
        "T",
        "-l -n? -n -i --list --sort= --format= --merged? --no-merged? --contains? --no-contains? --points-at? \
        --column? --color? --ignore-case",
    ),
    (
        "git show-branch",
        "T",
        "-a -r --all --remotes --current --topo-order --date-order --sparse --more= --list --merge-base \
        --independent --no-name --sha1-name --topics --color? --no-color",
    ),
    (
        "git diff --no-index",
        "R2",
        "--no-index --stat --name-only --name-status --numstat --shortstat -u -U= --unified= -w -b --color? \
        --no-color --word-diff? --exit-code --quiet",
    ),
    ("git check-ref-format", "T", "--branch --allow-onelevel --normalize"),
    ("git config user.name|git config user.email", "0", "--get"),
    ("shuf", "R1", "-e -n= -z -r -i= --echo --head-count= --input-range= --repeat --zero-terminated"),
    ("pathchk|tsort|look", "R", "-p -P"),
    ("diff3", "R", "-e -E -A -x -X -3 -m -T -a --merge --text --show-all"),
    ("cargo version|rustc -vV|rustc -Vv", "0", "-vV -Vv -v --verbose"),
    ("go version|go doc", "T", "~ -m -v -all -c -cmd -short -src -u"),
    (
        "python -m json.tool|python3 -m json.tool",
        "R1",
        "--sort-keys --no-ensure-ascii --json-lines --indent= --tab --no-indent --compact",
    ),
    (
        "npm ls|npm list|pnpm ls|pnpm list|yarn list",
        "T",
        "-a -g --all --depth= --json --long --parseable --prod --dev --omit= --include=",
    ),
];
