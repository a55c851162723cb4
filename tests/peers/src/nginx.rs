//! nginx, as users write its settings.

use std::fs;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::process::Command;

use tempfile::TempDir;

use crate::{Process, START_MAX, free_tcp_address, program, wait_until};

/// A running nginx with one server.
#[derive(Debug)]
pub struct Nginx {
    /// Where it listens, by TLS if its settings have certificates.
    pub address: SocketAddr,
    _process: Process,
    /// Behind the process: it goes last.
    _folder: TempDir,
}

impl Nginx {
    /// Starts one whose server has these lines; `listen` is followed by `kind`, such as `ssl`. `None` if it is not installed.
    ///
    /// # Panics
    /// If it does not listen in time.
    #[must_use]
    pub fn start(kind: &str, server: &str) -> Option<Self> {
        let program = program("nginx")?;
        let folder = tempfile::tempdir().expect("a folder is made");
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, free_tcp_address().port()));
        let dir = folder.path().display();
        let settings = format!(
            "daemon off;\nmaster_process off;\nworker_processes 1;\npid {dir}/pid;\nerror_log stderr info;\n\
             events {{ worker_connections 256; }}\nhttp {{\naccess_log off;\ndefault_type text/plain;\n\
             client_body_temp_path {dir}/body;\nproxy_temp_path {dir}/proxy;\nfastcgi_temp_path {dir}/fastcgi;\n\
             uwsgi_temp_path {dir}/uwsgi;\nscgi_temp_path {dir}/scgi;\n\
             server {{\nlisten {address} {kind};\nserver_name localhost;\n{server}\n}}\n}}\n"
        );
        let path = folder.path().join("nginx.conf");
        fs::write(&path, settings).expect("settings are written");
        let mut command = Command::new(program);
        command.arg("-c").arg(&path).arg("-p").arg(folder.path());
        let process = Process::start(&mut command, folder.path().join("log"));
        wait_until("nginx listens", START_MAX, || {
            assert!(!process.has_ended(), "nginx ended:\n{}", process.log());
            TcpStream::connect(address).is_ok()
        });
        Some(Self { address, _process: process, _folder: folder })
    }
}
