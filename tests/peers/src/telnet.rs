//! The Telnet server of GNU inetutils.

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tempfile::TempDir;

use crate::program;

/// Takes connections for `telnetd`, which cannot listen itself; a login gets a shell.
#[derive(Debug)]
pub struct Telnetd {
    /// Where it listens, as long as the process of the tests lives.
    pub address: SocketAddr,
    started: Arc<Mutex<Vec<Child>>>,
    _folder: TempDir,
}

impl Telnetd {
    /// Starts one on this machine for one user. `None` if it is not installed.
    ///
    /// # Panics
    /// If there is no free port.
    #[must_use]
    pub fn start(user: &str, password: &str) -> Option<Self> {
        let program = program("telnetd")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let login = folder.path().join("login");
        // In place of the machine's own, which would want an account.
        let script = format!(
            "#!/bin/sh\nprintf 'test login: '; read -r user\nprintf 'Password: '; read -r password\n\
             if [ \"$user\" = '{user}' ] && [ \"$password\" = '{password}' ]; then\n\
             PS1='test$ ' exec /bin/dash -i\nfi\necho 'Login incorrect'\nprintf 'test login: '; read -r user\n"
        );
        fs::write(&login, script).expect("written");
        fs::set_permissions(&login, fs::Permissions::from_mode(0o755)).expect("set");
        let listener = TcpListener::bind("127.0.0.1:0").expect("there is a free port");
        let address = listener.local_addr().expect("it is bound");
        let started = Arc::<Mutex<Vec<Child>>>::default();
        let of = Arc::clone(&started);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let child = serve(&program, &login, stream.into());
                of.lock().unwrap_or_else(PoisonError::into_inner).extend(child);
            }
        });
        Some(Self { address, started, _folder: folder })
    }
}

fn serve(program: &Path, login: &Path, stream: OwnedFd) -> Option<Child> {
    let other = stream.try_clone().ok()?;
    let mut command = Command::new(program);
    command.arg(format!("--exec-login={}", login.display())).arg("--no-hostinfo");
    command.stdin(Stdio::from(stream)).stdout(Stdio::from(other)).stderr(Stdio::null());
    command.process_group(0).spawn().ok()
}

impl Drop for Telnetd {
    fn drop(&mut self) {
        for child in self.started.lock().unwrap_or_else(PoisonError::into_inner).iter_mut() {
            let group = i32::try_from(child.id()).map(Pid::from_raw);
            // It may be gone.
            if let Ok(group) = group {
                killpg(group, Signal::SIGKILL).ok();
            }
            drop(child.wait());
        }
    }
}
