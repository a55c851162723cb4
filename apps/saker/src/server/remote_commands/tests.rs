use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command as Process};
use std::sync::Arc;

use engine::workers::WorkerMetrics;
use model::networks::Destinations;
use rt::metrics::Registry;
use script::Limits;

use super::*;
use crate::server::script_host::{Outgoing, ScriptHost, Verified};

fn port(is_server_allowed: bool, time: Duration) -> CommandPort {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let stop = tasks.shutdown().clone();
    let outgoing = Outgoing { tls_verify: Verified::BOTH, destinations: Destinations::default() };
    let isolation = ScriptIsolation {
        name: "script-command",
        limits: Limits::default(),
        new_host: Arc::new(move |dropped| {
            let (clock, stop, outgoing) = (Clock::real(), stop.clone(), outgoing.clone());
            let host = ScriptHost::new(clock, stop, outgoing, dropped.clone());
            Box::new(host.ending_at_stop())
        }),
        metrics: WorkerMetrics::register(&registry),
        tasks: tasks.clone(),
        n_stuck: Arc::default(),
    };
    CommandPort { isolation, tasks, clock: Clock::real(), is_server_allowed, time, keys: None }
}

const LONG: Duration = Duration::from_secs(60);

fn server(command: &str) -> Command {
    Command::Server { command: command.to_owned() }
}

#[test]
fn the_server_executes_nothing_unless_it_may() {
    let error = port(false, LONG).execute(&server("echo a")).unwrap_err();
    assert!(error.contains("disabled by server configuration"), "{error}");
    let port = port(true, LONG);
    assert_eq!(port.execute(&server("echo a; echo b >&2; exit 3")).unwrap(), "a\nb");
    assert_eq!(port.execute(&server("exit 3")).unwrap_err(), "Process exited with code: 3.");
}

#[test]
fn a_command_that_does_not_end_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("pid");
    let command = format!("sleep 1000 & echo $! > {}; wait", kept.display());
    let error = port(true, Duration::from_millis(300)).execute(&server(&command)).unwrap_err();
    assert_eq!(error, "Timeout while executing a shell script.");
    let pid: i32 = std::fs::read_to_string(kept).unwrap().trim().parse().unwrap();
    // Gone, or dead and not taken away yet by whoever inherits it.
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
}

#[test]
fn output_is_bounded() {
    let printed = port(true, LONG).execute(&server("head -c 17000000 /dev/zero | tr '\\0' x"));
    assert_eq!(printed.unwrap().len(), OUTPUT_BYTES_MAX);
}

#[test]
fn a_machine_that_is_not_there_is_told() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let command =
        Command::Agent { address: "127.0.0.1".to_owned(), port: free, command: "id".to_owned() };
    let error = port(false, LONG).execute(&command).unwrap_err();
    assert!(error.starts_with(&format!("Cannot connect to [[127.0.0.1]:{free}]")), "{error}");
}

#[test]
fn a_webhook_gets_its_parameters() {
    let command = |source: &str| Command::Webhook {
        source: source.to_owned(),
        parameters: r#"{"a":"x\"y"}"#.to_owned(),
        time: Duration::from_secs(20),
    };
    let port = port(false, LONG);
    assert_eq!(port.execute(&command("return JSON.parse(value).a + 1")).unwrap(), "x\"y1");
    let error = port.execute(&command("throw 'no'")).unwrap_err();
    assert!(error.contains("no"), "{error}");
}

#[test]
fn commands_are_quoted_as_parameters_of_a_key() {
    assert_eq!(quoted(r#"echo "a", [b]"#), r#""echo \"a\", [b]""#);
    assert_eq!(quoted(r"a\"), "\"a\\ \"");
}

/// A real server of SSH on a port of its own, with a key for itself and one for us.
struct Sshd {
    child: Child,
    port: u16,
    folder: tempfile::TempDir,
}

impl Drop for Sshd {
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn sshd() -> Option<Sshd> {
    let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"];
    let program = program.into_iter().find(|it| std::fs::metadata(it).is_ok())?;
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["host", "user"] {
        let made = Process::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-f", &path(name)])
            .status();
        assert!(made.unwrap().success());
    }
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let settings = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {}\nAuthorizedKeysFile {}\nPidFile none\n\
         StrictModes no\nUsePAM no\nPasswordAuthentication no\nPermitRootLogin yes\n",
        path("host"),
        path("user.pub"),
    );
    std::fs::write(path("sshd_config"), settings).unwrap();
    std::fs::create_dir_all("/run/sshd").ok();
    let child =
        Process::new(program).args(["-D", "-e", "-f", &path("sshd_config")]).spawn().unwrap();
    let sshd = Sshd { child, port, folder };
    // It listens when it answers.
    let clock = Clock::real();
    let deadline = Deadline::new(&clock, LONG);
    while TcpStream::connect((Ipv4Addr::LOCALHOST, sshd.port)).is_err() {
        deadline.left().expect("sshd listens within a minute");
        std::thread::yield_now();
    }
    Some(sshd)
}

#[test]
fn a_command_is_executed_by_ssh() {
    let Some(sshd) = sshd() else {
        println!("skipped: no sshd is installed (apt-get install openssh-server)");
        return;
    };
    let mut port = port(false, LONG);
    let login = |username: &str| Login {
        address: "127.0.0.1".to_owned(),
        port: sshd.port,
        username: username.to_owned(),
        password: String::new(),
    };
    let key = Some(("user.pub".to_owned(), "user".to_owned()));
    let user = nix::unistd::User::from_uid(nix::unistd::getuid()).unwrap().unwrap().name;
    let command = |username: &str| Command::Ssh {
        login: login(username),
        key: key.clone(),
        command: "echo out; echo err >&2".to_owned(),
    };
    let error = port.execute(&command(&user)).unwrap_err();
    assert!(error.contains("commands.ssh_keys"), "{error}");
    port.keys = Some(sshd.folder.path().to_owned());
    assert_eq!(port.execute(&command(&user)).unwrap(), "out\nerr");
    let error = port.execute(&command("nobody-of-this-name")).unwrap_err();
    assert!(error.starts_with("SSH failed: "), "{error}");
}
