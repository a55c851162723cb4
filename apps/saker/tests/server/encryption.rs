//! Encryption of the whole server: hosts by the API, the real agents, our tools, and pages by HTTPS.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use nix::sys::signal::Signal;
use peers::{AgentKind, Certificates, free_tcp_address};
use serde_json::{Value, json};

use crate::support::{FLOAT, Server, TEXT, program, wait_until};

const SOON: Duration = Duration::from_secs(60);
const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

/// Exit code, output and errors.
fn run(program: impl AsRef<std::ffi::OsStr>, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(program).args(arguments).output().unwrap();
    let text = |it: Vec<u8>| String::from_utf8_lossy(&it).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn saker(arguments: &[&str]) -> (Option<i32>, String, String) {
    run(env!("CARGO_BIN_EXE_saker"), arguments)
}

fn psk_file(folder: &Path, name: &str, key: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, format!("{key}\n")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_host_with_a_key_is_asked_and_heard_by_it() {
    let server = Server::start();
    let good = psk_file(server.dir(), "good.psk", KEY);
    let bad = psk_file(server.dir(), "bad.psk", &KEY.replace("00", "01"));
    let listens = free_tcp_address();
    let lines = format!(
        "Hostname=db-1\nTLSAccept=psk\nTLSConnect=psk\nTLSPSKIdentity=of db-1\nTLSPSKFile={good}"
    );
    let Some(agent) = AgentKind::Agentd.start(listens, &lines) else { return };
    let port = agent.address.port().to_string();
    let group = server.group("Agents");
    let host = json!({
        "host": "db-1", "groups": [{"groupid": group}],
        "tls_connect": 2, "tls_accept": 2, "tls_psk_identity": "of db-1", "tls_psk": KEY,
        "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "", "port": port}],
    });
    let host = server.create("host.create", &host).remove(0);
    let interface = server.call("hostinterface.get", &json!({"hostids": [host]}))[0].clone();
    let interface = interface["interfaceid"].as_str().unwrap().to_owned();
    let item = json!({"hostid": host, "name": "name", "key_": "agent.hostname", "type": 0,
        "value_type": TEXT, "delay": "1s", "interfaceid": interface});
    let name = server.create("item.create", &item).remove(0);
    wait_until("the agent's value", SOON, || server.last(&name).as_deref() == Some("db-1"));

    // A wrong key is reported at the interface; the right one again helps.
    let wrong = json!({"hostid": host, "tls_psk": KEY.replace("00", "01")});
    server.call("host.update", &wrong);
    let error = || {
        let params = json!({"interfaceids": [interface], "output": ["available", "error"]});
        server.call("hostinterface.get", &params)[0].clone()
    };
    // 45 seconds of failures, asked each 15, make it unavailable; then it is asked once a minute.
    let late = Duration::from_secs(150);
    wait_until("the failure", late, || {
        error()["error"].as_str().is_some_and(|it| it.contains("cannot establish TLS"))
    });
    server.call("host.update", &json!({"hostid": host, "tls_psk": KEY}));
    wait_until("the recovery", late, || error()["available"] == "1");

    // Our own tools.
    let by_key = |file: &str| {
        ["--tls-connect", "psk", "--tls-psk-identity", "of db-1", "--tls-psk-file", file]
            .map(str::to_owned)
    };
    let get = |file: &str| {
        let by_key = by_key(file);
        let by_key: Vec<&str> = by_key.iter().map(String::as_str).collect();
        let ask = ["get", "-s", "127.0.0.1", "-p", &port, "-k", "agent.hostname"];
        saker(&[&ask[..], &by_key].concat())
    };
    assert_eq!(get(&good), (Some(0), "db-1\n".to_owned(), String::new()));
    let (code, _, error) = get(&bad);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("cannot establish TLS"), "{error}");
    let trap = server.trapper_item(&host, "trap", FLOAT);
    let to = server.trapper().to_string();
    let send = |file: Option<&str>, value: &str| {
        let by_key = file.map(by_key).into_iter().flatten().collect::<Vec<_>>();
        let by_key: Vec<&str> = by_key.iter().map(String::as_str).collect();
        let values = ["send", "-z", &to, "-s", "db-1", "-k", "trap", "-o", value];
        saker(&[&values[..], &by_key].concat())
    };
    assert_eq!(send(Some(&good), "1").0, Some(0));
    assert_eq!(server.last(&trap).as_deref(), Some("1"));
    assert_eq!(send(Some(&bad), "2").0, Some(1));
    assert_eq!(send(None, "3").0, Some(2), "sent, but not processed");
    assert_eq!(server.last(&trap).as_deref(), Some("1"));
    // An agent's file says the same as the options.
    let config = server.dir().join("agent.conf");
    fs::write(&config, format!("ServerActive={to}\n{lines}")).unwrap();
    let config = config.to_str().unwrap();
    let (code, _, error) = saker(&["send", "-c", config, "-k", "trap", "-o", "4"]);
    assert_eq!(code, Some(0), "{error}");
    assert_eq!(server.last(&trap).as_deref(), Some("4"));
    let log = server.log();
    assert!(!log.contains(KEY) && log.contains("refused an encrypted connection"), "{log}");
}

/// A script on a host, executed by the user.
fn execute(server: &Server, host: &str, command: &str) -> Result<Value, Value> {
    let script =
        json!({"name": command, "type": "0", "execute_on": "0", "scope": "2", "command": command});
    let script = server.create("script.create", &script).remove(0);
    server.try_call("script.execute", &json!({"scriptid": script, "hostid": host}))
}

/// The agent accepts only the host's encryption.
fn commands_go_by(server: &Server, host: &str) {
    let done = execute(server, host, "echo one").unwrap();
    assert_eq!(done["value"], "one");
    // The same by an action.
    let trap = server.trapper_item(host, "trap", FLOAT);
    let trigger = server.trigger("too much", "last(/db-1/trap)>10");
    let script = json!({"name": "of action", "type": "0", "execute_on": "0", "scope": "1", "command": "echo two"});
    let script = server.create("script.create", &script).remove(0);
    let action = json!({"name": "run", "eventsource": "0", "esc_period": "1h", "operations": [{
        "operationtype": "1", "opcommand": {"scriptid": script}, "opcommand_hst": [{"hostid": "0"}]}]});
    server.create("action.create", &action);
    server.call("history.push", &json!([{"itemid": trap, "value": "11"}]));
    let alerts = || server.call("alert.get", &json!({"output": ["status", "error"]}));
    wait_until("the command", SOON, || {
        let alerts = alerts();
        let is_over = alerts[0]["status"] == "1" || alerts[0]["status"] == "2";
        assert!(!is_over || alerts[0]["error"] == "", "{alerts}");
        is_over
    });
    assert!(server.is_problem(&trigger));
}

fn encrypted_host(server: &Server, agent: std::net::SocketAddr, encryption: &Value) -> String {
    let group = server.group("Agents");
    let mut host = json!({
        "host": "db-1", "groups": [{"groupid": group}],
        "interfaces": [{"type": 1, "main": 1, "useip": 1, "ip": "127.0.0.1", "dns": "",
            "port": agent.port().to_string()}],
    });
    for (name, value) in encryption.as_object().unwrap() {
        host[name] = value.clone();
    }
    server.create("host.create", &host).remove(0)
}

#[test]
fn commands_of_users_and_actions_go_by_the_key_of_the_host() {
    let server = Server::start();
    let good = psk_file(server.dir(), "good.psk", KEY);
    let lines = format!(
        "TLSAccept=psk\nTLSConnect=psk\nTLSPSKIdentity=of db-1\nTLSPSKFile={good}\nAllowKey=system.run[*]"
    );
    let Some(agent) = AgentKind::Agentd.start(free_tcp_address(), &lines) else { return };
    let by_key =
        json!({"tls_connect": 2, "tls_accept": 3, "tls_psk_identity": "of db-1", "tls_psk": KEY});
    let host = encrypted_host(&server, agent.address, &by_key);
    commands_go_by(&server, &host);
    // A wrong key: nothing is executed, and it is said why.
    server.call("host.update", &json!({"hostid": host, "tls_psk": KEY.replace("00", "01")}));
    let refused = execute(&server, &host, "echo three").unwrap_err();
    assert!(refused.to_string().contains("cannot establish TLS"), "{refused}");
}

#[test]
fn commands_of_users_and_actions_go_by_the_certificate_of_the_host() {
    let Some(own) = Certificates::of_rsa() else { return };
    let (certificate, key) = own.another("agent", "/O=Tests/CN=agent");
    let text = |it: &Path| it.to_str().unwrap().to_owned();
    let server = Server::start_with(&[
        ("SAKER_TLS_CA_FILE", &text(&own.authority)),
        ("SAKER_TLS_CERT_FILE", &text(&own.certificate)),
        ("SAKER_TLS_KEY_FILE", &text(&own.key)),
    ]);
    let lines = format!(
        "TLSAccept=cert\nTLSConnect=cert\nTLSCAFile={}\nTLSCertFile={}\nTLSKeyFile={}\nAllowKey=system.run[*]",
        text(&own.authority),
        text(&certificate),
        text(&key)
    );
    let Some(agent) = AgentKind::Agentd.start(free_tcp_address(), &lines) else { return };
    let by_certificate =
        json!({"tls_connect": 4, "tls_accept": 5, "tls_subject": "CN=agent,O=Tests"});
    let host = encrypted_host(&server, agent.address, &by_certificate);
    commands_go_by(&server, &host);
    // Another machine with a certificate of the same authority is not the host.
    server.call("host.update", &json!({"hostid": host, "tls_subject": "CN=other,O=Tests"}));
    let refused = execute(&server, &host, "echo three").unwrap_err();
    assert!(refused.to_string().contains("subject does not match"), "{refused}");
}

#[test]
fn agents_register_by_the_key_of_autoregistration() {
    let server = Server::start();
    let key = psk_file(server.dir(), "new.psk", KEY);
    let given = json!({"tls_accept": 2, "tls_psk_identity": "new agents", "tls_psk": KEY});
    server.call("autoregistration.update", &given);
    let action = json!({"name": "Add", "eventsource": "2", "operations": [{"operationtype": "2"}]});
    server.create("action.create", &action);
    let to = server.trapper();
    let start = |name: &str, more: &str| {
        let lines = format!("Hostname={name}\nServerActive={to}\nRefreshActiveChecks=60\n{more}");
        AgentKind::Agentd.start(free_tcp_address(), &lines)
    };
    let Some(_plain) = start("plain", "") else { return };
    let by_key =
        format!("TLSConnect=psk\nTLSAccept=psk\nTLSPSKIdentity=new agents\nTLSPSKFile={key}");
    let _known = start("known", &by_key).unwrap();
    let of = |name: &str| {
        let params = json!({"filter": {"host": [name]}, "output": ["tls_connect", "tls_accept"]});
        server.call("host.get", &params)[0].clone()
    };
    wait_until("the host", Duration::from_secs(150), || of("known").is_object());
    assert_eq!(
        (&of("known")["tls_connect"], &of("known")["tls_accept"]),
        (&json!("2"), &json!("2"))
    );
    wait_until("the other one is refused", SOON, || {
        server
            .log()
            .contains("connection of type \\\"unencrypted\\\" is not allowed for autoregistration")
            || server
                .log()
                .contains("connection of type \"unencrypted\" is not allowed for autoregistration")
    });
    assert_eq!(of("plain"), Value::Null);
}

/// The output of curl's `--write-out`, or its error.
fn curl(arguments: &[&str]) -> Option<(Option<i32>, String)> {
    let curl = program("curl")?;
    let (code, out, error) = run(curl, &[&["-sS", "--max-time", "30"], arguments].concat());
    Some((code, out + &error))
}

#[test]
fn pages_come_by_https_with_a_certificate_of_the_servers_own() {
    let mut server = Server::stopped(&[("SAKER_HTTP_TLS", "self-signed")]);
    server.start_encrypted("http.pem");
    let cert = server.data().join("http.pem");
    let cert = cert.to_str().unwrap();
    let address = server.http();
    let (https, http) = (format!("https://{address}"), format!("http://{address}"));
    let health = format!("{https}/health");
    let shown = ["-o", "/dev/null", "-w", "%{http_version} %{http_code} %{redirect_url}"];
    let get = |more: &[&str]| curl(&[&shown[..], more].concat());
    let Some(answer) = get(&["--cacert", cert, &health]) else { return };
    assert_eq!(answer, (Some(0), "2 200 ".to_owned()));
    let answer = get(&["--http1.1", "--cacert", cert, &health]).unwrap();
    assert_eq!(answer, (Some(0), "1.1 200 ".to_owned()));
    // A client without HTTPS is redirected; a client that does not trust the certificate fails.
    let answer = get(&[&format!("{http}/problems?x=1")]).unwrap();
    assert_eq!(answer, (Some(0), format!("1.1 308 {https}/problems?x=1")));
    assert_eq!(get(&[&health]).unwrap().0, Some(60));

    // The browser's cookie is for HTTPS only.
    let login = json!({"username": "Admin", "password": crate::support::PASSWORD}).to_string();
    let url = format!("{https}/api/v1/login");
    let (json, own) = ("Content-Type: application/json", "X-Requested-With: saker");
    let (code, answer) =
        curl(&["-i", "--cacert", cert, "-H", json, "-H", own, "-d", &login, &url]).unwrap();
    let cookie = answer.lines().find(|it| it.to_lowercase().starts_with("set-cookie:"));
    assert!(code == Some(0) && cookie.is_some_and(|it| it.contains("Secure")), "{answer}");
    assert!(!answer.to_lowercase().contains("strict-transport-security"), "{answer}");

    // The log has its fingerprint, which stays.
    let (_, printed, _) =
        run("openssl", &["x509", "-in", cert, "-noout", "-fingerprint", "-sha256"]);
    let fingerprint = printed.trim().split_once('=').unwrap().1.to_owned();
    server.stop();
    server.start_encrypted("http.pem");
    assert_eq!(server.log().matches(&fingerprint).count(), 2, "{}", server.log());
    // One that says no more in its handshake holds up nobody, and no stop either.
    let _silent = {
        use std::io::Write as _;
        let mut stream = std::net::TcpStream::connect(&address).unwrap();
        stream.write_all(&[0x16, 3, 1]).unwrap();
        stream
    };
    assert_eq!(get(&["--cacert", cert, &health]).unwrap().0, Some(0));
    server.stop();
}

#[test]
fn certificate_is_reloaded_on_sighup() {
    let Some(certificates) = Certificates::new() else { return };
    let Some(openssl) = program("openssl") else { return };
    let (cert, key) = certificates.another("pages", "/CN=first");
    let text = |it: &Path| it.to_str().unwrap().to_owned();
    let mut server = Server::stopped(&[
        ("SAKER_HTTP_TLS_CERT_FILE", &text(&cert)),
        ("SAKER_HTTP_TLS_KEY_FILE", &text(&key)),
    ]);
    let address = server.http();
    let subject = || {
        let pipe = format!(
            "{} s_client -connect {address} -servername localhost </dev/null 2>/dev/null | {0} x509 -noout -subject",
            openssl.display()
        );
        run("sh", &["-c", &pipe]).1
    };
    server.start_unless_ended(|| subject().contains("first"));
    let (new_cert, new_key) = certificates.another("new", "/CN=second");
    // One that does not fit stays without effect.
    fs::copy(&new_cert, &cert).unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("the refusal", SOON, || server.log().contains("stays as it was"));
    assert!(subject().contains("first"));
    fs::copy(&new_key, &key).unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("the new certificate", SOON, || subject().contains("second"));
    server.stop();
    server.set_env("SAKER_HTTP_TLS_KEY_FILE", "/nowhere/key.pem");
    assert!(server.refused_start().contains("/nowhere/key.pem"));
}

#[test]
fn settings_of_certificates_that_are_wrong_keep_it_from_starting() {
    let server = Server::stopped(&[("SAKER_TLS_CERT_FILE", "/nowhere/cert.pem")]);
    assert!(server.refused_start().contains("tls.cert_file and tls.key_file belong together"));
}

/// Debian's zabbix_sender by certificate; the server's own certificate, and the list of revoked
/// ones, change while it runs.
#[test]
fn certificates_of_senders_are_revoked_without_a_restart() {
    let (Some(own), Some(sender)) = (Certificates::of_rsa(), program("zabbix_sender")) else {
        return;
    };
    let (certificate, key) = own.another("sender", "/O=Tests/CN=sender");
    let (second, second_key) = own.another("second", "/O=Tests/CN=server 2");
    let text = |it: &Path| it.to_str().unwrap().to_owned();
    let list = text(&own.revoke(&[]));
    let mut server = Server::start_with(&[
        ("SAKER_TLS_CA_FILE", &text(&own.authority)),
        ("SAKER_TLS_CRL_FILE", &list),
        ("SAKER_TLS_CERT_FILE", &text(&own.certificate)),
        ("SAKER_TLS_KEY_FILE", &text(&own.key)),
    ]);
    let host = server.host("web");
    let accept = json!({"hostid": host, "tls_accept": 4, "tls_subject": "CN=sender,O=Tests"});
    server.call("host.update", &accept);
    let load = server.trapper_item(&host, "load", FLOAT);
    let (address, port) = (server.trapper().ip().to_string(), server.trapper().port().to_string());
    let send = |value: &str, subject: &str| {
        let (ca, certificate, key) = (text(&own.authority), text(&certificate), text(&key));
        let arguments = [
            "-z",
            &address,
            "-p",
            &port,
            "-s",
            "web",
            "-k",
            "load",
            "-o",
            value,
            "--tls-connect",
            "cert",
            "--tls-ca-file",
            &ca,
            "--tls-cert-file",
            &certificate,
            "--tls-key-file",
            &key,
            "--tls-server-cert-subject",
            subject,
        ];
        run(&sender, &arguments).0
    };
    let (first_name, second_name) = ("CN=server of a test", "CN=server 2,O=Tests");
    assert_eq!(send("1", first_name), Some(0));
    assert_eq!(server.last(&load).as_deref(), Some("1"));
    assert_ne!(send("2", second_name), Some(0));

    // The server's own, renewed.
    fs::copy(&second, &own.certificate).unwrap();
    fs::copy(&second_key, &own.key).unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("the new certificate", SOON, || send("3", second_name) == Some(0));
    assert_eq!(server.last(&load).as_deref(), Some("3"));
    assert_eq!(text(&own.revoke(&[&certificate])), list);
    server.process().signal(Signal::SIGHUP);
    wait_until("the sender is refused", SOON, || send("4", second_name) != Some(0));
    assert_ne!(server.last(&load).as_deref(), Some("4"));
    // A broken file keeps the former state.
    fs::write(&list, "nonsense").unwrap();
    server.process().signal(Signal::SIGHUP);
    wait_until("it is logged", SOON, || server.log().contains("stay as they were"));
    assert_ne!(send("5", second_name), Some(0));
    server.stop();
}
