//! OpenSSH's server.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, left_out, program, wait_until};

/// A running `sshd` that lets the user of the tests in, with a key.
#[derive(Debug)]
pub struct Sshd {
    pub process: Process,
    /// Where it listens.
    pub address: SocketAddr,
    /// The user who may log in.
    pub user: String,
    folder: TempDir,
}

impl Sshd {
    /// Starts one on this machine. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        Self::start_as(None)
    }

    /// The same, where the user has this password as well, in a table of passwords that nobody else
    /// sees. There is a subsystem `reverse` that turns each line around. `None` if this is not root on
    /// a machine that lets it have such a table.
    ///
    /// # Panics
    /// As [`Sshd::start`].
    #[must_use]
    pub fn start_with_password(password: &str) -> Option<Self> {
        program("unshare")?;
        let mut can = Command::new("unshare");
        can.args(["-m", "mount", "--bind", "/etc/shadow", "/etc/shadow"]);
        if !can.output().is_ok_and(|it| it.status.success()) {
            left_out("this user may have no table of passwords of its own");
            return None;
        }
        Self::start_as(Some(password))
    }

    fn start_as(password: Option<&str>) -> Option<Self> {
        let program = program("sshd")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = |name: &str| folder.path().join(name);
        for (name, phrase) in [("host", ""), ("user", ""), ("phrase", "of the key")] {
            make_key(&path(name), phrase);
        }
        let public = |name: &str| fs::read_to_string(path(name)).expect("a key was made");
        fs::write(path("allowed"), public("user.pub") + &public("phrase.pub")).expect("written");
        let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
        let user = user.expect("this user has a name").name;
        let address: SocketAddr = ([127, 0, 0, 1], free_tcp_address().port()).into();
        let settings = format!(
            "ListenAddress {}\nPort {}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\nStrictModes no\n\
             UsePAM no\nPasswordAuthentication yes\nPermitRootLogin yes\nMaxStartups 100\n\
             Subsystem reverse /usr/bin/rev\n",
            address.ip(),
            address.port(),
            path("host").display(),
            path("allowed").display(),
        );
        fs::write(path("settings"), settings).expect("settings are written");
        // It insists on this folder, as root.
        drop(fs::create_dir_all("/run/sshd"));
        let mut command = match password {
            None => Command::new(&program),
            Some(password) => {
                fs::write(path("shadow"), shadow(&user, password)).expect("written");
                let mut command = Command::new("unshare");
                let script = "mount --bind \"$0\" /etc/shadow && exec \"$@\"";
                command.args(["-m", "sh", "-c", script]).arg(path("shadow")).arg(&program);
                command
            }
        };
        command.args(["-D", "-e", "-f"]).arg(path("settings"));
        let process = Process::start(&mut command, path("log"));
        let sshd = Self { process, address, user, folder };
        wait_until("sshd listens", START_MAX, || {
            assert!(!sshd.process.has_ended(), "sshd ended:\n{}", sshd.process.log());
            TcpStream::connect(sshd.address).is_ok()
        });
        Some(sshd)
    }

    /// Where the user's keys lie: `user` and `user.pub`.
    #[must_use]
    pub fn keys(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
}

/// A table of passwords with this one.
fn shadow(user: &str, password: &str) -> String {
    let hashed = Command::new("openssl").args(["passwd", "-6", password]).output();
    let hashed = hashed.expect("openssl is there").stdout;
    let hashed = String::from_utf8(hashed).expect("text");
    format!("{user}:{}:19000:0:99999:7:::\n", hashed.trim())
}

fn make_key(file: &Path, phrase: &str) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", phrase, "-f"])
        .arg(file)
        .status();
    assert!(made.expect("ssh-keygen comes with sshd").success());
}
