//! Chrony's time server.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_udp_address, program, wait_until};

/// A running `chronyd` that serves the machine's time and leaves its clock alone.
#[derive(Debug)]
pub struct Chronyd {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    _folder: TempDir,
}

/// A question of NTP's version 4.
const REQUEST: [u8; 48] = {
    let mut it = [0; 48];
    it[0] = 0x23;
    it[47] = 1;
    it
};

impl Chronyd {
    /// Starts one on this machine. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = program("chronyd")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let address: SocketAddr = ([127, 0, 0, 1], free_udp_address().port()).into();
        let settings = format!(
            "port {}\nbindaddress {}\nlocal stratum 5\nallow 127.0.0.0/8\ncmdport 0\nbindcmdaddress /\n\
             pidfile {}\n",
            address.port(),
            address.ip(),
            folder.path().join("pid").display(),
        );
        let file = folder.path().join("settings");
        fs::write(&file, settings).expect("settings are written");
        let user = nix::unistd::User::from_uid(nix::unistd::getuid()).ok().flatten();
        let user = user.expect("this user has a name").name;
        let mut command = Command::new(program);
        command.args(["-x", "-d", "-u", &user, "-f"]).arg(&file);
        let process = Process::start(&mut command, folder.path().join("log"));
        let chronyd = Self { process, address, _folder: folder };
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket has a time-out");
        wait_until("chronyd answers", START_MAX, || {
            assert!(!chronyd.process.has_ended(), "chronyd ended:\n{}", chronyd.process.log());
            // Nobody listens yet: that is an error of the next call.
            drop(socket.send_to(&REQUEST, chronyd.address));
            socket.recv(&mut [0; 512]).is_ok()
        });
        Some(chronyd)
    }
}
