//! Debian's snmpd as the device: one daemon that answers on all addresses of 127.0.0.0/8, so that
//! each host has an address of its own.

use std::fmt::Write as _;
use std::fs;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::process::{cpu_ns, wait};
use crate::common::{BenchError, io_error};

/// `.0` objects that every snmpd answers from memory: of its own counters (SNMPv2-MIB), and when it
/// started.
const SNMP_COUNTERS: [u32; 28] = [
    1, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 24, 25, 26, 27, 28,
    29, 30, 32,
];
/// As many items as a host can have.
pub(super) const N_OBJECTS: usize = SNMP_COUNTERS.len() + 1;

pub(super) fn oid(number: usize) -> String {
    match SNMP_COUNTERS.get(number) {
        Some(counter) => format!("1.3.6.1.2.1.11.{counter}.0"),
        None => "1.3.6.1.2.1.1.3.0".to_owned(),
    }
}

/// A running snmpd; it ends with this.
pub(super) struct Snmpd {
    child: Child,
    dir: PathBuf,
    pub(super) port: u16,
}

impl Snmpd {
    /// `user`: the name, the passphrase of authentication and that of privacy of a user of SNMP v3.
    pub(super) fn start(
        scratch: &Path,
        user: Option<(&str, &str, &str)>,
    ) -> Result<Self, BenchError> {
        let dir = scratch.join(format!("snmpd-{}", std::process::id()));
        fs::create_dir_all(&dir).map_err(io_error("make a folder for snmpd"))?;
        let socket = UdpSocket::bind("127.0.0.1:0").map_err(io_error("find a free port"))?;
        let port = socket.local_addr().map_err(io_error("find a free port"))?.port();
        drop(socket);
        let settings = dir.join("snmpd.conf");
        let mut text = format!("agentAddress udp:0.0.0.0:{port}\nrocommunity public 127.0.0.0/8\n");
        if let Some((name, authentication, privacy)) = user {
            let created = format!("{name} SHA-256 \"{authentication}\" AES \"{privacy}\"");
            writeln!(text, "createUser {created}\nrouser {name} priv").ok();
        }
        fs::write(&settings, text).map_err(io_error("write snmpd's settings"))?;
        let log = fs::File::create(dir.join("log")).map_err(io_error("open snmpd's log"))?;
        let child = Command::new("/usr/sbin/snmpd")
            .args(["-f", "-Le", "-C", "-c"])
            .arg(&settings)
            .arg("-I")
            .arg("-smux")
            .env("SNMP_PERSISTENT_DIR", &dir)
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .map_err(io_error("start snmpd"))?;
        // It reads its MIBs and opens its port.
        wait(2);
        Ok(Self { child, dir, port })
    }

    /// User and system CPU time so far, in nanoseconds.
    pub(super) fn cpu_ns(&self) -> u64 {
        cpu_ns(self.child.id())
    }
}

impl Drop for Snmpd {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
        drop(fs::remove_dir_all(&self.dir));
    }
}
