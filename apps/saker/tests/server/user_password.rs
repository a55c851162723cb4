//! `saker user password`: a lost password, with the server running and stopped, and refusals.

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::support::Server;
use nix::fcntl::{Flock, FlockArg};
use serde_json::{Value, json};

/// Exit code, standard output and error of `saker user password`.
fn user_password(arguments: &[&str], data: &Path, stdin: &str) -> (Option<i32>, String, String) {
    user_password_with(arguments, (data, &[]), stdin)
}

fn user_password_with(
    arguments: &[&str],
    (data, env): (&Path, &[(&str, &str)]),
    stdin: &str,
) -> (Option<i32>, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["user", "password"])
        .args(arguments)
        .arg("--data")
        .arg(data)
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA")
        .envs(env.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It may end without reading.
    drop(child.stdin.take().unwrap().write_all(stdin.as_bytes()));
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    let stderr = text(output.stderr).replace(data.to_str().unwrap(), "DIR");
    (output.status.code(), text(output.stdout), stderr)
}

fn login(server: &Server, password: &str) -> Result<Value, Value> {
    server.try_call("user.login", &json!({"username": "Admin", "password": password}))
}

const DONE: &str = "The password of user Admin is set; the user's sessions have ended.\n";

#[test]
fn running_server_takes_the_new_password_at_once() {
    let mut server = Server::start();
    for _ in 0..5 {
        login(&server, "forgotten").unwrap_err();
    }
    let blocked = login(&server, "a password for tests").unwrap_err();
    let answer = user_password(&["Admin"], &server.data(), "found again\nnot this\n");
    assert_eq!(answer, (Some(0), String::new(), DONE.to_owned()));
    // The session of the test was Admin's.
    let ended = server.try_call("host.get", &json!({})).unwrap_err();
    assert!(ended.to_string().contains("Session terminated"), "{ended}");
    login(&server, "found again").expect("nobody waits after failed logins");
    assert_eq!(login(&server, "a password for tests").unwrap_err(), blocked);

    let refused = user_password(&["nobody"], &server.data(), "x\n");
    let reason = "saker: User with username \"nobody\" does not exist.\n";
    assert_eq!(refused, (Some(1), String::new(), reason.to_owned()));
    server.log_in("found again");
    let of_admin = json!({"output": "extend", "filter": {"action": 1, "resourceid": "1"}});
    let log = server.call("auditlog.get", &of_admin);
    let [record] = log.as_array().unwrap().as_slice() else { panic!("{log}") };
    assert_eq!((&record["username"], &record["userid"]), (&json!("System"), &json!("0")));
    assert_eq!(record["details"], json!(r#"{"user.passwd":["update","******","******"]}"#));
}

#[test]
fn stopped_server_starts_with_the_new_password() {
    let mut server = Server::start();
    server.stop();
    // Of a start that made the password itself.
    let first = server.data().join("admin_password");
    fs::write(&first, "a password for tests\n").unwrap();
    let (code, password, stderr) = user_password(&["Admin", "--generate"], &server.data(), "");
    assert_eq!((code, stderr.as_str()), (Some(0), DONE));
    assert_eq!(password.len(), 21, "{password}");
    assert!(!first.try_exists().unwrap(), "what is written there is wrong");
    server.start_again();
    login(&server, password.trim_end()).unwrap();
    login(&server, "a password for tests").unwrap_err();
}

#[test]
fn users_in_postgresql_get_new_passwords_as_well() {
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = format!("saker_test_password_{}", std::process::id());
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    client.batch_execute(&format!("create schema {schema}")).unwrap();
    let mark = if url.contains('?') { '&' } else { '?' };
    let env = [("SAKER_DATABASE_URL", &*format!("{url}{mark}options=-csearch_path%3D{schema}"))];
    let mut server = Server::start_with(&env);
    let given = (&*server.data(), &env[..]);
    let answer = user_password_with(&["Admin"], given, "while it runs\n");
    assert_eq!(answer, (Some(0), String::new(), DONE.to_owned()));
    login(&server, "while it runs").unwrap();
    server.stop();
    let answer = user_password_with(&["Admin"], given, "while it is stopped\n");
    assert_eq!(answer, (Some(0), String::new(), DONE.to_owned()));
    server.start_again();
    login(&server, "while it is stopped").unwrap();
    drop(server);
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}

#[test]
fn password_of_a_user_without_login_is_reported() {
    let server = Server::start();
    let (code, _, stderr) = user_password(&["guest", "--generate"], &server.data(), "");
    assert_eq!(code, Some(0));
    assert!(stderr.contains("The user still may not log in: a group"), "{stderr}");
}

#[test]
fn impossible_password_change_is_refused() {
    let mut server = Server::start();
    server.stop();
    let data = server.data();
    let refusal = |arguments: &[&str], data: &Path, stdin: &str| {
        let (code, stdout, stderr) = user_password(arguments, data, stdin);
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{stderr}");
        stderr
    };
    let length = "saker: A password has 1 to 255 characters.\n";
    assert_eq!(refusal(&["Admin"], &data, ""), length);
    assert_eq!(refusal(&["Admin"], &data, "\n"), length);
    assert_eq!(refusal(&["Admin"], &data, &"x".repeat(256)), length);

    let temp = tempfile::tempdir().unwrap();
    let empty =
        "saker: there is no data of Saker in DIR: name the server's data directory by --data\n";
    assert_eq!(refusal(&["Admin"], temp.path(), "x\n"), empty);
    assert_eq!(refusal(&["Admin"], &temp.path().join("missing"), "x\n"), empty);
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0, "nothing was made");

    // A start that did not get far: a password would make it look finished.
    fs::copy(data.join("saker.json"), temp.path().join("saker.json")).unwrap();
    let early = refusal(&["Admin"], temp.path(), "x\n");
    assert!(early.contains("has not finished its first start on DIR"), "{early}");

    // A server that cannot be asked.
    let file = OpenOptions::new().write(true).open(data.join("saker.lock")).unwrap();
    let lock: Flock<File> = Flock::lock(file, FlockArg::LockExclusiveNonblock).unwrap();
    let silent = refusal(&["Admin"], &data, "x\n");
    assert!(silent.starts_with("saker: the data directory DIR is in use by another saker"));
    assert!(silent.ends_with("stop it and try again\n"), "{silent}");
    drop(lock);

    server.start_again();
    login(&server, "a password for tests").expect("it is as it was");
}

#[test]
fn nobody_else_reaches_the_socket_and_it_goes_with_the_server() {
    let mut server = Server::start();
    let socket = server.data().join("saker.sock");
    assert_eq!(fs::metadata(&socket).unwrap().permissions().mode() & 0o777, 0o600);
    let kept = fs::read(server.data().join("saker.lock")).unwrap();
    server.kill();
    assert!(socket.try_exists().unwrap(), "a crash leaves it");
    server.start_again();
    assert_ne!(fs::read(server.data().join("saker.lock")).unwrap(), kept);
    let (code, ..) = user_password(&["Admin"], &server.data(), "anew\n");
    assert_eq!(code, Some(0));
    server.stop();
    assert!(!socket.try_exists().unwrap());
}
