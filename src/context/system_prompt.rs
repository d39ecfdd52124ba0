//! The system text: who the agent is, how it works, where it is, and the instructions of user and project.
//!
//! It is made once a session and stays the same from turn to turn, so that prompt caches hit.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::workspace::Workspace;

/// Longer instruction files are cut here, in bytes.
const INSTRUCTIONS_CAP: u64 = 32 * 1024;

const BASE: &str = "You are bareagent, a coding agent in the user's terminal. You work in their project with the tools you are given until the \
task is done.

- Look before you change: read the files concerned and follow the project's conventions. Change what the task needs and no more.
- Prefer read_file, glob and grep to shell commands for looking, edit_file to rewriting files, and make independent calls in one message.
- Check your work: run the project's tests or the program where there are any. Say plainly what you did not check.
- A failed or refused call is information: read the reason and go another way. Never try to get around a refusal.
- Do not commit, push, publish or delete what you did not make unless asked.
- Answer in a few plain sentences: what you found or did, what is open. Name places as path:line.";

/// Makes the system text. `custom` replaces the base text, `appended` follows everything.
pub fn build(workspace: &Workspace, user_instructions: &Path, custom: Option<&str>, appended: Option<&str>) -> String {
    let mut text = custom.unwrap_or(BASE).to_owned();
    text.push_str(&format!(
        "\n\nWorking directory: {}\nPlatform: {}\nDate: {}",
        workspace.root().display(),
        std::env::consts::OS,
        today(),
    ));
    let instructions = [("user", user_instructions.to_owned()), ("project", workspace.root().join("AGENTS.md"))];
    for (whose, path) in instructions {
        if let Some(content) = read_capped(&path) {
            text.push_str(&format!(
                "\n\n<instructions of=\"{whose}\" path=\"{}\">\n{}\n</instructions>",
                path.display(),
                content.trim()
            ));
        }
    }
    if let Some(appended) = appended {
        text.push_str("\n\n");
        text.push_str(appended);
    }
    text
}

/// The date in UTC; the local one would need the system's time zone data at start.
fn today() -> String {
    let now = humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string();
    now.chars().take(10).collect()
}

fn read_capped(path: &Path) -> Option<String> {
    if !fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let file = fs::File::open(path).ok()?;
    let mut bytes = Vec::new();
    file.take(INSTRUCTIONS_CAP + 1).read_to_end(&mut bytes).ok()?;
    let is_cut = bytes.len() as u64 > INSTRUCTIONS_CAP;
    bytes.truncate(INSTRUCTIONS_CAP as usize);
    let mut content = String::from_utf8_lossy(&bytes).into_owned();
    if is_cut {
        content.push_str("\n[cut at 32 kB]");
    }
    Some(content).filter(|content| !content.trim().is_empty())
}
