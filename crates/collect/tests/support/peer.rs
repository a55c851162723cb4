//! Real programs to talk to, each with a folder of its own, ended with the test.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part")]
#![allow(clippy::print_stdout, reason = "who reads the output should see what did not run")]

use std::fs;
use std::net::{SocketAddr, TcpListener, UdpSocket};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::time::Duration;

use tempfile::TempDir;

pub struct Peer {
    child: Child,
    pub folder: TempDir,
    pub port: u16,
}

impl Drop for Peer {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Says that a test cannot run here because a program is missing.
pub fn skip(program: &str) {
    println!("skipped: {program} is not installed on this machine");
}

pub fn is_installed(program: &str) -> bool {
    Path::new(program).try_exists().unwrap_or(false)
}

/// A port below 32768: agents take no other.
pub fn free_tcp_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = u16::try_from(std::process::id() % 10_000).expect("small");
    loop {
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 12_000;
        let port = 20_000 + offset;
        if TcpListener::bind(("0.0.0.0", port)).is_ok() {
            return port;
        }
    }
}

pub fn free_udp_port() -> u16 {
    let socket = UdpSocket::bind("0.0.0.0:0").expect("a free port");
    socket.local_addr().expect("bound").port()
}

const AGENTD: &str = "/usr/sbin/zabbix_agentd";
const SNMPD: &str = "/usr/sbin/snmpd";

/// Starts an agent that listens on all addresses; `lines` are added to its settings.
pub async fn agentd(lines: &str) -> Option<Peer> {
    if !is_installed(AGENTD) {
        skip(AGENTD);
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let port = free_tcp_port();
    let settings = format!(
        "ListenPort={port}\nListenIP=0.0.0.0\nServer=127.0.0.0/8\nLogType=console\n\
         PidFile={}\nAllowRoot=1\nTimeout=3\nStartAgents=10\n{lines}\n",
        folder.path().join("pid").display()
    );
    let file = folder.path().join("agentd.conf");
    fs::write(&file, settings).expect("written");
    let mut command = Command::new(AGENTD);
    command.arg("-f").arg("-c").arg(&file);
    let peer = start(command, folder, port);
    let address: SocketAddr = ([127, 0, 0, 1], port).into();
    wait(|| std::net::TcpStream::connect(address).is_ok()).await;
    Some(peer)
}

/// Starts an SNMP agent that listens on all addresses.
pub async fn snmpd(lines: &str) -> Option<Peer> {
    if !is_installed(SNMPD) {
        skip(SNMPD);
        return None;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let port = free_udp_port();
    let settings = format!(
        "rocommunity public\nagentAddress udp:0.0.0.0:{port}\nsysName tested\nsysLocation \
         here \"and\" there\nsysContact me\ndontLogTCPWrappersConnects yes\n{lines}\n"
    );
    let file = folder.path().join("snmpd.conf");
    fs::write(&file, settings).expect("written");
    let mut command = Command::new(SNMPD);
    command
        .env("SNMP_PERSISTENT_DIR", folder.path())
        .args(["-f", "-Lf", "/dev/null", "-C", "-c"])
        .arg(&file);
    let peer = start(command, folder, port);
    // It answers anything with a community: an empty GET is enough.
    let socket = UdpSocket::bind("127.0.0.1:0").expect("a free port");
    socket.set_read_timeout(Some(Duration::from_millis(100))).expect("set");
    let request = b"0\x26\x02\x01\x01\x04\x06public\xa0\x19\x02\x01\x01\x02\x01\x00\x02\x01\x000\x0e0\x0c\x06\x08+\x06\x01\x02\x01\x01\x05\x00\x05\x00";
    wait(|| {
        drop(socket.send_to(request, ("127.0.0.1", port)));
        socket.recv(&mut [0; 512]).is_ok()
    })
    .await;
    Some(peer)
}

fn start(mut command: Command, folder: TempDir, port: u16) -> Peer {
    let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    Peer { child: child.expect("it starts"), folder, port }
}

/// Until a program is ready.
async fn wait(mut is_ready: impl FnMut() -> bool) {
    for _ in 0..600 {
        if is_ready() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the peer does not answer");
}
