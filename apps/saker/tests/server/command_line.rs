//! The binary as an operator meets it: answers, refusals and exit codes.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

/// Far more than any refusal takes, also on a busy machine.
const END_MAX: Duration = Duration::from_secs(60);

fn saker(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_saker"));
    command.args(arguments).env_remove("SAKER_SETTINGS").env_remove("SAKER_DATA");
    command
}

/// Exit code, standard output and error of a run that has to end by itself.
fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let child = saker(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap());
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(child.wait_with_output().unwrap()));
    let Ok(output) = receiver.recv_timeout(END_MAX) else {
        kill(pid, Signal::SIGKILL).unwrap();
        panic!("saker {arguments:?} should have ended");
    };
    let Output { status, stdout, stderr } = output;
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

/// A server on free ports; ended with the test.
struct Server(Child);

impl Server {
    /// Starts it and waits for the line on standard error that holds `mark`.
    fn start(data: &str, mark: &str) -> Self {
        let arguments =
            ["server", "--data", data, "--http", "127.0.0.1:0", "--trapper", "127.0.0.1:0"];
        let child = saker(&arguments).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
        let mut server = Self(child.unwrap());
        let lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
        let (sender, receiver) = mpsc::channel();
        let mark = mark.to_owned();
        // It reads to the end, or the server would wait for room.
        thread::spawn(move || {
            for line in lines.map_while(Result::ok).filter(|it| it.contains(&mark)) {
                drop(sender.send(line));
            }
        });
        receiver.recv_timeout(END_MAX).expect("the server says that it has started");
        server
    }

    fn signal(&self, signal: Signal) {
        let pid = i32::try_from(self.0.id()).unwrap();
        kill(Pid::from_raw(pid), signal).unwrap();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.0.kill());
        self.0.wait().unwrap();
    }
}

#[test]
fn version_and_help_are_answers() {
    let (code, stdout, _) = run(&["--version"]);
    assert_eq!(
        (code, stdout.as_str()),
        (Some(0), concat!("saker ", env!("CARGO_PKG_VERSION"), "\n"))
    );
    let (code, stdout, _) = run(&["server", "--help"]);
    assert_eq!(code, Some(0));
    assert!(stdout.contains("--http") && stdout.contains("SAKER_HTTP_LISTEN"), "{stdout}");
    assert_eq!(run(&["serve"]).0, Some(2));
}

#[test]
fn sample_file_passes_the_check() {
    let temp = tempfile::tempdir().unwrap();
    let file = temp.path().join("saker.toml");
    let (code, sample, _) = run(&["check", "--sample"]);
    assert_eq!(code, Some(0));
    fs::write(&file, sample).unwrap();
    let (code, stdout, stderr) = run(&["check", "--settings", file.to_str().unwrap()]);
    assert_eq!((code, stdout.as_str(), stderr.as_str()), (Some(0), "the settings are good\n", ""));
}

#[test]
fn mistake_in_settings_is_one_sentence_and_exit_code_1() {
    let (code, stdout, stderr) = run(&["server", "--journal-sync-ms", "soon"]);
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert_eq!(
        stderr,
        "saker: flag --journal-sync-ms: setting \"journal.sync_ms\": invalid type: string \
         \"soon\", expected u64\n"
    );
}

#[test]
fn foreign_directory_is_refused_and_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("photos"), "").unwrap();
    let (code, _, stderr) = run(&["server", "--data", temp.path().to_str().unwrap()]);
    assert_eq!(code, Some(1));
    assert!(stderr.contains("holds other files (photos)"), "{stderr}");
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn occupied_port_is_explained() {
    let temp = tempfile::tempdir().unwrap();
    let occupied = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = occupied.local_addr().unwrap().to_string();
    let data = temp.path().join("data");
    let data = data.to_str().unwrap();
    for (flag, other) in [("--http", "--trapper"), ("--trapper", "--http")] {
        let arguments = ["server", "--data", data, flag, &address, other, "127.0.0.1:0"];
        let (code, _, stderr) = run(&arguments);
        assert_eq!(code, Some(1), "{stderr}");
        assert!(stderr.contains(&format!("cannot listen on {address}")), "{stderr}");
        assert!(stderr.contains("another program has this port"), "{stderr}");
    }
}

#[test]
fn second_server_on_one_directory_is_refused_and_the_first_goes_on() {
    let temp = tempfile::tempdir().unwrap();
    let data = temp.path().join("data");
    let data = data.to_str().unwrap();
    let mut first = Server::start(data, "started");
    let arguments = ["server", "--data", data, "--http", "127.0.0.1:0", "--trapper", "127.0.0.1:0"];
    let (code, _, stderr) = run(&arguments);
    assert_eq!(code, Some(1));
    assert!(
        stderr.contains(&format!("in use by another saker (process {})", first.0.id())),
        "{stderr}"
    );
    assert!(first.0.try_wait().unwrap().is_none(), "the first one runs");
}

#[test]
fn readable_directory_is_reported_with_the_remedy() {
    let temp = tempfile::tempdir().unwrap();
    let data = temp.path().join("data");
    fs::create_dir(&data).unwrap();
    fs::set_permissions(&data, fs::Permissions::from_mode(0o750)).unwrap();
    let data = data.to_str().unwrap();
    Server::start(data, &format!("other users may read the data directory: chmod 700 {data}"));
}

#[test]
fn stop_signals_end_the_server_with_exit_code_0() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let temp = tempfile::tempdir().unwrap();
        let data = temp.path().join("data");
        let mut server = Server::start(data.to_str().unwrap(), "started");
        server.signal(signal);
        assert_eq!(server.0.wait().unwrap().code(), Some(0), "{signal}");
    }
}

#[test]
fn server_that_nobody_listens_to_goes_on() {
    let temp = tempfile::tempdir().unwrap();
    let data = temp.path().join("data");
    let arguments = ["server", "--data", data.to_str().unwrap()];
    let ports = ["--http", "127.0.0.1:0", "--trapper", "127.0.0.1:0"];
    let child = saker(&arguments).args(ports).stderr(Stdio::piped()).stdout(Stdio::null()).spawn();
    let mut server = Server(child.unwrap());
    let mut lines = BufReader::new(server.0.stderr.take().unwrap()).lines();
    assert!(lines.by_ref().map_while(Result::ok).any(|it| it.contains("started")));
    drop(lines);
    // Its last messages have no reader.
    server.signal(Signal::SIGTERM);
    assert_eq!(server.0.wait().unwrap().code(), Some(0));
}
