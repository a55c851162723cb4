//! A started program.

use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;

use crate::{wait_until, wait_up_to};

/// Of a program that was asked to end, before it is killed.
const ENDS_BY_ITSELF_MAX: Duration = Duration::from_secs(2);
/// Of killed processes until they are gone, on a busy machine.
const GONE_MAX: Duration = Duration::from_secs(30);

/// A program in a process group of its own, ended with its value, and everything that it has started
/// with it.
#[derive(Debug)]
pub struct Process {
    child: Child,
    /// Once it is known. Up to then the program, even if it has ended, keeps its id, which is the
    /// group's too: no other process can get the signals.
    status: Option<ExitStatus>,
    log: PathBuf,
    name: String,
}

impl Process {
    /// Starts it with its output appended to a file.
    ///
    /// # Panics
    /// If it does not start.
    pub fn start(command: &mut Command, log: PathBuf) -> Self {
        let name = Path::new(command.get_program()).file_name().expect("a program has a name");
        let name = name.to_string_lossy().into_owned();
        let file = File::options().create(true).append(true).open(&log).expect("its log opens");
        let out = file.try_clone().expect("a file has a second handle");
        let command = command.process_group(0).stdin(Stdio::null()).stdout(out).stderr(file);
        let child = command.spawn().unwrap_or_else(|error| panic!("{name}: {error}"));
        Self { child, status: None, log, name }
    }

    #[must_use]
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// To the program alone, as an operator would send it.
    ///
    /// # Panics
    /// If the program's end is known already.
    pub fn signal(&self, signal: Signal) {
        assert!(self.status.is_none(), "{} has ended", self.name);
        kill(self.pid(), signal).expect("it is ours");
    }

    #[must_use]
    pub fn has_ended(&self) -> bool {
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        let is_alive = || waitid(Id::Pid(self.pid()), flags) == Ok(WaitStatus::StillAlive);
        self.status.is_some() || !is_alive()
    }

    /// Waits for the end of the program, and ends the processes that it has left.
    ///
    /// # Panics
    /// If it does not end before the deadline.
    pub fn end(&mut self, deadline: Duration) -> ExitStatus {
        wait_until(&format!("{} ends", self.name), deadline, || self.has_ended());
        self.kill_group()
    }

    #[must_use]
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(&self.log).unwrap_or_default()).into_owned()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).expect("ids of processes are small"))
    }

    /// Returns when no process of the group lives.
    fn kill_group(&mut self) -> ExitStatus {
        if let Some(status) = self.status {
            return status;
        }
        let killed = killpg(self.pid(), Signal::SIGKILL);
        assert!(matches!(killed, Ok(()) | Err(Errno::ESRCH)), "{}: {killed:?}", self.name);
        let are_gone = wait_up_to(GONE_MAX, || self.has_ended() && living(self.pid()).is_empty());
        let left = living(self.pid());
        let status = self.child.wait().expect("it is ours");
        self.status = Some(status);
        // A second panic would end the process of the tests.
        assert!(are_gone || thread::panicking(), "{} has left {left:?}", self.name);
        status
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if !self.has_ended() {
            self.signal(Signal::SIGTERM);
            wait_up_to(ENDS_BY_ITSELF_MAX, || self.has_ended());
        }
        self.kill_group();
        if thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let last = lines.get(lines.len().saturating_sub(60)..).unwrap_or_default();
            eprintln!("--- log of {}:\n{}\n---", self.name, last.join("\n"));
        }
    }
}

/// Ids of the processes of a group that have not ended. Those that have ended stay in the group until
/// their parent, which may be anybody by then, asks for them.
fn living(group: Pid) -> Vec<i32> {
    let is_living = |id: i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
        // Behind the name, in brackets, which may have blanks: state, parent, group.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        let of: i32 = fields.nth(1)?.parse().ok()?;
        Some(of == group.as_raw() && !matches!(state, "Z" | "X"))
    };
    let processes = fs::read_dir("/proc").expect("there is a /proc");
    let ids = processes.filter_map(|it| it.ok()?.file_name().to_str()?.parse().ok());
    ids.filter(|id| is_living(*id) == Some(true)).collect()
}
