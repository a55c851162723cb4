//! Commands of user parameters and `system.run`, by a shell.
//!
//! Programs are started here only. A command has a process group of its own, and all of it ends
//! with the command or with its time; its output is read up to a bound. Variables with Saker's
//! prefix are settings, perhaps secrets, and are not passed on.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use agent::{NO_ROOM, Room};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rt::settings::ENV_PREFIX;
use rt::task::Tasks;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::time::{sleep, timeout};

/// Zabbix's limit for the output of a command since 7.0; more is an error.
const OUTPUT_BYTES_MAX: usize = 16 << 20;
/// Pause between checks whether a command has ended that prints no more.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Pause between checks whether a command has ended whose output is still open.
const POLL_OPEN_INTERVAL: Duration = Duration::from_millis(50);
/// Time to read the output of a command that has ended.
const END_MAX: Duration = Duration::from_secs(1);

/// Runs a command to its end and returns its output, errors included, without white space at its
/// end.
///
/// # Errors
/// In Zabbix's words: if it does not start, does not end in time, prints too much, or finds no
/// room.
pub(crate) async fn run(
    tasks: &Tasks,
    command: &str,
    folder: Option<&Path>,
    (time, room): (Duration, &Room),
) -> Result<String, String> {
    let running = async {
        let (out, to_out) = io::pipe().map_err(|it| cannot_start(&it))?;
        let to_errors = to_out.try_clone().map_err(|it| cannot_start(&it))?;
        let mut shell = shell(command, folder);
        shell.stdin(Stdio::null()).stdout(to_out).stderr(to_errors);
        let mut group = start(tasks, shell).await.map_err(|it| cannot_start(&it))?;
        let out = pipe::Receiver::from_owned_fd(OwnedFd::from(out));
        let out = out.map_err(|it| cannot_start(&it))?;
        let bytes = group.read(out, room).await?;
        // The command has closed its outputs, most likely because it has ended.
        while group.is_running() {
            sleep(POLL_INTERVAL).await;
        }
        let text = String::from_utf8(bytes)
            .unwrap_or_else(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
        Ok(text.trim_end_matches([' ', '\t', '\r', '\n']).to_owned())
    };
    let late = || Err("Timeout while executing a shell script.".to_owned());
    timeout(time, running).await.unwrap_or_else(|_late| late())
}

/// Reads to the end; too much is an error. If it is dropped, the bytes read so far stay.
async fn read_bounded(
    from: &mut pipe::Receiver,
    bytes: &mut Vec<u8>,
    room: &Room,
) -> Result<(), String> {
    let failed = |it: io::Error| format!("Cannot read the output of the command: {it}");
    while 0 < from.read_buf(bytes).await.map_err(failed)? {
        if OUTPUT_BYTES_MAX < bytes.len() {
            let limit = OUTPUT_BYTES_MAX >> 10;
            return Err(format!("Command output exceeded limit of {limit} KB"));
        }
        room.cover(bytes.len() as u64).map_err(|_no_room| NO_ROOM.to_owned())?;
    }
    Ok(())
}

/// Starts a command without waiting for it.
///
/// # Errors
/// If there is no shell.
pub(crate) async fn start_detached(tasks: &Tasks, command: &str) -> Result<(), String> {
    // Its parent ends at once, so that the command is no child of this process.
    let mut shell = shell("(eval \"$1\") &", None);
    shell.args(["sh", command]);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let started = tasks.offload("start of a command", move || shell.status()).await;
    started.map(drop).map_err(|it| cannot_start(&it))
}

fn cannot_start(error: &io::Error) -> String {
    format!("Cannot execute command: {error}")
}

fn shell(command: &str, folder: Option<&Path>) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command).process_group(0);
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with(ENV_PREFIX) {
            shell.env_remove(name);
        }
    }
    if let Some(folder) = folder {
        shell.current_dir(folder);
    }
    shell
}

/// In the pool for blocking work: the shell may lie on a slow disk.
async fn start(tasks: &Tasks, mut shell: Command) -> io::Result<Group> {
    let of = tasks.clone();
    let started = tasks.offload("start of a command", move || shell.spawn());
    Ok(Group { child: Some(started.await?), tasks: of })
}

/// A command with all processes that it has started; dropping this ends them.
#[derive(Debug)]
struct Group {
    /// `None` while it is being dropped.
    child: Option<Child>,
    tasks: Tasks,
}

impl Group {
    fn is_running(&mut self) -> bool {
        self.child.as_mut().is_some_and(|it| matches!(it.try_wait(), Ok(None)))
    }

    /// Reads the output. When the command has ended, processes that it left in the background end
    /// as well: they could hold the output open without limit.
    async fn read(&mut self, mut from: pipe::Receiver, room: &Room) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        loop {
            let read = read_bounded(&mut from, &mut bytes, room);
            if let Ok(read) = timeout(POLL_OPEN_INTERVAL, read).await {
                return read.map(|()| bytes);
            }
            if !self.is_running() {
                break;
            }
        }
        self.kill();
        // After that only a process that has left the group can hold the output open.
        let rest = timeout(END_MAX, read_bounded(&mut from, &mut bytes, room)).await;
        rest.unwrap_or(Ok(())).map(|()| bytes)
    }

    /// The group may have ended already.
    fn kill(&self) {
        let id = self.child.as_ref().and_then(|it| i32::try_from(it.id()).ok());
        id.and_then(|it| killpg(Pid::from_raw(it), Signal::SIGKILL).ok());
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Processes that it left in the background end as well.
        self.kill();
        let Some(mut child) = self.child.take() else { return };
        if matches!(child.try_wait(), Ok(Some(_))) {
            return;
        }
        // A killed process may take its time to end; a thread of its own waits for it.
        drop(self.tasks.thread("end of a command", move || drop(child.wait())));
    }
}

#[cfg(test)]
mod tests {
    use rt::metrics::Registry;

    use super::*;

    fn room() -> Room {
        agent::Memory::new(128 << 20).room()
    }

    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn output_and_errors_keep_their_order_without_the_last_line_end() {
        let tasks = Tasks::new("test", &Registry::new());
        let run = async |command: &str, time| run(&tasks, command, None, (time, &room())).await;
        assert_eq!(run("echo a; echo b >&2; echo ' c '", LONG).await, Ok("a\nb\n c".to_owned()));
        assert_eq!(run("exit 3", LONG).await, Ok(String::new()));
        let late = Err("Timeout while executing a shell script.".to_owned());
        assert_eq!(run("sleep 60", Duration::from_millis(100)).await, late);
        let much = run("yes", LONG).await;
        assert_eq!(much, Err("Command output exceeded limit of 16384 KB".to_owned()));
    }

    #[tokio::test]
    async fn outputs_have_a_bound_in_sum() {
        let tasks = Tasks::new("test", &Registry::new());
        let memory = agent::Memory::new(16 << 20);
        let print = "head -c 4000000 /dev/zero | tr '\\0' x";
        let (first, second) = (memory.room(), memory.room());
        let printed = run(&tasks, print, None, (LONG, &first)).await.expect("there is room");
        assert_eq!(printed.len(), 4_000_000);
        assert!(8_000_000 <= memory.taken());
        assert_eq!(run(&tasks, print, None, (LONG, &second)).await, Err(NO_ROOM.to_owned()));
        assert!(memory.taken() <= 16 << 20, "{}", memory.taken());
        drop((first, second));
        assert_eq!(memory.taken(), 0);
    }

    #[tokio::test]
    async fn ended_command_does_not_wait_for_background_processes() {
        let tasks = Tasks::new("test", &Registry::new());
        // The time of a command is longer than a test may take.
        let run =
            async |it: &str| run(&tasks, it, None, (Duration::from_secs(3_600), &room())).await;
        assert_eq!(run("sleep 100000 & echo done").await, Ok("done".to_owned()));
        // A process that has left the group lives on.
        assert_eq!(run("setsid sleep 20 & echo done").await, Ok("done".to_owned()));
    }

    #[tokio::test]
    async fn commands_run_in_their_folder_and_go_on_without_a_caller() {
        let tasks = Tasks::new("test", &Registry::new());
        let folder = tempfile::tempdir().expect("a folder");
        let at = run(&tasks, "pwd", Some(folder.path()), (LONG, &room())).await.expect("it runs");
        assert!(at.ends_with(&folder.path().display().to_string()), "{at}");
        let file = folder.path().join("done");
        let command = format!("sleep 0.1; touch '{}'", file.display());
        start_detached(&tasks, &command).await.expect("it starts");
        peers::wait_until("the command is done", LONG, || file.try_exists().unwrap_or(false));
    }
}
