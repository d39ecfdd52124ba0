//! Paths as the gate judges them: where they really lead, whether that is in the workspace, and whether it is
//! something that is asked about wherever it is.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::fs;
use std::path::{Component, Path, PathBuf};

use globset::GlobBuilder;

use crate::workspace::Workspace;

/// Links followed before a path counts as leading nowhere.
const MOST_LINKS: usize = 40;
/// Matches of a glob that are looked at one by one.
const MOST_MATCHES: usize = 2_000;

/// A path as it is written and where it really leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Resolved {
    /// Absolute, with `..` taken by name.
    pub(super) named: PathBuf,
    /// Absolute, with links followed, also one that leads to nothing.
    pub(super) real: PathBuf,
}

/// Resolves a path from a directory; `~` is `home`.
pub(super) fn resolve(dir: &Path, path: &str, home: Option<&Path>) -> Resolved {
    let path = dir.join(expand_home(path, home));
    Resolved { named: by_name(&path), real: follow(&path) }
}

/// Where `cd target` may lead: the shell takes `..` by name, the system by link.
pub(super) fn after_cd(dir: &Path, target: &str, home: Option<&Path>) -> Vec<PathBuf> {
    let Resolved { named, real } = resolve(dir, target, home);
    let through_name = follow(&named);
    if through_name == real { vec![real] } else { vec![through_name, real] }
}

fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(rest), Some(home)) if rest.is_empty() || rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        // Another user's home: outside, wherever it is.
        (Some(rest), _) => Path::new("/home").join(rest),
        (None, _) => PathBuf::from(path),
    }
}

fn by_name(path: &Path) -> PathBuf {
    let mut named = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                named.pop();
            }
            Component::CurDir => {}
            other => named.push(other),
        }
    }
    named
}

/// Follows links as the system would, as far as there is anything.
fn follow(path: &Path) -> PathBuf {
    let mut left: VecDeque<OsString> = path.components().map(|part| part.as_os_str().to_owned()).collect();
    let mut real = PathBuf::new();
    let mut links = 0;
    while let Some(part) = left.pop_front() {
        match part.to_str() {
            Some("..") => {
                real.pop();
            }
            Some(".") => {}
            _ => {
                let next = real.join(&part);
                match fs::read_link(&next) {
                    Ok(target) if links < MOST_LINKS => {
                        links += 1;
                        for part in target.components().rev() {
                            left.push_front(part.as_os_str().to_owned());
                        }
                    }
                    Ok(_) => return PathBuf::from("/"),
                    Err(_) => real = next,
                }
            }
        }
    }
    real
}

/// Whether a path, as written and for real, is in the workspace.
pub(super) fn is_inside(path: &Resolved, workspace: &Workspace) -> bool {
    let inside = |path: &Path| workspace.dirs().any(|dir| path.starts_with(dir));
    // A root reached through a link is written in another way than the workspace knows it.
    (inside(&path.named) || inside(&follow(&path.named))) && inside(&path.real)
}

/// Whether a path may be read as the workspace is.
pub(super) fn is_readable(path: &Resolved, workspace: &Workspace) -> bool {
    let is_own_output = |dir: &Path| path.named.starts_with(dir) && path.real.starts_with(dir);
    is_inside(path, workspace) || workspace.readable().is_some_and(is_own_output)
}

/// Whether a path is where secrets are kept: asked about wherever it is.
pub(super) fn is_secret(path: &Path) -> bool {
    let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().to_ascii_lowercase()).collect();
    let secret_dirs = [".ssh", ".aws", ".gnupg", ".kube", ".azure", ".password-store", ".docker"];
    if parts.iter().any(|part| secret_dirs.contains(&part.as_str())) {
        return true;
    }
    if parts.get(1).is_some_and(|part| part == "proc") && parts.iter().any(|part| part == "environ" || part == "mem") {
        return true;
    }
    if parts.windows(2).any(|pair| pair == [".config", "gcloud"] || pair == [".config", "gh"]) {
        return true;
    }
    parts.last().is_some_and(|name| is_secret_name(name))
}

/// Whether a file's name (in lower case) is one that secrets have.
fn is_secret_name(name: &str) -> bool {
    let is_sample = [".example", ".sample", ".template", ".dist"].iter().any(|end| name.ends_with(end));
    let after_env = name.strip_prefix(".env").map(|rest| rest.chars().next());
    let is_env =
        (after_env.is_some_and(|next| next.is_none_or(|c| !c.is_alphanumeric())) || name == ".envrc") && !is_sample;
    let is_key =
        [".pem", ".key", ".p12", ".pfx", ".keystore", ".jks", ".kdbx", ".ppk"].iter().any(|end| name.ends_with(end));
    let is_ssh = ["id_rsa", "id_dsa", "id_ecdsa", "id_ed25519"].iter().any(|start| name.starts_with(start))
        && !name.ends_with(".pub")
        || (name.starts_with("id_") && name.len() > 3 && !name.contains('.'));
    let known = [
        ".netrc",
        "_netrc",
        ".npmrc",
        ".pypirc",
        ".pgpass",
        ".git-credentials",
        ".htpasswd",
        ".vault-token",
        "shadow",
        "gshadow",
        "credentials",
    ];
    is_env || is_key || is_ssh || known.contains(&name)
}

/// Whether to change a path is to change what runs later: git's own files, the agent's, shell start-up.
pub(super) fn runs_later(path: &Path) -> bool {
    let parts: Vec<String> = path.iter().map(|part| part.to_string_lossy().to_ascii_lowercase()).collect();
    let dirs = [".git", ".bareagent", ".husky", ".githooks"];
    if parts.iter().any(|part| dirs.contains(&part.as_str())) {
        return true;
    }
    let files = [
        ".mcp.json",
        ".gitmodules",
        ".gitconfig",
        ".bashrc",
        ".bash_profile",
        ".bash_login",
        ".bash_logout",
        ".profile",
        ".zshrc",
        ".zshenv",
        ".zprofile",
        ".zlogin",
        ".envrc",
        ".login",
        ".cshrc",
        ".inputrc",
    ];
    parts.last().is_some_and(|name| files.contains(&name.as_str()))
}

/// What a glob stands for: the files that it matches now (itself where there are none), and whether it is of a
/// kind that could match a secret.
pub(super) struct Matches {
    /// The files, with the directory that is searched when the pattern leads out of this one.
    pub(super) paths: Vec<String>,
    /// The files' own names, as the shell would write them.
    pub(super) named: Vec<String>,
    /// Whether a file's name would pass for an option.
    pub(super) has_option: bool,
    /// Whether it could match a secret that is not there yet.
    pub(super) may_be_secret: bool,
}

/// Looks up what a glob matches from a directory.
pub(super) fn expand_glob(dir: &Path, pattern: &str, home: Option<&Path>) -> Matches {
    let base = if pattern.starts_with('/') { PathBuf::from("/") } else { dir.to_owned() };
    let expanded = expand_home(pattern, home).to_string_lossy().into_owned();
    let mut found = vec![if expanded.starts_with('/') { PathBuf::from("/") } else { base }];
    for part in expanded.split('/').filter(|part| !part.is_empty() && *part != ".") {
        found = found.iter().flat_map(|dir| step(dir, part)).take(MOST_MATCHES + 1).collect();
    }
    let may_be_secret = found.len() > MOST_MATCHES || expanded.split('/').any(may_match_secret);
    let named: Vec<String> =
        found.iter().map(|path| path.strip_prefix(dir).unwrap_or(path).to_string_lossy().into_owned()).collect();
    let has_option = !pattern.starts_with(['/', '~', '.']) && named.iter().any(|name| name.starts_with('-'));
    let mut paths: Vec<String> = found.into_iter().map(|path| path.to_string_lossy().into_owned()).collect();
    if paths.is_empty() {
        // A pattern that matches nothing stands for itself.
        paths.push(expanded.clone());
    }
    // The directory that is searched is read too, whatever is found in it.
    let fixed = expanded.split('/').take_while(|part| !is_pattern(part)).collect::<Vec<_>>().join("/");
    paths.push(if fixed.is_empty() && expanded.starts_with('/') { "/".to_owned() } else { fixed + "/" });
    let paths = paths.into_iter().map(|path| path.trim_start_matches("//").to_owned());
    Matches {
        paths: paths.filter(|path| path != "/" || expanded.starts_with('/')).collect(),
        named,
        has_option,
        may_be_secret,
    }
}

fn is_pattern(part: &str) -> bool {
    part.contains(['*', '?', '['])
}

/// The entries of a directory that a part of a glob matches. A dot in front is matched by a dot only.
fn step(dir: &Path, part: &str) -> Vec<PathBuf> {
    if !is_pattern(part) {
        let next = dir.join(part);
        return if part == ".." || next.symlink_metadata().is_ok() { vec![next] } else { Vec::new() };
    }
    let Ok(glob) = GlobBuilder::new(part).build().map(|glob| glob.compile_matcher()) else { return Vec::new() };
    let entries = fs::read_dir(dir).into_iter().flatten().flatten().map(|entry| entry.file_name());
    let visible = |name: &OsString| part.starts_with('.') || !name.to_string_lossy().starts_with('.');
    entries.filter(|name| visible(name) && glob.is_match(name)).map(|name| dir.join(name)).collect()
}

/// Whether a part of a pattern is of the kind that secrets' names match. A bare `*` is not: what it matches is
/// looked up.
pub(super) fn may_match_secret(part: &str) -> bool {
    if !is_pattern(part) {
        return is_secret_name(&part.to_ascii_lowercase());
    }
    let Ok(glob) = GlobBuilder::new(part).case_insensitive(true).build().map(|glob| glob.compile_matcher()) else {
        return true;
    };
    let visible = |name: &&&str| part.starts_with(['.', '[']) || !name.starts_with('.');
    has_letters(part) && SECRET_NAMES.iter().filter(visible).any(|name| glob.is_match(name))
}

/// The same for a pattern of a program that does not treat a dot in front in a special way.
pub(super) fn may_match_hidden_secret(part: &str) -> bool {
    let Ok(glob) = GlobBuilder::new(part).case_insensitive(true).build().map(|glob| glob.compile_matcher()) else {
        return true;
    };
    has_letters(part)
        && (is_secret_name(&part.to_ascii_lowercase()) || SECRET_NAMES.iter().any(|name| glob.is_match(name)))
}

fn has_letters(part: &str) -> bool {
    part.chars().any(|c| c.is_alphanumeric() || c == '.')
}

/// Names that stand for all that hold secrets.
const SECRET_NAMES: &[&str] = &[
    ".env",
    ".env.local",
    ".env.production",
    ".envrc",
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".git-credentials",
    ".htpasswd",
    ".ssh",
    ".aws",
    ".gnupg",
    ".kube",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials",
    "\u{1}.pem",
    "\u{1}.key",
    "\u{1}.p12",
    "\u{1}.pfx",
];
