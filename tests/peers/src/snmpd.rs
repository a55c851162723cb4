//! net-snmp's agent.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::{Process, START_MAX, program, reached_at, wait_until};

/// A running `snmpd` with the community `public`.
#[derive(Debug)]
pub struct Snmpd {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    folder: TempDir,
}

/// GET of no instance at all, by SNMPv1: it is answered with an error, but answered.
const REQUEST: &[u8] =
    b"0\x26\x02\x01\x00\x04\x06public\xa0\x19\x02\x01\x01\x02\x01\x00\x02\x01\x00\
    0\x0e0\x0c\x06\x08+\x06\x01\x02\x01\x01\x05\x00\x05\x00";

impl Snmpd {
    /// Starts one that listens at an address; `lines` are added to its settings. `None` if it is not
    /// installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start(listens: SocketAddr, lines: &str) -> Option<Self> {
        let program = program("snmpd")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let settings = format!(
            "rocommunity public\nagentAddress udp:{listens}\ndontLogTCPWrappersConnects yes\n{lines}\n"
        );
        let file = folder.path().join("settings");
        fs::write(&file, settings).expect("settings are written");
        let process = run(&program, &folder);
        let snmpd = Self { process, address: reached_at(listens), folder };
        snmpd.wait();
        Some(snmpd)
    }

    /// The same engine, restarted.
    ///
    /// # Panics
    /// If it is not installed any more, or does not answer in time.
    #[must_use]
    pub fn restarted(self) -> Self {
        let Self { process, address, folder } = self;
        drop(process);
        let program = program("snmpd").expect("it was there");
        let snmpd = Self { process: run(&program, &folder), address, folder };
        snmpd.wait();
        snmpd
    }

    fn wait(&self) {
        let socket = UdpSocket::bind("127.0.0.1:0").expect("there is a free port");
        socket.set_read_timeout(Some(Duration::from_millis(100))).expect("a socket has a time-out");
        wait_until("snmpd answers", START_MAX, || {
            assert!(!self.process.has_ended(), "snmpd ended:\n{}", self.process.log());
            // Nobody listens yet: that is an error of the next call.
            drop(socket.send_to(REQUEST, self.address));
            socket.recv(&mut [0; 512]).is_ok()
        });
    }
}

fn run(program: &Path, folder: &TempDir) -> Process {
    let mut command = Command::new(program);
    command.args(["-f", "-Lo", "-C", "-c"]).arg(folder.path().join("settings"));
    // No MIBs, and nothing to say of it.
    command.env("MIBS", "").env("SNMP_PERSISTENT_DIR", folder.path()).current_dir(folder.path());
    Process::start(&mut command, folder.path().join("log"))
}
