//! ClickHouse: Debian's server, and the engine of today behind a small HTTP front.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::{
    Certificates, Process, START_MAX, ZooKeeper, free_tcp_address, left_out, program, reached_at,
    wait_until,
};

/// How long an orderly end takes at most.
const END_MAX: Duration = Duration::from_secs(60);

/// Which one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ClickHouseKind {
    /// `clickhouse-server` of Debian, 18.16.
    Debian,
    /// A present engine, of the Python package `chdb-core`; its HTTP front is of this project
    /// (`tests/peers/chdb/front.py`).
    Engine,
}

impl ClickHouseKind {
    pub const ALL: [Self; 2] = [Self::Debian, Self::Engine];

    fn program(self) -> Option<PathBuf> {
        match self {
            Self::Debian => program("clickhouse-server"),
            Self::Engine => {
                let python = root().join(".venv/bin/python");
                let chdb = fs::read_dir(root().join(".venv/lib")).ok().and_then(|mut it| {
                    let packages = it.next()?.ok()?.path().join("site-packages/chdb");
                    packages.is_dir().then_some(python)
                });
                if chdb.is_none() {
                    left_out("there is no chdb: scripts/venv.sh installs it");
                }
                chdb
            }
        }
    }
}

/// The repository.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A running ClickHouse with a folder of its own.
#[derive(Debug)]
pub struct ClickHouse {
    kind: ClickHouseKind,
    program: PathBuf,
    process: Option<Process>,
    /// Of its HTTP interface.
    pub address: SocketAddr,
    /// Of its HTTPS interface, if it was started with one.
    pub encrypted_port: Option<u16>,
    folder: TempDir,
}

impl ClickHouse {
    /// Of its user `default`.
    pub const PASSWORD: &str = "let me in";

    /// Starts one with an empty folder; Debian's also knows itself as the cluster `alone`. `None` if it is
    /// not installed.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start(kind: ClickHouseKind) -> Option<Self> {
        let program = kind.program()?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let http = reached_at(free_tcp_address());
        // The engine would read these files too, from where it is started.
        if kind == ClickHouseKind::Debian {
            write_settings(folder.path(), http.port(), "");
        }
        let (process, encrypted_port) = (None, None);
        let mut server = Self { kind, program, process, address: http, encrypted_port, folder };
        server.go_on();
        Some(server)
    }

    /// Starts Debian's with HTTPS, too.
    ///
    /// # Panics
    /// If it does not answer in time.
    #[must_use]
    pub fn start_encrypted(certificates: &Certificates) -> Option<Self> {
        let kind = ClickHouseKind::Debian;
        let program = kind.program()?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let (address, port) = (reached_at(free_tcp_address()), free_tcp_address().port());
        let file = |from: &Path, name| {
            let to = folder.path().join(name);
            fs::copy(from, &to).expect("a certificate is copied");
            to.display().to_string()
        };
        let (certificate, key) =
            (file(&certificates.certificate, "server.pem"), file(&certificates.key, "server.key"));
        let more = format!(
            "<https_port>{port}</https_port><openSSL><server>\
             <certificateFile>{certificate}</certificateFile><privateKeyFile>{key}</privateKeyFile>\
             <verificationMode>none</verificationMode><disableProtocols>sslv2,sslv3</disableProtocols>\
             </server></openSSL>"
        );
        write_settings(folder.path(), address.port(), &more);
        let (process, encrypted_port) = (None, Some(port));
        let mut server = Self { kind, program, process, address, encrypted_port, folder };
        server.go_on();
        Some(server)
    }

    /// Starts nodes of Debian's that know each other as the cluster `together`: each has a part of the rows, or each
    /// has all.
    ///
    /// # Panics
    /// If they do not answer in time.
    #[must_use]
    pub fn start_cluster(
        zookeeper: &ZooKeeper,
        n_nodes: usize,
        has_shards: bool,
    ) -> Option<Vec<Self>> {
        let kind = ClickHouseKind::Debian;
        let program = kind.program()?;
        // HTTP, and between nodes.
        let ports: Vec<[u16; 3]> =
            (0..n_nodes).map(|_| [(); 3].map(|()| free_tcp_address().port())).collect();
        let replica = |tcp: u16| {
            format!(
                "<replica><host>127.0.0.1</host><port>{tcp}</port><password>{}</password></replica>",
                Self::PASSWORD
            )
        };
        let replicas: Vec<String> = ports.iter().map(|it| replica(it[1])).collect();
        let inner = "<internal_replication>true</internal_replication>";
        let shards = if has_shards {
            let shard = |it: &String| format!("<shard>{inner}{it}</shard>");
            replicas.iter().map(shard).collect::<String>()
        } else {
            format!("<shard>{inner}{}</shard>", replicas.concat())
        };
        let nodes = ports.iter().enumerate().map(|(n, [http, tcp, interserver])| {
            let folder = tempfile::tempdir().expect("a folder is made");
            let shard = if has_shards { n } else { 0 };
            let more = format!(
                "<zookeeper><node><host>127.0.0.1</host><port>{}</port></node></zookeeper>\
                 <macros><shard>{shard}</shard><replica>{n}</replica></macros>\
                 <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>",
                zookeeper.address.port()
            );
            let remote = format!("<together>{shards}</together>");
            write_node(folder.path(), (*http, *tcp, *interserver), &remote, &more);
            let address = (Ipv4Addr::LOCALHOST, *http).into();
            Self {
                kind,
                program: program.clone(),
                process: None,
                address,
                encrypted_port: None,
                folder,
            }
        });
        let mut nodes: Vec<Self> = nodes.collect();
        nodes.iter_mut().for_each(Self::go_on);
        Some(nodes)
    }

    /// # Panics
    /// If it does not run.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.as_ref().expect("it runs").id()
    }

    /// Where its data are.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Starts it again where it stopped.
    ///
    /// # Panics
    /// If it does not answer in time.
    pub fn go_on(&mut self) {
        let mut command = Command::new(&self.program);
        let folder = self.folder.path();
        match self.kind {
            ClickHouseKind::Debian => {
                command.arg(format!("--config-file={}", folder.join("config.xml").display()));
            }
            ClickHouseKind::Engine => {
                command.arg(root().join("tests/peers/chdb/front.py"));
                command.arg(self.address.port().to_string()).arg(folder);
            }
        }
        command.current_dir(folder);
        let process = Process::start(&mut command, folder.join("log"));
        wait_until("ClickHouse answers", START_MAX, || {
            assert!(!process.has_ended(), "ClickHouse ended:\n{}", process.log());
            answers(self.address)
        });
        self.process = Some(process);
    }

    /// Ends it as an operator does.
    ///
    /// # Panics
    /// If it does not end.
    pub fn stop(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.signal(Signal::SIGTERM);
            process.end(END_MAX);
        }
    }

    /// Ends it at once.
    pub fn kill(&mut self) {
        self.process = None;
    }

    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

fn write_settings(folder: &Path, http_port: u16, more: &str) {
    let (tcp, interserver) = (free_tcp_address().port(), free_tcp_address().port());
    let alone = format!(
        "<alone><shard><replica><host>127.0.0.1</host><port>{tcp}</port><password>{}</password>\
         </replica></shard></alone>",
        ClickHouse::PASSWORD
    );
    write_node(folder, (http_port, tcp, interserver), &alone, more);
}

/// Settings of a server with its ports (HTTP, TCP, between replicas) and the clusters that it knows.
fn write_node(folder: &Path, ports: (u16, u16, u16), clusters: &str, more: &str) {
    let ((http, tcp, interserver), path) = (ports, folder.display());
    let settings = format!(
        "<yandex><logger><level>warning</level><console>1</console></logger>\
         <listen_host>127.0.0.1</listen_host><http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>\
         <interserver_http_port>{interserver}</interserver_http_port>\
         <interserver_http_host>127.0.0.1</interserver_http_host>\
         <mark_cache_size>67108864</mark_cache_size><path>{path}/data/</path>\
         <tmp_path>{path}/tmp/</tmp_path><users_config>{path}/users.xml</users_config>\
         <default_profile>default</default_profile><default_database>default</default_database>\
         <remote_servers>{clusters}</remote_servers>{more}</yandex>"
    );
    let users = format!(
        "<yandex><profiles><default></default></profiles><users><default>\
         <password>{}</password><networks><ip>127.0.0.1</ip></networks>\
         <profile>default</profile><quota>default</quota></default></users>\
         <quotas><default></default></quotas></yandex>",
        ClickHouse::PASSWORD
    );
    fs::write(folder.join("config.xml"), settings).expect("settings are written");
    fs::write(folder.join("users.xml"), users).expect("users are written");
}

fn answers(address: SocketAddr) -> bool {
    let ask = || {
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(1))?;
        stream.set_read_timeout(Some(Duration::from_secs(1)))?;
        stream.write_all(b"GET /ping HTTP/1.0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok::<_, std::io::Error>(answer.contains("Ok."))
    };
    ask().unwrap_or(false)
}
