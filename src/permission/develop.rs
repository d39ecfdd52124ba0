//! Programs that build, check, format, lint or test the workspace's own project. How a line is written is said in
//! `programs.rs`.

use super::programs::Line;

/// The lines of the table that run the project's own code.
pub(super) const DEVELOPMENT: &[Line] = &[
    ("cargo build|cargo b|cargo check|cargo c|cargo doc", "T", "&cargo"),
    (
        "cargo test|cargo t|cargo bench|cargo nextest run|cargo nextest list",
        "T",
        "&cargo -E= --test-threads= --retries= --no-capture --run-ignored= --success-output= --failure-output= \
        --status-level= -- --nocapture --no-capture --test-threads --exact --ignored --include-ignored --skip \
        --list --show-output -q --quiet --format --color --bench --test --report-time --shuffle --shuffle-seed \
        -v --verbose --sample-size --save-baseline --baseline --measurement-time --warm-up-time --noplot --quick \
        --help -h",
    ),
    (
        "cargo clippy",
        "T",
        "&cargo --fix --allow-dirty --allow-staged -- -D* -W* -A* -F* --deny --warn --allow --forbid --cap-lints \
        --no-deps",
    ),
    (
        "cargo fmt",
        "T",
        "-v -q -p= --all --check --package= --manifest-path=R --message-format= --verbose --quiet -- --check -l \
        --files-with-diff -v --verbose -q --quiet --edition --color",
    ),
    (
        "cargo metadata",
        "0",
        "-q -v --no-deps --format-version= --filter-platform= --manifest-path=R --locked --offline --frozen \
        --features= --all-features --no-default-features --quiet",
    ),
    (
        "cargo tree",
        "0",
        "-p= -i= -e= -d -f= -q -v --package= --invert= --edges= --depth= --prune= --no-dedupe --duplicates \
        --format= --workspace --all --features= --all-features --no-default-features --target= --locked \
        --offline --frozen --charset= --prefix= --manifest-path=R",
    ),
    (
        "cargo pkgid|cargo verify-project|cargo locate-project",
        "T",
        "-q --message-format= --workspace --manifest-path=R",
    ),
    ("go build", "D", "~ -v -x -n -a -race -p= -o=W -tags= -trimpath -mod= -cover -work"),
    (
        "go test",
        "D",
        "~ -v -x -n -a -race -p= -tags= -trimpath -mod= -run= -bench= -benchmem -benchtime= -count= -short \
        -timeout= -cover -covermode= -coverpkg= -coverprofile=W -failfast -json -list= -parallel= -shuffle= \
        -skip= -fuzz= -fuzztime= -cpu= -vet= -fullpath -memprofile=W -cpuprofile=W -outputdir=W -trace=W \
        -blockprofile=W -mutexprofile=W",
    ),
    ("go vet|go list|go fmt", "D", "~ -v -x -n -json -tags= -m -f= -deps -e -test -mod= -c= -compiled -find"),
    ("gofmt|goimports|gofumpt", "D", "~ -l -w -d -s -e"),
    (
        "golangci-lint run|staticcheck",
        "D",
        "~ -v --fix --fast --timeout= --tests --enable= --disable= --new --out-format= --no-config \
        --issues-exit-code= --presets= --build-tags= --color= --print-issued-lines --max-issues-per-linter= \
        --max-same-issues= -E= -D= -p=",
    ),
    (
        "pytest|py.test|python -m pytest|python3 -m pytest",
        "D",
        "-v -vv -q -qq -s -x -l -k= -m= -n= -r= -ra -rA -rf -rs -rx --verbose --quiet --exitfirst --maxfail= --lf \
        --ff --last-failed --failed-first --nf --sw --stepwise --collect-only --co --tb= --durations= \
        --no-header --no-summary --showlocals --capture= --color= --cov? --cov-report= --cov-branch --no-cov \
        --strict-markers --disable-warnings --markers --fixtures --setup-show --numprocesses= --timeout= \
        --benchmark-skip --asyncio-mode= --deselect= --ignore= --ignore-glob= --version --help -p=PLUGIN -h \
        --doctest-modules --last-failed --no-cov-on-fail --cov-fail-under= --cov-append --durations-min= \
        --strict-config --strict --randomly-seed= -W= --forked --dist= --runslow --run-slow --reruns= \
        --snapshot-update --setup-only --setup-plan --fixtures-per-test --log-level= --log-cli-level= \
        --full-trace -vvv -qqq -rN -rP -rw -rE -rp -x @",
    ),
    (
        "python -m unittest|python3 -m unittest",
        "D",
        "-v -q -f -b -c -k= --verbose --quiet --failfast --buffer --locals -s=R -t=R -p= --start-directory=R \
        --top-level-directory=R --pattern= @",
    ),
    ("python -m py_compile|python3 -m py_compile|python -m compileall|python3 -m compileall", "D", "-q"),
    (
        "ruff check|ruff format",
        "D",
        "-q -v -n -w --fix --diff --check --select= --ignore= --extend-select= --output-format= --statistics \
        --show-fixes --no-cache --preview --unsafe-fixes --quiet --verbose --line-length= --target-version= \
        --exit-zero -s --silent -e --exit-non-zero-on-fix --add-noqa --no-fix --isolated --extend-ignore= \
        --per-file-ignores= --fixable= --exclude= --force-exclude @",
    ),
    (
        "mypy|pyright|dmypy run",
        "D",
        "-v -p= -m= --strict --ignore-missing-imports --no-error-summary --show-error-codes --pretty \
        --no-incremental --follow-imports= --python-version= --check-untyped-defs --warn-unused-ignores \
        --show-column-numbers --namespace-packages --explicit-package-bases --outputjson --stats --level= \
        --warnings --warn-unreachable --no-color-output --disallow-untyped-defs --show-error-context \
        --warn-return-any --no-strict-optional --exclude= --soft-error-limit= --pythonversion= \
        --no-site-packages -V --version @",
    ),
    (
        "black|isort|flake8|pylint|autopep8|pycodestyle|pydocstyle|yapf|bandit",
        "D",
        "-q -v -l= -S -t= -d -i -r -p --check --check-only --diff --color --colored --quiet --verbose \
        --line-length= --profile= --max-line-length= --select= --ignore= --disable= --enable= --errors-only -E \
        --fast --in-place --recursive --count --statistics --skip-string-normalization --score= --reports= -j= \
        --exclude= --extend-exclude= --output-format=NAME --force-exclude= --check-only --version -V @",
    ),
    ("npm test|npm t|npm tst|npm run-script test|pnpm test|pnpm t|yarn test|bun test", "T", "&node"),
    (
        "yarn lint|yarn build|yarn typecheck|yarn check-types|yarn format|pnpm lint|pnpm build\
        |pnpm typecheck|pnpm format",
        "T",
        "&node",
    ),
    ("npm run SAFE|npm run-script SAFE|pnpm run SAFE|yarn run SAFE|bun run SAFE", "T", "&node"),
    (
        "jest|vitest|vitest run|mocha|ava|tap|npx jest|npx vitest|npx vitest run|npx mocha",
        "D",
        "-v -t= -u -i -w= -b -o -f= -g= -R=NAME --ci --coverage? --verbose --silent --bail? --watch? --watchAll? \
        --run --no-watch --testNamePattern= --testPathPattern= --runInBand --maxWorkers= --onlyChanged \
        --passWithNoTests --updateSnapshot --json --reporter=NAME --reporters=NAME --no-color --color --colors \
        --grep= --fgrep= --exit --timeout= --forceExit --detectOpenHandles --listTests --showConfig --expand \
        --findRelatedTests --lastCommit --changedSince= --shard= --testTimeout= --no-coverage --project= \
        --recursive",
    ),
    (
        "tsc|npx tsc|vue-tsc|npx vue-tsc",
        "D",
        "~ @ -b -v -p=R --noEmit --build --project=R --pretty? --incremental? --skipLibCheck --strict --listFiles \
        --diagnostics --extendedDiagnostics --showConfig --explainFiles --emitDeclarationOnly --declaration \
        --target= --module= --jsx= --lib= --moduleResolution= --allowJs --checkJs --version --help \
        --noErrorTruncation --noUnusedLocals --noUnusedParameters --esModuleInterop --resolveJsonModule \
        --isolatedModules --force --dry --noEmitOnError --assumeChangesOnlyAffectDirectDependencies \
        --preserveWatchOutput --traceResolution --forceConsistentCasingInFileNames --composite",
    ),
    (
        "eslint|npx eslint|stylelint|npx stylelint",
        "D",
        "-f=NAME --fix --fix-dry-run --ext= --quiet --max-warnings= --format=NAME --no-color --color --cache \
        --ignore-pattern= --no-inline-config --report-unused-disable-directives --rule= --env= --debug \
        --no-eslintrc --no-error-on-unmatched-pattern --report-needless-disables --version --help \
        --cache-strategy= --pass-on-no-patterns --report-unused-inline-configs= --concurrency= --stats",
    ),
    (
        "prettier|npx prettier|biome check|biome lint|biome format|npx biome check|npx biome lint\
        |npx biome format",
        "D",
        "-c -l -w --check --list-different --write --apply --no-color --color --loglevel= --log-level= \
        --ignore-unknown --no-config --single-quote --tab-width= --print-width= --parser= --cache --no-semi \
        --version --help --experimental-ternaries --trailing-comma= --end-of-line= --staged --changed \
        --max-diagnostics= --diagnostic-level= --no-error-on-unmatched-pattern --no-errors-on-unmatched \
        --error-on-warnings --fix --unsafe --colors= --verbose",
    ),
    (
        "make|gmake",
        "MAKE",
        "-j# -k -n -s -B -i -q --jobs# --keep-going --dry-run --just-print --silent --quiet --always-make \
        --no-print-directory --version --help -C=R -O -w --directory=R -l= --output-sync? --trace -R -r -S",
    ),
    (
        "cmake --build",
        "MAKE",
        "--build=W -j# -t=TARGET -v --target=TARGET --config= --parallel# --verbose --clean-first -- -j* -k \
        -s -v VERBOSE",
    ),
    (
        "ctest",
        "T",
        "-N -V -VV -R= -E= -L= -j= -Q -C= --output-on-failure --verbose --test-dir=R --parallel= --rerun-failed \
        --stop-on-failure --timeout= --progress --build-config= --label-regex= --tests-regex= --exclude-regex= \
        --no-tests= --preset=",
    ),
    (
        "mvn test|mvn compile|mvn verify|mvn package|mvn -q|mvn -B|mvn -o|mvn -ntp|mvn validate\
        |mvn test-compile",
        "MAKE",
        "~ -q -B -o -T= -e -X -ntp --quiet --batch-mode --offline --no-transfer-progress -DskipTests \
        -DskipTests=true -Dtest= -DfailIfNoTests= -Dsurefire.failIfNoSpecifiedTests= -pl= -am -fae -ff \
        --fail-at-end --fail-fast --errors",
    ),
    (
        "gradle test|gradle build|gradle check|gradle compileJava|gradle assemble",
        "MAKE",
        "~ -q -i --quiet --info --offline --parallel --continue --tests= --no-daemon --console= --rerun-tasks \
        --stacktrace -x= --exclude-task= --build-cache --no-build-cache --warning-mode= --configuration-cache \
        --max-workers= --info --debug --profile",
    ),
    (
        "dotnet build|dotnet test|dotnet format",
        "D",
        "~ -c= -v= -f= --no-restore --no-build --configuration= --verbosity= --framework= --filter= --nologo \
        --verify-no-changes --no-incremental --list-tests --blame --severity= --include= --no-logo -nologo -c= \
        -v:q",
    ),
    (
        "rustfmt|shellcheck|shfmt|hadolint|yamllint|markdownlint|actionlint|taplo fmt|taplo check|stylua\
        |cppcheck",
        "D",
        "-i -l -d -w -s= -e= -x -f= -n --check --edition= --dry-run -Werror --severity= --shell= --exclude= \
        --format= --strict --fix --quiet --verbose --enable= --inline-suppr --color= --diff -a -C? -L= \
        --severity= --norc -ci -sr -kp --binary-next-line",
    ),
    (
        "python -m mypy|python3 -m mypy|python -m black|python3 -m black|python -m flake8|python3 -m flake8\
        |python -m isort|python3 -m isort|python -m ruff|python3 -m ruff",
        "D",
        "-q -v -l= --check --diff --strict --quiet --verbose --line-length= --ignore-missing-imports \
        --max-line-length= --select= --ignore= @",
    ),
    ("ninja", "MAKE", "-C=R -j= -v -k= -n --verbose --quiet --version"),
    (
        "mix test|mix compile|mix format|mix credo",
        "D",
        "--check --trace --stale --failed --color --no-color --verbose --quiet --check-formatted --force \
        --warnings-as-errors --only= --exclude= --include= --seed= --cover --strict -a --max-failures= --dry-run \
        --slowest=",
    ),
    (
        "rspec|bundle exec rspec",
        "D",
        "-f=NAME -t= -e= -b -p --trace --color --no-color --format=NAME --tag= --example= --seed= --order= \
        --fail-fast --only-failures --next-failure --dry-run --backtrace --profile",
    ),
    (
        "rake test|rake spec|rake lint|rake rubocop|rake build|rake|bundle exec rake test\
        |bundle exec rake spec|bundle exec rake",
        "MAKE",
        "-q -s -v -n -P -T -t -m --quiet --silent --verbose --dry-run --trace --tasks? --multitask",
    ),
    (
        "rubocop|bundle exec rubocop",
        "D",
        "-a -A -l -x -P -D -E -S --autocorrect --autocorrect-all --auto-correct --format=NAME -f=NAME --only= \
        --except= --parallel --no-parallel --lint --fail-fast --display-cop-names --force-exclusion \
        --fail-level= --cache=NAME",
    ),
    (
        "phpunit",
        "D",
        "~ --filter= --testdox --stop-on-failure --stop-on-error --group= --exclude-group= --testsuite= --colors? \
        --verbose --debug --no-coverage --coverage-text",
    ),
    ("composer test", "T", "-v -q --quiet --verbose --no-interaction -n"),
    (
        "swift build|swift test",
        "T",
        "~ -v -q -c= -j= --verbose --quiet --configuration= --filter= --skip= --parallel --enable-code-coverage \
        --build-tests --target= --product= --list-tests",
    ),
    ("zig build", "MAKE", "~ --check --summary -Doptimize= -Dtarget= -O= --color= --verbose"),
    (
        "deno test|deno lint|deno fmt|deno check",
        "D",
        "-q -A --check --quiet --filter= --fail-fast --parallel --coverage=W --fix --json --compact --ignore= \
        --allow-all --allow-read --no-check --shuffle? --trace-leaks --doc",
    ),
    (
        "dart analyze|dart test|dart format|flutter test|flutter analyze",
        "D",
        "-r=NAME -n= -N= -t= -x= -j= --reporter=NAME --name= --plain-name= --tags= --exclude-tags= --concurrency= \
        --coverage --fatal-infos --fatal-warnings --set-exit-if-changed --output=NAME --no-pub --line-length= \
        --chain-stack-traces",
    ),
    (
        "stack test|stack build|cabal test|cabal build",
        "T",
        "-v -j= --fast --pedantic --no-run-tests --test --bench --no-run-benchmarks --ta= --test-arguments= \
        --test-show-details= --enable-tests --coverage --haddock --color= --silent",
    ),
    ("sbt test|sbt compile|sbt Test/compile", "MAKE", "~ -no-colors -batch"),
    ("lein test|lein check|lein compile", "T", ":only :all"),
    ("dune build|dune test|dune runtest", "D", "-f --force --profile= --display= -j= --no-buffer --release"),
    ("zig fmt|zig test|zig ast-check", "D", "~ --check --color= -O= --test-filter="),
    (
        "clang-format|clang-tidy",
        "D",
        "~ -i -n -p=R --dry-run -Werror --Werror --style= -style= -fix --fix -checks= --checks= --verbose -quiet \
        --quiet --sort-includes --ferror-limit= --warnings-as-errors= --header-filter= -header-filter=",
    ),
];

/// Options that stand for `&name` in a line.
pub(super) const SHARED: &[(&str, &str)] = &[
    (
        "&cargo",
        "-p= -j= -v -q -r -F= --package= --workspace --all --exclude= --lib --bin= --bins --example= --examples \
        --test= --tests --bench= --benches --all-targets --features= --all-features --no-default-features \
        --release --profile= --jobs= --keep-going --verbose --quiet --color= --message-format= --locked \
        --offline --frozen --doc --no-run --no-fail-fast --ignore-rust-version --future-incompat-report \
        --timings? --target= --manifest-path=R --target-dir=W --message-format-version= --no-default-features \
        --no-deps --document-private-items --unit-graph --build-plan",
    ),
    (
        "&node",
        "-s --silent --if-present --workspaces --workspace= -w= --no-color --color --no-progress --workspace= \
        --include-workspace-root \
        -- !=-r !=-c !require !import !loader !config !plugin !rulesdir !exec !shell !resolver !runner !setup !preset \
        !environment !transform !reporter !formatter !prefix !global !outdir !out-dir",
    ),
];
