//! Pages by HTTPS, fetched by us and by zabbix_agentd, from the real openssl.

use std::fs;
use std::net::TcpStream;
use std::process::Command;
use std::time::Duration;

use agent::{Agent, AgentSettings};
use peers::{Certificates, Process};

use crate::golden::{Golden, ask, text};

#[test]
fn pages_by_https_equal_those_of_zabbix_agentd() {
    // zabbix_agentd of Debian takes certificates of RSA only; this one's authority is self-signed.
    let Some(certificates) = Certificates::of_rsa() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("page.txt"), "by HTTPS\n").expect("written");
    let port = peers::free_tcp_address().port();
    let mut command = Command::new(peers::program("openssl").expect("seen"));
    command
        .args(["s_server", "-quiet", "-WWW", "-accept", &format!("127.0.0.1:{port}")])
        .arg("-cert")
        .arg(&certificates.certificate)
        .arg("-key")
        .arg(&certificates.key)
        .current_dir(folder.path());
    let _server = Process::start(&mut command, folder.path().join("log"));
    peers::wait_until("openssl listens", Duration::from_secs(60), || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    let agent = Agent::new(AgentSettings::default());
    let get = |key: &str| text(&ask(&agent, key));
    let url = format!("https://127.0.0.1:{port}/page.txt");
    let page = get(&format!("web.page.get[{url}]"));
    assert!(page.starts_with("HTTP/1.0 200") && page.trim_end().ends_with("by HTTPS"), "{page}");
    let took = get(&format!("web.page.perf[{url}]"));
    assert!(took.parse::<f64>().is_ok_and(|it| 0.0 < it && it < 60.0), "{took}");
    let Some(golden) = Golden::start() else { return };
    let nobody = peers::free_tcp_address().port();
    for key in [
        format!("web.page.regexp[{url},,,by (.*),,\\1]"),
        format!("web.page.get[https://127.0.0.1:{nobody}/]"),
    ] {
        assert_eq!(get(&key), golden.get(&key), "{key}");
    }
}
