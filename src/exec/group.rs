//! The processes of one command: the group and session that its shell leads, and whatever descends from
//! it. Programs such as `timeout` make groups of their own inside the session, so a signal to the
//! shell's group alone would miss them; where there is a `/proc`, the whole tree is found.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::process::{Pid, Signal};

/// Handle to the processes of one command; clones are the same group.
#[derive(Debug, Clone)]
pub(super) struct Group(Arc<Mutex<Inner>>);

#[derive(Debug)]
struct Inner {
    leader: Pid,
    /// The shell is reaped: from now on its number may come to belong to somebody else.
    leader_reaped: bool,
    /// Members seen earlier. One whose parent died is found no other way once it left the session.
    known: Vec<Member>,
}

/// A process, told from a later one of the same number by its start time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    pid: Pid,
    started: u64,
    group: i32,
}

impl Group {
    /// The group of a shell that was started as leader of its own session.
    pub(super) fn new(leader: Pid) -> Self {
        Self(Arc::new(Mutex::new(Inner { leader, leader_reaped: false, known: Vec::new() })))
    }

    /// The number of the group, the session and the shell.
    pub(super) fn id(&self) -> i32 {
        self.lock().leader.as_raw_nonzero().get()
    }

    /// To be called as soon as the shell has been waited for.
    pub(super) fn leader_reaped(&self) {
        self.lock().leader_reaped = true;
    }

    /// Sends a signal to every member.
    pub(super) fn signal(&self, signal: Signal) {
        let mut inner = self.lock();
        let group_exists = rustix::process::test_kill_process_group(inner.leader).is_ok();
        if inner.number_is_reused() || (!group_exists && inner.leader_reaped && inner.known.is_empty()) {
            return;
        }
        inner.refresh();
        // Failures mean that the process is gone already, or is not ours to signal.
        let _ = rustix::process::kill_process_group(inner.leader, signal);
        let leader = inner.leader.as_raw_nonzero().get();
        for member in inner.known.iter().filter(|member| member.group != leader) {
            let _ = rustix::process::kill_process(member.pid, signal);
        }
    }

    /// Whether any member still runs; the dead that nobody has waited for do not count.
    pub(super) fn is_alive(&self) -> bool {
        let mut inner = self.lock();
        if inner.number_is_reused() {
            return false;
        }
        inner.refresh();
        let group_exists = || rustix::process::test_kill_process_group(inner.leader).is_ok();
        !inner.known.is_empty() || (!has_proc() && group_exists())
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    /// A number stays taken while a group or session of that number lives; so a process that has the
    /// reaped shell's number proves that nothing of ours is left.
    fn number_is_reused(&self) -> bool {
        let taken = rustix::process::test_kill_process(self.leader);
        self.leader_reaped && !matches!(taken, Err(rustix::io::Errno::SRCH))
    }

    /// Looks for members anew: those of the session or group, those known, and all their children.
    fn refresh(&mut self) {
        let leader = self.leader.as_raw_nonzero().get();
        let all = entries();
        let mut family: HashSet<i32> = all
            .iter()
            .filter(|entry| entry.session == leader || entry.member.group == leader || self.knows(entry))
            .map(Entry::number)
            .collect();
        loop {
            let before = family.len();
            let children = all.iter().filter(|entry| family.contains(&entry.parent)).map(Entry::number);
            family.extend(children.collect::<Vec<_>>());
            if family.len() == before {
                break;
            }
        }
        let alive = all.iter().filter(|entry| !entry.dead && family.contains(&entry.number()));
        self.known = alive.map(|entry| entry.member).collect();
    }

    fn knows(&self, entry: &Entry) -> bool {
        self.known.iter().any(|member| member.pid == entry.member.pid && member.started == entry.member.started)
    }
}

/// A line of the process table.
struct Entry {
    member: Member,
    parent: i32,
    session: i32,
    dead: bool,
}

impl Entry {
    fn number(&self) -> i32 {
        self.member.pid.as_raw_nonzero().get()
    }
}

fn has_proc() -> bool {
    std::fs::exists("/proc/self/stat").unwrap_or(false)
}

/// The process table; empty where there is no `/proc`.
fn entries() -> Vec<Entry> {
    let Ok(dir) = std::fs::read_dir("/proc") else { return Vec::new() };
    dir.filter_map(|item| {
        let pid = item.ok()?.file_name().to_str()?.parse().ok()?;
        entry(Pid::from_raw(pid)?, &std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    })
    .collect()
}

/// Reads `pid (name) state parent group session … started …`; the name may hold anything, so the fields
/// count from its last parenthesis.
fn entry(pid: Pid, stat: &str) -> Option<Entry> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_ascii_whitespace().collect();
    let number = |index: usize| fields.get(index)?.parse::<i32>().ok();
    Some(Entry {
        member: Member { pid, started: fields.get(19)?.parse().ok()?, group: number(2)? },
        parent: number(1)?,
        session: number(3)?,
        dead: matches!(*fields.first()?, "Z" | "X" | "x"),
    })
}
