//! OpenLDAP's directory server.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, program, wait_until};

/// A running `slapd` without entries but the one about itself.
#[derive(Debug)]
pub struct Slapd {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    _folder: TempDir,
}

impl Slapd {
    /// Starts one on this machine. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = program("slapd")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let path = |name: &str| folder.path().join(name);
        let settings = format!(
            "include /etc/ldap/schema/core.schema\npidfile {}\nargsfile {}\n",
            path("pid").display(),
            path("args").display(),
        );
        fs::write(path("settings"), settings).expect("settings are written");
        let address: SocketAddr = ([127, 0, 0, 1], free_tcp_address().port()).into();
        let mut command = Command::new(program);
        // A level of messages keeps it in the foreground.
        command.args(["-d", "0", "-h", &format!("ldap://{address}"), "-f"]).arg(path("settings"));
        let process = Process::start(&mut command, path("log"));
        let slapd = Self { process, address, _folder: folder };
        wait_until("slapd listens", START_MAX, || {
            assert!(!slapd.process.has_ended(), "slapd ended:\n{}", slapd.process.log());
            TcpStream::connect(slapd.address).is_ok()
        });
        Some(slapd)
    }
}
