//! Programs that collectors start: one for each check, or one that is kept and exchanges lines.
//!
//! A program gets a process group of its own, and all of the group ends with it or with its time.
//! Its output is read up to a bound. It gets few variables of the server's environment: settings of
//! the server may stand there, and with them passwords.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rt::budget::NoRoom;
use rt::reading::{NO_ROOM, Reading};
use rt::task::Tasks;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::unix::pipe;
use tokio::time::{sleep, timeout};

/// Pause between checks whether a program has ended that prints no more.
const POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Pause between checks whether a program has ended whose output is still open.
const POLL_OPEN_INTERVAL: Duration = Duration::from_millis(50);
/// Time to read the output of a program that has ended.
const END_MAX: Duration = Duration::from_secs(1);
/// Variables passed on from the server's environment.
const VARIABLES: [&str; 5] = ["PATH", "HOME", "LANG", "LC_ALL", "TZ"];
const DEFAULT_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// A program to start.
#[derive(Clone, Default)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// In addition to [`VARIABLES`].
    pub(crate) variables: Vec<(String, String)>,
    /// Its working directory; `None`: that of the server.
    pub(crate) folder: Option<PathBuf>,
}

impl fmt::Debug for Program {
    /// Arguments and variables may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Why a program has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProgramError {
    #[error("{}", start_failed(path, source))]
    Start { path: PathBuf, source: io::Error },
    #[error("Timeout while executing a shell script.")]
    Late,
    #[error("Command output exceeded limit of {} KB", .0 >> 10)]
    TooLong(usize),
    #[error("{NO_ROOM}")]
    NoRoom,
    #[error("Cannot speak with the program: {0}")]
    Pipe(io::Error),
    #[error("The program has ended without an answer.")]
    Ended,
}

/// In Zabbix's words, `/path/name: [2] No such file or directory`.
fn start_failed(path: &Path, error: &io::Error) -> String {
    format!("{}: {}", path.display(), crate::collectors::describe(error))
}

impl ProgramError {
    /// Whether this machine lacks resources, rather than the program failing.
    pub(crate) fn is_shortage(&self) -> bool {
        match self {
            Self::Start { source, .. } | Self::Pipe(source) => {
                crate::collectors::is_shortage(source)
            }
            Self::Late | Self::TooLong(_) | Self::NoRoom | Self::Ended => false,
        }
    }
}

/// Runs a program to its end and returns its output, with errors in the order in which they were
/// printed, and its exit status.
///
/// # Errors
/// If it does not start, or does not end in time, or prints more than `bytes_max` or than there is room for.
pub(crate) async fn run(
    tasks: &Tasks,
    program: Program,
    (time, bytes_max): (Duration, usize),
    reading: &mut Reading,
) -> Result<(Vec<u8>, ExitStatus), ProgramError> {
    let running = async {
        let (out, to_out) = io::pipe().map_err(ProgramError::Pipe)?;
        let to_errors = to_out.try_clone().map_err(ProgramError::Pipe)?;
        let pipes = [Stdio::null(), to_out.into(), to_errors.into()];
        let mut group = start(tasks, program, pipes).await?;
        let out = pipe::Receiver::from_owned_fd(OwnedFd::from(out)).map_err(ProgramError::Pipe)?;
        let mut text = Vec::new();
        group.read(out, (&mut text, bytes_max), reading).await?;
        // The program has closed its outputs, most likely because it has ended.
        loop {
            if let Some(status) = group.ended().map_err(ProgramError::Pipe)? {
                return Ok((text, status));
            }
            sleep(POLL_INTERVAL).await;
        }
    };
    timeout(time, running).await.unwrap_or(Err(ProgramError::Late))
}

/// Starts a program in the pool for blocking work: its file may lie on a slow disk.
async fn start(
    tasks: &Tasks,
    program: Program,
    [input, out, errors]: [Stdio; 3],
) -> Result<Group, ProgramError> {
    let of = tasks.clone();
    tasks
        .offload("start of a program", move || {
            let mut command = Command::new(&program.path);
            command.args(&program.arguments).env_clear();
            command.env("PATH", DEFAULT_PATH);
            let own = VARIABLES.iter().filter_map(|it| Some((it, std::env::var_os(it)?)));
            command.envs(own.collect::<Vec<(_, OsString)>>());
            command.envs(program.variables);
            if let Some(folder) = &program.folder {
                command.current_dir(folder);
            }
            command.stdin(input).stdout(out).stderr(errors).process_group(0);
            match command.spawn() {
                Ok(child) => Ok(Group { child: Some(child), tasks: of }),
                Err(source) => Err(ProgramError::Start { path: program.path, source }),
            }
        })
        .await
}

/// Reads to the end; more than the bound is an error. If it is dropped, the bytes read so far stay.
async fn read_bounded(
    from: &mut pipe::Receiver,
    (text, bytes_max): (&mut Vec<u8>, usize),
    reading: &mut Reading,
) -> Result<(), ProgramError> {
    let no_room = |NoRoom| ProgramError::NoRoom;
    loop {
        let read = reading.awaiting(from.read_buf(text)).await.map_err(no_room)?;
        if read.map_err(ProgramError::Pipe)? == 0 {
            return Ok(());
        }
        if bytes_max < text.len() {
            return Err(ProgramError::TooLong(bytes_max));
        }
        reading.cover(text.len() as u64).await.map_err(no_room)?;
    }
}

/// A program with all processes that it has started; dropping this ends them.
#[derive(Debug)]
struct Group {
    /// `None` while it is being dropped.
    child: Option<Child>,
    tasks: Tasks,
}

impl Group {
    /// Whether it has ended; processes that it left in the background may live.
    fn ended(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.as_mut().map_or(Ok(None), Child::try_wait)
    }

    /// Reads the output. When the program has ended, processes that it left in the background end
    /// as well: they could hold the output open without limit.
    async fn read(
        &mut self,
        mut from: pipe::Receiver,
        (text, bytes_max): (&mut Vec<u8>, usize),
        reading: &mut Reading,
    ) -> Result<(), ProgramError> {
        loop {
            let read = read_bounded(&mut from, (text, bytes_max), reading);
            if let Ok(read) = timeout(POLL_OPEN_INTERVAL, read).await {
                return read;
            }
            if self.ended().map_err(ProgramError::Pipe)?.is_some() {
                break;
            }
        }
        self.kill();
        // After that only a process that has left the group can hold the output open.
        let rest = read_bounded(&mut from, (text, bytes_max), reading);
        timeout(END_MAX, rest).await.unwrap_or(Ok(()))
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
        drop(self.tasks.thread("end of a program", move || drop(child.wait())));
    }
}

/// A program that is kept alive: it reads a line and writes a line, again and again.
#[derive(Debug)]
pub(crate) struct Kept {
    input: pipe::Sender,
    output: BufReader<pipe::Receiver>,
    /// Last: it is ended after its pipes are closed.
    _group: Group,
}

impl Kept {
    /// # Errors
    /// If it does not start.
    pub(crate) async fn start(tasks: &Tasks, program: Program) -> Result<Self, ProgramError> {
        let (input, from_us) = io::pipe().map_err(ProgramError::Pipe)?;
        let (out, to_out) = io::pipe().map_err(ProgramError::Pipe)?;
        // Its errors are not read.
        let pipes = [input.into(), to_out.into(), Stdio::null()];
        let group = start(tasks, program, pipes).await?;
        let input = pipe::Sender::from_owned_fd(OwnedFd::from(from_us));
        let output = pipe::Receiver::from_owned_fd(OwnedFd::from(out));
        Ok(Self {
            input: input.map_err(ProgramError::Pipe)?,
            output: BufReader::new(output.map_err(ProgramError::Pipe)?),
            _group: group,
        })
    }

    /// Sends a line, given without its end, and returns the next line of the program, without its
    /// end. After an error, or if this is dropped before its end, the program is out of step: drop
    /// it.
    ///
    /// # Errors
    /// If the program has ended, or writes a longer line.
    pub(crate) async fn ask(
        &mut self,
        line: &str,
        bytes_max: usize,
        reading: &mut Reading,
    ) -> Result<Vec<u8>, ProgramError> {
        let sent = async {
            self.input.write_all(line.as_bytes()).await?;
            self.input.write_all(b"\n").await
        };
        if sent.await.is_err() {
            return Err(ProgramError::Ended);
        }
        let no_room = |NoRoom| ProgramError::NoRoom;
        let mut answer = Vec::new();
        loop {
            let read = reading.awaiting(self.output.fill_buf()).await.map_err(no_room)?;
            let some = read.map_err(ProgramError::Pipe)?;
            let end = some.iter().position(|it| *it == b'\n');
            let part = some.get(..end.unwrap_or(some.len())).unwrap_or_default();
            if bytes_max < answer.len() + part.len() {
                return Err(ProgramError::TooLong(bytes_max));
            }
            if some.is_empty() {
                return Err(ProgramError::Ended);
            }
            answer.extend_from_slice(part);
            let n = part.len() + usize::from(end.is_some());
            self.output.consume(n);
            if end.is_some() {
                return Ok(answer);
            }
            reading.cover(answer.len() as u64).await.map_err(no_room)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use rt::clock::Clock;
    use rt::metrics::Registry;
    use rt::reading::Readings;
    use tempfile::TempDir;

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(60);
    const MANY: usize = 1 << 20;

    fn reading() -> Reading {
        Readings::new(1 << 30, &Clock::real(), &Registry::new()).begin(1)
    }

    fn tasks() -> Tasks {
        Tasks::new("test", &Registry::new())
    }

    fn script(source: &str) -> (TempDir, Program) {
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = folder.path().join("script");
        fs::write(&path, format!("#!/bin/sh\n{source}\n")).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("set");
        let program = Program { folder: Some(folder.path().into()), path, ..Program::default() };
        (folder, program)
    }

    async fn run_script(source: &str) -> Result<String, String> {
        let (_folder, program) = script(source);
        let printed = run(&tasks(), program, (PATIENCE, MANY), &mut reading()).await;
        let (printed, _status) = printed.map_err(|it| it.to_string())?;
        Ok(String::from_utf8(printed).expect("text"))
    }

    /// Whether a process is gone, or dead and not reaped yet by its new parent.
    fn is_gone(id: &str) -> bool {
        let state = fs::read_to_string(format!("/proc/{}/stat", id.trim())).unwrap_or_default();
        state.is_empty() || state.contains(") Z ")
    }

    #[tokio::test]
    async fn output_and_errors_are_returned_together() {
        let answer = run_script("echo a; echo b >&2; echo c; exit 3").await;
        assert_eq!(answer, Ok("a\nb\nc\n".to_owned()));
        let answer = run_script("exec >&- 2>&-; exec sleep 0.1").await;
        assert_eq!(answer, Ok(String::new()));
    }

    #[tokio::test]
    async fn a_program_ends_with_its_time_and_all_that_it_started() {
        let (folder, program) = script("sleep 1000 & echo $! > pid.new; mv pid.new pid; wait");
        let limits = (Duration::from_millis(500), MANY);
        let late = run(&tasks(), program, limits, &mut reading()).await;
        assert!(matches!(late, Err(ProgramError::Late)), "{late:?}");
        let id = fs::read_to_string(folder.path().join("pid")).expect("it has begun");
        peers::wait_until("the child is gone", PATIENCE, || is_gone(&id));
    }

    #[tokio::test]
    async fn background_processes_end_with_the_program() {
        let source = "sleep 1000 >/dev/null 2>&1 & echo $!";
        let id = run_script(source).await.expect("it ends");
        peers::wait_until("the child is gone", PATIENCE, || is_gone(&id));
    }

    #[tokio::test]
    async fn ended_program_does_not_wait_for_background_processes() {
        // The time of a check is longer than a test may take.
        let (_folder, program) = script("sleep 100000 & echo $!; exit 3");
        let ended =
            run(&tasks(), program, (Duration::from_secs(3_600), MANY), &mut reading()).await;
        let (printed, status) = ended.expect("it ends");
        assert_eq!(status.code(), Some(3));
        let id = String::from_utf8(printed).expect("text");
        peers::wait_until("the child is gone", PATIENCE, || is_gone(&id));
        // A process that has left the group lives on.
        let (_folder, program) = script("setsid sleep 20 & echo done");
        let ended =
            run(&tasks(), program, (Duration::from_secs(3_600), MANY), &mut reading()).await;
        assert_eq!(ended.expect("it ends").0, b"done\n");
    }

    #[tokio::test]
    async fn output_is_bounded() {
        let (_folder, program) = script("head -c 2000000 /dev/zero; sleep 1000");
        let long = run(&tasks(), program, (PATIENCE, MANY), &mut reading()).await;
        let error = long.expect_err("too long").to_string();
        assert_eq!(error, "Command output exceeded limit of 1024 KB");
    }

    #[tokio::test]
    async fn output_takes_no_more_memory_than_there_is_for_all() {
        let readings = Readings::new(1 << 20, &Clock::real(), &Registry::new());
        let readings = readings.waiting(Duration::from_millis(1));
        let mut other = readings.begin("other");
        other.try_cover(300 << 10).expect("room");
        let (_folder, program) = script("head -c 1000000 /dev/zero");
        let mut reading = readings.begin("bomb");
        let ended = run(&tasks(), program, (PATIENCE, MANY), &mut reading).await;
        assert_eq!(ended.expect_err("too much").to_string(), NO_ROOM);
        drop((reading, other));
        assert_eq!(readings.taken(), 0);
    }

    #[tokio::test]
    async fn missing_program_is_reported() {
        let program = Program { path: "/nonexistent/x".into(), ..Program::default() };
        let missing = run(&tasks(), program, (PATIENCE, MANY), &mut reading()).await;
        let error = missing.expect_err("it is missing").to_string();
        assert_eq!(error, "/nonexistent/x: [2] No such file or directory");
    }

    #[tokio::test]
    async fn a_program_sees_its_own_variables_and_few_of_ours() {
        let (_folder, mut program) = script("env | cut -d= -f1 | grep -v ^_$ | sort");
        program.variables = vec![("OWN".to_owned(), "secret".to_owned())];
        assert!(!format!("{program:?}").contains("secret"));
        let printed = run(&tasks(), program, (PATIENCE, MANY), &mut reading()).await;
        let text = String::from_utf8(printed.expect("it runs").0).expect("text");
        let names: Vec<_> = text.lines().filter(|it| *it != "PWD").collect();
        assert!(names.contains(&"OWN") && names.contains(&"PATH"), "{names:?}");
        let is_known = |it: &&str| *it == "OWN" || VARIABLES.contains(it);
        assert!(names.iter().all(is_known), "{names:?}");
    }

    #[tokio::test]
    async fn a_kept_program_answers_line_by_line() {
        let tasks = tasks();
        let source = "while read -r line; do test \"$line\" = end && exit; echo \"<$line>\"; done";
        let (_folder, program) = script(source);
        let mut kept = Kept::start(&tasks, program).await.expect("it starts");
        for line in ["a", "", "b c"] {
            let answer = kept.ask(line, MANY, &mut reading()).await.expect("an answer");
            assert_eq!(answer, format!("<{line}>").into_bytes());
        }
        let ended = kept.ask("end", MANY, &mut reading()).await;
        assert!(matches!(ended, Err(ProgramError::Ended)), "{ended:?}");
        let again = kept.ask("a", MANY, &mut reading()).await;
        assert!(matches!(again, Err(ProgramError::Ended)), "{again:?}");
    }

    #[tokio::test]
    async fn a_kept_program_cannot_answer_without_end() {
        let (_folder, program) = script("read -r line; head -c 2000000 /dev/zero; sleep 1000");
        let mut kept = Kept::start(&tasks(), program).await.expect("it starts");
        let long = timeout(PATIENCE, kept.ask("a", MANY, &mut reading())).await.expect("in time");
        assert!(matches!(long, Err(ProgramError::TooLong(_))), "{long:?}");
    }
}
