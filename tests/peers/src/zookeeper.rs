//! ZooKeeper of Debian, which replicated tables of ClickHouse need.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, left_out, program, wait_until};

/// A running ZooKeeper, alone.
#[derive(Debug)]
pub struct ZooKeeper {
    pub address: SocketAddr,
    _process: Process,
    /// Behind the process: it goes last.
    _folder: TempDir,
}

impl ZooKeeper {
    /// Starts one that knows nothing. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start() -> Option<Self> {
        let java = program("java")?;
        if !Path::new("/usr/share/java/zookeeper.jar").is_file() {
            left_out("there is no zookeeper on this machine");
            return None;
        }
        let folder = tempfile::tempdir().expect("a folder is made");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_tcp_address().port()));
        let settings = format!(
            "tickTime=2000\ndataDir={}\nclientPort={}\nclientPortAddress=127.0.0.1\n\
             admin.enableServer=false\n4lw.commands.whitelist=srvr\n",
            folder.path().join("data").display(),
            address.port()
        );
        let path = folder.path().join("zoo.cfg");
        fs::write(&path, settings).expect("settings are written");
        let mut command = Command::new(java);
        command.args(["-Xmx128m", "-cp", "/usr/share/java/*"]);
        command.arg("org.apache.zookeeper.server.ZooKeeperServerMain").arg(&path);
        let process = Process::start(command.current_dir(folder.path()), folder.path().join("log"));
        wait_until("ZooKeeper answers", START_MAX, || {
            assert!(!process.has_ended(), "ZooKeeper ended:\n{}", process.log());
            takes_sessions(address)
        });
        Some(Self { address, _process: process, _folder: folder })
    }
}

fn takes_sessions(address: SocketAddr) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        // `ruok` is answered before sessions are accepted: an early client is refused, and
        // ClickHouse 18.16 ends then.
        stream.write_all(b"srvr")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer.contains("Mode:"))
    };
    ask().unwrap_or(false)
}
