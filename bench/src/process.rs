//! The server under test: start, CPU time, memory, stop.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use rt::process_stat::ProcessStat;

use crate::common::{BenchError, io_error};

/// The password of `Admin` on the server under test, which lives on loopback for the run only.
pub(super) const PASSWORD: &str = "bench-password";

pub(super) struct Server {
    child: Child,
    data: PathBuf,
    pub(super) http: SocketAddr,
    pub(super) trapper: SocketAddr,
    /// From the start of the process to the first healthy answer.
    pub(super) ready_after: Duration,
    /// The time that [`Self::restart`] waited for the end of the process before.
    pub(super) stopped_after: Duration,
    program: Option<PathBuf>,
    settings: Settings,
}

/// Settings of a server that differ from the defaults, as variables of its environment.
pub(super) type Settings = &'static [(&'static str, &'static str)];

/// A process that takes values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Receiving {
    pub(super) pid: u32,
    pub(super) trapper: SocketAddr,
}

/// Memory of a process, in bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Memory {
    /// Resident, with the program's own pages.
    pub(super) rss: u64,
    /// Resident and no file's: heap and stacks.
    pub(super) anonymous: u64,
    /// The most that was resident.
    pub(super) peak: u64,
}

/// Writes of a process so far, to files and sockets alike: the kernel counts calls together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Io {
    pub(super) written_bytes: u64,
    /// Calls that write.
    pub(super) writes: u64,
    /// Bytes for which pages were sent to the disk.
    pub(super) disk_bytes: u64,
}

impl Server {
    /// Starts on a new data directory below `scratch`, and waits until values are accepted.
    pub(super) fn start(scratch: &Path, name: &str) -> Result<Self, BenchError> {
        Self::start_program(scratch, name, None)
    }

    /// As [`Self::start`], a server of another program.
    pub(super) fn start_program(
        scratch: &Path,
        name: &str,
        program: Option<&Path>,
    ) -> Result<Self, BenchError> {
        Self::start_with(scratch, name, program, &[])
    }

    /// As [`Self::start_program`], with settings.
    pub(super) fn start_with(
        scratch: &Path,
        name: &str,
        program: Option<&Path>,
        settings: Settings,
    ) -> Result<Self, BenchError> {
        let data = scratch.join(format!("{name}-{}", std::process::id()));
        fs::create_dir_all(scratch).map_err(io_error("create the scratch directory"))?;
        // Of a run that was killed and had this process's number.
        drop(fs::remove_dir_all(&data));
        Self::start_on(data, program, settings)
    }

    fn start_on(
        data: PathBuf,
        program: Option<&Path>,
        settings: Settings,
    ) -> Result<Self, BenchError> {
        let http = free_address().map_err(BenchError::Start)?;
        let trapper = free_address().map_err(BenchError::Start)?;
        let binary = server_program(program).map_err(BenchError::Start)?;
        let log = fs::File::create(data.with_extension("log")).map_err(BenchError::Start)?;
        let clock = rt::clock::Clock::real();
        let started = clock.now();
        let child = Command::new(binary)
            .arg("server")
            .arg("--data")
            .arg(&data)
            .args(["--http", &http.to_string(), "--trapper", &trapper.to_string()])
            .env("SAKER_ADMIN_PASSWORD", PASSWORD)
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(BenchError::Start)?;
        let mut server = Self {
            child,
            data,
            http,
            trapper,
            ready_after: Duration::ZERO,
            stopped_after: Duration::ZERO,
            program: program.map(Path::to_owned),
            settings,
        };
        server.wait_ready()?;
        server.ready_after =
            Duration::from_nanos(clock.now().mono_ns.saturating_sub(started.mono_ns));
        Ok(server)
    }

    fn wait_ready(&mut self) -> Result<(), BenchError> {
        let url = format!("http://{}/health", self.http);
        for _ in 0..6_000 {
            if ureq::get(&url).call().is_ok_and(|it| it.status() == 200) {
                return Ok(());
            }
            if let Ok(Some(status)) = self.child.try_wait() {
                let text = format!("the server ended by itself: {status}");
                return Err(BenchError::Start(std::io::Error::other(text)));
            }
            pause();
        }
        Err(BenchError::NotReady(Duration::from_secs(60)))
    }

    /// Stops with SIGTERM and starts again on the same data.
    pub(super) fn restart(mut self) -> Result<Self, BenchError> {
        let clock = rt::clock::Clock::real();
        let started_ns = clock.mono_ns();
        self.terminate();
        let stopped_after = Duration::from_nanos(clock.mono_ns().saturating_sub(started_ns));
        let (data, program) = (std::mem::take(&mut self.data), self.program.take());
        // The log of the end of the process before.
        let log = data.with_extension("log");
        fs::rename(&log, data.with_extension("before.log")).map_err(BenchError::Start)?;
        let mut server = Self::start_on(data, program.as_deref(), self.settings)?;
        server.stopped_after = stopped_after;
        Ok(server)
    }

    /// Kills the process, as a crash would, and starts again on the same data.
    pub(super) fn crash(mut self) -> Result<Self, BenchError> {
        self.child.kill().map_err(BenchError::Start)?;
        self.child.wait().map_err(BenchError::Start)?;
        let (data, program) = (std::mem::take(&mut self.data), self.program.take());
        Self::start_on(data, program.as_deref(), self.settings)
    }

    fn terminate(&mut self) {
        let Ok(pid) = i32::try_from(self.child.id()) else { return };
        let pid = nix::unistd::Pid::from_raw(pid);
        if nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).is_ok() {
            for _ in 0..3_000 {
                if matches!(self.child.try_wait(), Ok(Some(_))) {
                    return;
                }
                pause();
            }
        }
        drop(self.child.kill());
        drop(self.child.wait());
    }

    /// The data directory.
    pub(super) fn data(&self) -> &Path {
        &self.data
    }

    /// User and system CPU time so far, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> u64 {
        cpu_ns(self.child.id())
    }

    pub(super) fn receiving(&self) -> Receiving {
        Receiving { pid: self.child.id(), trapper: self.trapper }
    }

    pub(super) fn memory(&self) -> Memory {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|it| it.strip_prefix(name));
            let kb = line.and_then(|it| it.split_whitespace().next()?.parse::<u64>().ok());
            kb.unwrap_or(0) * 1024
        };
        Memory { rss: field("VmRSS:"), anonymous: field("RssAnon:"), peak: field("VmHWM:") }
    }

    pub(super) fn io(&self) -> Io {
        let text = fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        let field = |name: &str| {
            let line = text.lines().find_map(|it| it.strip_prefix(name));
            line.and_then(|it| it.trim().parse().ok()).unwrap_or(0)
        };
        Io {
            written_bytes: field("wchar:"),
            writes: field("syscw:"),
            disk_bytes: field("write_bytes:"),
        }
    }

    /// Bytes below the data directory.
    pub(super) fn disk_bytes(&self) -> u64 {
        fn walk(folder: &Path) -> u64 {
            let Ok(entries) = fs::read_dir(folder) else { return 0 };
            entries
                .flatten()
                .map(|it| match it.metadata() {
                    Ok(meta) if meta.is_dir() => walk(&it.path()),
                    Ok(meta) => meta.len(),
                    Err(_) => 0,
                })
                .sum()
        }
        walk(&self.data)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.data.as_os_str().is_empty() {
            return;
        }
        self.terminate();
        drop(fs::remove_dir_all(&self.data));
    }
}

#[expect(clippy::disallowed_methods, reason = "polls a process from outside")]
pub(super) fn pause() {
    std::thread::sleep(Duration::from_millis(10));
}

/// User and system CPU time of a process so far, in nanoseconds.
pub(super) fn cpu_ns(pid: u32) -> u64 {
    ProcessStat::of(pid).map_or(0, |it| it.cpu_ns())
}

/// How often threads of a process have gone to sleep or were interrupted so far.
pub(super) fn switches(pid: u32) -> u64 {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else { return 0 };
    let of_thread = |it: fs::DirEntry| {
        let status = fs::read_to_string(it.path().join("status")).unwrap_or_default();
        let counts = status.lines().filter_map(|it| it.split_once("ctxt_switches:"));
        counts.filter_map(|it| it.1.trim().parse::<u64>().ok()).sum::<u64>()
    };
    threads.flatten().map(of_thread).sum()
}

/// CPU time of ended processes that this one started, in nanoseconds.
pub(super) fn children_cpu_ns() -> u64 {
    ProcessStat::own().map_or(0, |it| it.children_cpu_ns())
}

/// Of the last minute, of the whole machine.
pub(super) fn load_average() -> f64 {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0.0)
}

/// CPU time of this thread so far, in nanoseconds.
pub(super) fn thread_cpu_ns() -> u64 {
    let stat = fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    stat.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Lets the server under test run.
pub(super) fn wait(seconds: u64) {
    (0..seconds * 100).for_each(|_| pause());
}

/// The server's program: the one asked for, that of the environment, or the one that was built next
/// to this.
pub(super) fn server_program(asked: Option<&Path>) -> std::io::Result<PathBuf> {
    if let Some(asked) = asked {
        return Ok(asked.to_owned());
    }
    match std::env::var_os("SAKER_BIN") {
        Some(set) => Ok(set.into()),
        None => Ok(std::env::current_exe()?.with_file_name("saker")),
    }
}

pub(super) fn free_address() -> std::io::Result<SocketAddr> {
    TcpListener::bind("127.0.0.1:0")?.local_addr()
}

/// `YYYY-MM-DD`.
pub(super) fn utc_date() -> String {
    let days = rt::clock::Clock::real().now().wall.clock().div_euclid(86_400);
    // Civil date from days since 1970 (proleptic Gregorian, era of 400 years).
    let z = days + 719_468;
    let era = z.div_euclid(146_097);
    let doe = z.rem_euclid(146_097);
    let yoe = (doe - doe / 1_460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let month = if mp < 10 { mp + 3 } else { mp - 9 };
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{:02}", doy - (153 * mp + 2) / 5 + 1)
}

/// Processor and number of cores.
pub(super) fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|it| it.starts_with(name));
        line.and_then(|it| it.split(": ").nth(1)).unwrap_or("unknown").to_owned()
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    format!("{}, {cores} cores, {} MHz", field("model name"), field("cpu MHz"))
}
