//! Prometheus.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, program, reached_at, wait_until};

/// A running Prometheus with a folder of its own, which takes remote write and scrapes nothing.
#[derive(Debug)]
pub struct Prometheus {
    pub process: Process,
    /// Where it is asked.
    pub address: SocketAddr,
    _folder: TempDir,
}

impl Prometheus {
    /// `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let program = program("prometheus")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let settings = folder.path().join("prometheus.yml");
        fs::write(&settings, "scrape_configs: []\n").expect("settings are written");
        let address = reached_at(free_tcp_address());
        let mut command = Command::new(program);
        command
            .arg(format!("--config.file={}", settings.display()))
            .arg(format!("--storage.tsdb.path={}", folder.path().join("data").display()))
            .arg(format!("--web.listen-address={address}"))
            .args(["--web.enable-remote-write-receiver", "--log.level=warn"])
            .current_dir(folder.path());
        let process = Process::start(&mut command, folder.path().join("log"));
        let prometheus = Self { process, address, _folder: folder };
        wait_until("Prometheus answers", START_MAX, || {
            let process = &prometheus.process;
            assert!(!process.has_ended(), "Prometheus ended:\n{}", process.log());
            answers(address)
        });
        Some(prometheus)
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

/// It is ready, which comes later than that it listens.
fn answers(address: SocketAddr) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let wait = Some(Duration::from_secs(1));
    stream.set_read_timeout(wait).expect("a socket has a time-out");
    let request = b"GET /-/ready HTTP/1.0\r\nHost: localhost\r\n\r\n";
    let mut answer = String::new();
    let is_asked = stream.write_all(request).is_ok();
    is_asked && stream.read_to_string(&mut answer).is_ok() && answer.contains(" 200 ")
}
