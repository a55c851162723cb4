#![allow(clippy::disallowed_methods, reason = "waits for a process to end, in real time")]

use std::io::Write as _;
use std::net::{Ipv4Addr, TcpListener, UdpSocket};
use std::sync::{Arc, LazyLock};
use std::time::Instant;

use alerting::ports::CommandLogin;
use engine::workers::JobWorkerMetrics;
use model::encryption::{CERTIFICATE, Encryption, PSK};
use outgoing::{Outgoing, OutgoingSettings};
use peers::{IPMI_USER, IpmiSim, Sshd, free_udp_address};
use rt::metrics::Registry;
use rt::tls::TlsSettings;
use script::Limits;
use script_host::host::{self, Ends};
use tokio::runtime::Runtime;

use super::agents::quoted;
use super::*;
use crate::shells::OUTPUT_BYTES_MAX;

/// Of a server without a vault.
struct NoSecrets;

impl Secrets for NoSecrets {
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        Err(format!("there is no vault for {named}"))
    }
}

fn port(is_server_allowed: bool, time: Duration) -> CommandPort {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let clock = Clock::real();
    let _inside = RUNTIME.enter();
    let outgoing = Outgoing::new(OutgoingSettings::default(), &registry, &clock, &tasks);
    let isolation = ScriptIsolation {
        name: "script-command",
        limits: Limits::default(),
        new_host: host::new_host(&outgoing, &clock, &tasks, Ends::AtStop),
        metrics: JobWorkerMetrics::register(&registry),
        tasks: tasks.clone(),
        n_stuck: Arc::default(),
        processes: None,
    };
    let agents = Arc::new(AgentCommands::new(clock.wall()));
    let secrets = Arc::new(NoSecrets);
    CommandPort {
        secrets,
        agents,
        isolation,
        tasks,
        clock,
        is_server_allowed,
        is_host_allowed: true,
        time,
        keys: None,
        runtime: RUNTIME.handle().clone(),
        ipmi_time: Duration::from_millis(500),
        tls: TlsConnector::new(&rt::settings::defaults::<TlsSettings>()).expect("no files"),
        readings: Readings::new(64 << 20, &Clock::real(), &registry),
    }
}

/// Of the server.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().expect("a runtime"));

const LONG: Duration = Duration::from_secs(60);

fn server(command: &str) -> Command {
    Command::Server { command: command.to_owned() }
}

#[test]
fn server_executes_nothing_without_permission() {
    let error = port(false, LONG).execute(&server("echo a")).unwrap_err();
    assert!(error.contains("disabled by server configuration"), "{error}");
    let port = port(true, LONG);
    assert_eq!(port.execute(&server("echo a; echo b >&2; exit 3")).unwrap(), "a\nb");
    assert_eq!(port.execute(&server("exit 3")).unwrap_err(), "Process exited with code: 3.");
}

#[test]
fn hosts_denied_by_settings_execute_nothing() {
    let mut port = port(true, LONG);
    port.is_host_allowed = false;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.set_nonblocking(true).unwrap();
    let at = listener.local_addr().unwrap().port();
    let login = CommandLogin {
        address: "127.0.0.1".to_owned(),
        port: at,
        username: "ann".to_owned(),
        password: String::new(),
    };
    let commands = [
        agent(at, None),
        Command::ActiveAgent { host: model::HostId(1), command: "id".to_owned() },
        Command::Ssh { login: login.clone(), key: None, command: "id".to_owned() },
        Command::Telnet { login, command: "id".to_owned() },
        ipmi(at, IpmiCommand::PowerUp),
    ];
    for command in commands {
        let error = port.execute(&command).unwrap_err();
        assert_eq!(error, "Script execution on hosts is disabled by server configuration.");
    }
    assert!(listener.accept().is_err(), "nobody has connected");
    assert_eq!(port.execute(&server("echo a")).unwrap(), "a");
}

#[expect(clippy::disallowed_methods, reason = "waits for another process")]
#[test]
fn a_command_that_does_not_end_is_ended_with_its_children() {
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("pid");
    let command = format!("sleep 1000 & echo $! > {}; wait", kept.display());
    let error = port(true, Duration::from_millis(300)).execute(&server(&command)).unwrap_err();
    assert_eq!(error, "Timeout while executing a shell script.");
    let pid: i32 = std::fs::read_to_string(kept).unwrap().trim().parse().unwrap();
    // Gone, or dead and not taken away yet by its new parent process. The signal is sent when the answer is given; the
    // kernel ends the child when it next runs it, which a busy machine does later.
    let state = || std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let is_over = |state: &str| state.is_empty() || state.contains(") Z ");
    let latest = Instant::now() + LONG;
    while !is_over(&state()) {
        assert!(Instant::now() < latest, "{}", state());
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn a_command_that_has_ended_does_not_wait_for_what_it_left_behind() {
    // The time of a command is longer than a test may take.
    let port = port(true, Duration::from_secs(3_600));
    let printed = port.execute(&server("sleep 100000 & echo done")).unwrap();
    assert_eq!(printed, "done");
    let error = port.execute(&server("sleep 100000 & exit 3")).unwrap_err();
    assert_eq!(error, "Process exited with code: 3.");
}

#[test]
fn output_is_bounded() {
    let printed = port(true, LONG).execute(&server("head -c 17000000 /dev/zero | tr '\\0' x"));
    assert_eq!(printed.unwrap().len(), OUTPUT_BYTES_MAX);
}

fn agent(port: u16, encryption: Option<Encryption>) -> Command {
    let encryption = encryption.map(Arc::new);
    Command::Agent { address: "127.0.0.1".to_owned(), port, encryption, command: "id".to_owned() }
}

/// Takes one connection and returns the bytes that arrive until the client closes it.
fn one_client() -> (u16, std::thread::JoinHandle<Vec<u8>>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let taken = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut all = Vec::new();
        let mut first = [0; 4_096];
        let n = stream.read(&mut first).unwrap_or(0);
        all.extend_from_slice(&first[..n]);
        // No TLS: the client gives up.
        stream.write_all(b"ZBXD\x01\x00\x00\x00\x00\x00\x00\x00\x00").ok();
        stream.read_to_end(&mut all).ok();
        all
    });
    (port, taken)
}

#[test]
fn a_command_for_an_encrypted_host_never_leaves_unencrypted() {
    let psk = Encryption {
        connect: PSK,
        psk_identity: "of a".to_owned(),
        psk: "00112233445566778899aabbccddeeff".to_owned(),
        ..Encryption::default()
    };
    let (at, taken) = one_client();
    let error = port(false, LONG).execute(&agent(at, Some(psk))).unwrap_err();
    let expected = format!(
        "Get value from agent failed: TCP successful, cannot establish TLS to [[127.0.0.1]:{at}]: "
    );
    assert!(error.starts_with(&expected), "{error}");
    let sent = taken.join().unwrap();
    assert_eq!(sent.first(), Some(&0x16), "a handshake");
    assert!(!String::from_utf8_lossy(&sent).contains("system.run"), "{sent:?}");
}

#[test]
fn a_command_for_a_host_with_a_certificate_needs_one_here() {
    let certificate = Encryption { connect: CERTIFICATE, ..Encryption::default() };
    let (at, taken) = one_client();
    let error = port(false, LONG).execute(&agent(at, Some(certificate))).unwrap_err();
    assert!(error.contains("there is no certificate to connect with"), "{error}");
    assert_eq!(taken.join().unwrap(), b"");
}

#[test]
fn a_handshake_that_does_not_end_takes_the_time_of_a_command() {
    let psk = Encryption {
        connect: PSK,
        psk_identity: "of a".to_owned(),
        psk: "00112233445566778899aabbccddeeff".to_owned(),
        ..Encryption::default()
    };
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = silent.local_addr().unwrap().port();
    let late = port(false, Duration::from_millis(300)).execute(&agent(at, Some(psk)));
    assert_eq!(late.unwrap_err(), "Timeout while executing a command.");
}

#[test]
fn absent_machine_is_reported() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
    let command = agent(free, None);
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

#[test]
fn a_command_is_executed_by_ssh() {
    let Some(sshd) = Sshd::start() else { return };
    let mut port = port(false, LONG);
    let login = |username: &str| CommandLogin {
        address: "127.0.0.1".to_owned(),
        port: sshd.address.port(),
        username: username.to_owned(),
        password: String::new(),
    };
    let key = Some(("user.pub".to_owned(), "user".to_owned()));
    let command = |username: &str| Command::Ssh {
        login: login(username),
        key: key.clone(),
        command: "echo out; echo err >&2".to_owned(),
    };
    let error = port.execute(&command(&sshd.user)).unwrap_err();
    assert!(error.contains("commands.ssh_keys"), "{error}");
    port.keys = Some(sshd.keys());
    assert_eq!(port.execute(&command(&sshd.user)).unwrap(), "out\nerr");
    let error = port.execute(&command("nobody-of-this-name")).unwrap_err();
    assert!(error.starts_with("Public key authentication failed: "), "{error}");
}

fn ipmi(port: u16, command: IpmiCommand) -> Command {
    let (username, password) = IPMI_USER;
    let login = IpmiLogin {
        privilege: 3,
        username: username.to_owned(),
        password: password.to_owned(),
        ..IpmiLogin::default()
    };
    Command::Ipmi { address: "127.0.0.1".to_owned(), port, login, command }
}

#[test]
fn a_controller_switches_its_machine_off() {
    let Some(sim) = IpmiSim::start(free_udp_address(), 1) else { return };
    let port = port(false, LONG);
    let execute = |command| port.execute(&ipmi(sim.address.port(), command));
    assert_eq!(execute(IpmiCommand::PowerStatus).unwrap(), "The power is on.");
    let done = execute(IpmiCommand::PowerDown).unwrap();
    assert_eq!(done, "IPMI command successfully executed.");
    assert_eq!(execute(IpmiCommand::PowerStatus).unwrap(), "The power is off.");
    assert_eq!(sim.commands(), ["power 0"]);
}

#[test]
fn silent_controller_is_reported() {
    let silent = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let at = silent.local_addr().unwrap().port();
    let late = port(false, Duration::from_millis(200)).execute(&ipmi(at, IpmiCommand::PowerUp));
    assert!(late.unwrap_err().starts_with("Timeout while executing an IPMI command."));
    let mut port = port(false, LONG);
    port.ipmi_time = Duration::from_millis(20);
    let error = port.execute(&ipmi(at, IpmiCommand::PowerUp)).unwrap_err();
    assert_eq!(error, format!("Cannot connect to IPMI host [127.0.0.1]:{at}: no answer."));
}
