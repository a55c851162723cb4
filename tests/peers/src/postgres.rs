//! PostgreSQL of Debian, with a folder of its own; encrypted if a test wants that.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::{Pid, User, geteuid};
use tempfile::TempDir;

use crate::{Certificates, Process, START_MAX, free_tcp_address, left_out, wait_until, wait_up_to};

/// How long an orderly end takes at most.
const END_MAX: Duration = Duration::from_secs(60);

/// A running PostgreSQL. Its user and database are `saker`, without a password.
#[derive(Debug)]
pub struct Postgres {
    bin: PathBuf,
    process: Option<Process>,
    pub address: SocketAddr,
    /// With `ssl = on`.
    is_encrypted: bool,
    /// PostgreSQL refuses root.
    owner: Option<(u32, u32)>,
    folder: TempDir,
}

impl Postgres {
    /// Starts one with an empty database. With certificates it can encrypt. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start(certificates: Option<&Certificates>) -> Option<Self> {
        let Some(bin) = newest_bin() else {
            left_out("there is no PostgreSQL server on this machine");
            return None;
        };
        let owner = geteuid().is_root().then(|| {
            let named = |it| User::from_name(it).ok().flatten();
            let user = named("postgres").or_else(|| named("nobody")).expect("there is a nobody");
            (user.uid.as_raw(), user.gid.as_raw())
        });
        let folder = tempfile::tempdir().expect("a folder is made");
        let address = (Ipv4Addr::LOCALHOST, free_tcp_address().port()).into();
        let is_encrypted = certificates.is_some();
        let mut server = Self { bin, process: None, address, is_encrypted, owner, folder };
        server.give(server.folder.path());
        if let Some(it) = certificates {
            for (from, name) in [(&it.certificate, "server.pem"), (&it.key, "server.key")] {
                let path = server.folder.path().join(name);
                fs::copy(from, &path).expect("a certificate is copied");
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("it is ours");
                server.give(&path);
            }
        }
        let mut initdb = server.command("initdb");
        initdb.args(["--username", "saker", "--auth", "trust", "--encoding", "UTF8"]);
        initdb.args(["--locale", "C.UTF-8", "--no-sync", "--pgdata"]);
        run(initdb.arg(server.folder.path().join("data")));
        server.go_on();
        let port = server.address.port().to_string();
        let mut createdb = server.command("createdb");
        run(createdb.args(["-h", "127.0.0.1", "-U", "saker", "-p", &port, "saker"]));
        Some(server)
    }

    /// Starts it again where it stopped.
    ///
    /// # Panics
    /// If it does not answer in time.
    pub fn go_on(&mut self) {
        let folder = self.folder.path();
        let mut command = self.command("postgres");
        command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        command.args(["-p", &self.address.port().to_string()]);
        // Durability of a test database is worth nothing; but it is killed, and has to be there again.
        for option in ["listen_addresses=127.0.0.1", "synchronous_commit=off", "max_connections=50"]
        {
            command.args(["-c", option]);
        }
        if self.is_encrypted {
            let file = |name| format!("{}", folder.join(name).display());
            command.args(["-c", "ssl=on"]);
            command.args(["-c", &format!("ssl_cert_file={}", file("server.pem"))]);
            command.args(["-c", &format!("ssl_key_file={}", file("server.key"))]);
        }
        let process = Process::start(&mut command, folder.join("log"));
        let port = self.address.port().to_string();
        wait_until("PostgreSQL answers", START_MAX, || {
            assert!(!process.has_ended(), "PostgreSQL ended:\n{}", process.log());
            let mut ready = self.command("pg_isready");
            ready.args(["-q", "-h", "127.0.0.1", "-U", "saker", "-d", "postgres", "-p", &port]);
            ready.status().is_ok_and(|it| it.success())
        });
        self.process = Some(process);
    }

    /// Ends it at once, as an operator does who does not wait for its connections.
    ///
    /// # Panics
    /// If it does not end.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.signal(Signal::SIGINT);
            process.end(END_MAX);
        }
    }

    /// Stops all its processes where they are: connections stay open, and nobody answers.
    ///
    /// # Panics
    /// If it does not run.
    pub fn hang(&self) {
        self.signal_all(Signal::SIGSTOP);
    }

    /// Lets it continue after [`Self::hang`].
    ///
    /// # Panics
    /// If it does not run.
    pub fn wake(&self) {
        self.signal_all(Signal::SIGCONT);
    }

    /// Its first process before the others: it makes no more of them.
    fn signal_all(&self, signal: Signal) {
        let first = self.id();
        let others = fs::read_to_string(format!("/proc/{first}/task/{first}/children"));
        let mut ids = vec![first];
        // Processes that have started since appear only after it continues.
        let others = others.unwrap_or_default();
        ids.extend(others.split_whitespace().filter_map(|it| it.parse::<u32>().ok()));
        for id in ids {
            let id = i32::try_from(id).expect("an id is small");
            // One that has ended meanwhile needs no signal.
            kill(Pid::from_raw(id), signal).ok();
        }
    }

    /// Its first process; those that it has started are children of that.
    ///
    /// # Panics
    /// If it does not run.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.as_ref().expect("it runs").id()
    }

    /// Where its data are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("postgres://saker@{}/saker", self.address)
    }

    fn give(&self, path: &Path) {
        if let Some((user, group)) = self.owner {
            chown(path, Some(user), Some(group)).expect("root may do that");
        }
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.current_dir(self.folder.path()).env_remove("LC_ALL").env("LC_CTYPE", "C.UTF-8");
        if let Some((user, group)) = self.owner {
            command.uid(user).gid(group);
        }
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if let Some(process) = &self.process
            && !process.has_ended()
        {
            // A test may have failed while it hung.
            self.wake();
            process.signal(Signal::SIGINT);
            wait_up_to(END_MAX, || process.has_ended());
        }
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", command.get_program().display());
}

fn newest_bin() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?;
    let number = |it: &PathBuf| it.file_name()?.to_str()?.parse::<u32>().ok();
    let newest = versions.filter_map(|it| Some(it.ok()?.path())).max_by_key(number)?;
    let bin = newest.join("bin");
    bin.join("initdb").is_file().then_some(bin)
}
