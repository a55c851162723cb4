//! Zabbix's Java gateway, and an application that it can ask.

use std::fs;
use std::net::{SocketAddr, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, left_out, program, wait_until};

/// Where Debian's package puts it.
const ARCHIVE: &str = "/usr/sbin/zabbix-java-gateway.jar";

/// A running gateway. It is itself an application with JMX, at another port.
#[derive(Debug)]
pub struct JavaGateway {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    /// Port of this machine where its own JMX listens.
    pub jmx_port: u16,
    _folder: TempDir,
}

impl JavaGateway {
    /// Starts one. `None` if it is not installed, or there is no Java.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let java = program("java")?;
        if fs::metadata(ARCHIVE).is_err() {
            left_out("there is no zabbix-java-gateway on this machine");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder is made");
        let address: SocketAddr = ([127, 0, 0, 1], free_tcp_address().port()).into();
        let jmx_port = free_tcp_address().port();
        let mut command = Command::new(java);
        command
            .args(["-Xmx64m", "-XX:+UseSerialGC", "-Djava.rmi.server.hostname=127.0.0.1"])
            .arg(format!("-Dcom.sun.management.jmxremote.port={jmx_port}"))
            .arg(format!("-Dcom.sun.management.jmxremote.rmi.port={jmx_port}"))
            .args([
                "-Dcom.sun.management.jmxremote.authenticate=false",
                "-Dcom.sun.management.jmxremote.ssl=false",
            ])
            .arg(format!("-Dzabbix.listenIP={}", address.ip()))
            .arg(format!("-Dzabbix.listenPort={}", address.port()))
            .args(["-Dzabbix.startPollers=5", "-Dzabbix.timeout=10", "-jar", ARCHIVE])
            .current_dir(folder.path());
        let process = Process::start(&mut command, folder.path().join("log"));
        let gateway = Self { process, address, jmx_port, _folder: folder };
        wait_until("the Java gateway listens", START_MAX, || {
            assert!(!gateway.process.has_ended(), "it ended:\n{}", gateway.process.log());
            TcpStream::connect(gateway.address).is_ok()
        });
        Some(gateway)
    }
}
