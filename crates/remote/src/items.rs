//! Commands of SSH and Telnet items: each waits in a thread of the pool for blocking work.

use std::path::PathBuf;

use alerting::ports::CommandLogin;
use collect::Transcript;
use collect::ports::{Printed, RemoteShells, ShellAnswer, ShellCommand, ShellWay};
use collect::transcript::LineKind;
use rt::clock::Clock;
use rt::reading::{Reading, Readings};
use rt::task::Tasks;
use tokio::sync::oneshot;

use crate::shells::ssh::SshCommand;
use crate::shells::{Deadline, connect, ssh, telnet};

/// Runs them.
#[derive(Debug)]
pub struct ShellItems {
    pub tasks: Tasks,
    pub clock: Clock,
    /// Where keys of SSH lie; `None`: there are none.
    pub keys: Option<PathBuf>,
    /// The output of commands shares a bound with all other responses.
    pub readings: Readings,
}

impl RemoteShells for ShellItems {
    fn run(&self, command: ShellCommand) -> ShellAnswer<'_> {
        self.start(command, None)
    }

    fn run_with_transcript(
        &self,
        command: ShellCommand,
        transcript: &Transcript,
    ) -> ShellAnswer<'_> {
        self.start(command, Some(transcript.clone()))
    }
}

impl ShellItems {
    fn start(&self, command: ShellCommand, transcript: Option<Transcript>) -> ShellAnswer<'_> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let (tasks, clock, keys) = (self.tasks.clone(), self.clock.clone(), self.keys.clone());
            let room = self.readings.begin((command.address, command.port));
            self.tasks.spawn_blocking("shell item", move || {
                let with = (&clock, room);
                let execute = || execute(with, keys.as_ref(), &command, transcript.as_ref());
                if let Ok(printed) = tasks.contain_sync("shell check", "an item", execute) {
                    // Nobody waits any more if this took too long.
                    drop(answer.send(printed));
                }
            });
            answered.await.map_err(|_panicked| "the command ended without an answer".to_owned())?
        })
    }
}

fn execute(
    (clock, room): (&Clock, Reading),
    keys: Option<&PathBuf>,
    command: &ShellCommand,
    transcript: Option<&Transcript>,
) -> Result<Printed, String> {
    let deadline = Deadline::new(clock, command.time);
    let login = CommandLogin {
        address: command.address.to_string(),
        port: command.port,
        username: command.username.clone(),
        password: command.password.clone(),
    };
    let mut stream = connect((&login.address, login.port), &deadline)?;
    if let Some(it) = transcript {
        let note = format!("connected to [{}]:{}", login.address, login.port);
        it.push(LineKind::Note, &note, b"");
    }
    let printed = match &command.way {
        ShellWay::Telnet => {
            let limits = (&deadline, transcript);
            telnet::execute(&mut stream, &login, &command.command, limits, room)
        }
        ShellWay::Ssh { key, options, subsystem } => {
            let command = SshCommand {
                login: &login,
                key: key.as_ref().map(|(public, private)| (public.as_str(), private.as_str())),
                keys: keys.map(PathBuf::as_path),
                options,
                subsystem,
                command: &command.command,
                takes_errors: false,
                transcript,
            };
            ssh::execute(stream, &command, (&deadline, room))
        }
    };
    let (bytes, room) = printed?.into_parts();
    Ok(Printed { bytes, room: Some(room) })
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use peers::{Sshd, Telnetd};
    use rt::metrics::Registry;

    use super::*;

    fn items(keys: Option<PathBuf>) -> ShellItems {
        with_memory(keys, 256 << 20)
    }

    fn with_memory(keys: Option<PathBuf>, bytes_max: u64) -> ShellItems {
        let (clock, registry) = (Clock::real(), Registry::new());
        let readings = Readings::new(bytes_max, &clock, &registry);
        ShellItems { tasks: Tasks::new("test", &registry), clock, keys, readings }
    }

    fn command(way: ShellWay, at: SocketAddr, login: (&str, &str), command: &str) -> ShellCommand {
        ShellCommand {
            way,
            address: at.ip(),
            port: at.port(),
            username: login.0.to_owned(),
            password: login.1.to_owned(),
            command: command.to_owned(),
            time: Duration::from_secs(60),
        }
    }

    fn ssh(key: Option<(&str, &str)>, options: &str, subsystem: &str) -> ShellWay {
        ShellWay::Ssh {
            key: key.map(|it| (it.0.to_owned(), it.1.to_owned())),
            options: options.to_owned(),
            subsystem: subsystem.to_owned(),
        }
    }

    fn said(transcript: &Transcript) -> Vec<(LineKind, String)> {
        transcript.take().into_iter().map(|it| (it.kind, it.text)).collect()
    }

    fn text(printed: Result<Printed, String>) -> Result<String, String> {
        printed.map(|it| String::from_utf8(it.bytes).expect("text"))
    }

    #[tokio::test]
    async fn sshd_lets_a_key_in() {
        let Some(sshd) = Sshd::start() else { return };
        let items = items(Some(sshd.keys()));
        let script = "echo out\necho err >&2\nfor i in 1 2; do echo $i; done";
        let run = async |way: ShellWay, user: &str, phrase: &str| {
            text(items.run(command(way, sshd.address, (user, phrase), script)).await)
        };
        let key = Some(("user.pub", "user"));
        let user = sshd.user.as_str();
        assert_eq!(run(ssh(key, "", ""), user, "").await, Ok("out\n1\n2\n".to_owned()));
        let options = "KexAlgorithms=curve25519-sha256,ecdh-sha2-nistp256;Ciphers=aes256-ctr";
        assert_eq!(run(ssh(key, options, ""), user, "").await, Ok("out\n1\n2\n".to_owned()));
        let with_phrase = Some(("phrase.pub", "phrase"));
        let answer = run(ssh(with_phrase, "", ""), user, "of the key").await;
        assert_eq!(answer, Ok("out\n1\n2\n".to_owned()));
        for (way, user, phrase, expected) in [
            (ssh(key, "", ""), "nobody-of-this-name", "", "Public key authentication failed: "),
            (ssh(with_phrase, "", ""), user, "another", "Public key authentication failed: "),
            (ssh(Some(("../user.pub", "user")), "", ""), user, "", "\"../user.pub\" is no name of"),
            (ssh(key, "Ciphers=no-such-cipher", ""), user, "", "Cannot set SSH option \"Ciphers="),
            (ssh(key, "Nonsense=1", ""), user, "", "Cannot set SSH option \"Nonsense=1\"."),
            (ssh(None, "", ""), user, "wrong", "Password authentication failed: "),
            (ssh(key, "", "no-such"), user, "", "Cannot request SSH subsystem: "),
        ] {
            let answer = run(way, user, phrase).await.expect_err("it fails");
            assert!(answer.starts_with(expected), "{answer}");
        }
    }

    #[tokio::test]
    async fn sshd_output_shares_the_bound_of_responses() {
        let Some(sshd) = Sshd::start() else { return };
        let login = (sshd.user.as_str(), "");
        let bomb = "head -c 8000000 /dev/zero | tr '\\0' x; echo end";
        let items = with_memory(Some(sshd.keys()), 24 << 20);
        let print = || {
            let way = ssh(Some(("user.pub", "user")), "", "");
            items.run(command(way, sshd.address, login, bomb))
        };
        let first = print().await.expect("there is room");
        assert_eq!(first.bytes.len(), 8_000_004);
        assert!(16_000_000 < items.readings.taken(), "until the value is handed over");
        assert_eq!(print().await.expect_err("no room for two"), rt::reading::NO_ROOM);
        drop(first);
        assert_eq!(items.readings.taken(), 0);
        print().await.expect("there is room again");
    }

    #[tokio::test]
    async fn sshd_lets_a_password_in_and_serves_subsystems() {
        let Some(sshd) = Sshd::start_with_password("of the user") else { return };
        let items = items(None);
        let login = (sshd.user.as_str(), "of the user");
        let run = command(ssh(None, "", ""), sshd.address, login, "echo in");
        assert_eq!(text(items.run(run).await), Ok("in\n".to_owned()));
        let run = command(ssh(None, "", "reverse"), sshd.address, login, "ab\ncd\n");
        assert_eq!(text(items.run(run).await), Ok("ba\ndc\n".to_owned()));
    }

    #[tokio::test]
    async fn ssh_transcript_has_login_command_and_exit_code() {
        let Some(sshd) = Sshd::start() else { return };
        let items = items(Some(sshd.keys()));
        let way = ssh(Some(("phrase.pub", "phrase")), "", "");
        let script = "echo of the key; echo wrong >&2; exit 3";
        let transcript = Transcript::default();
        transcript.hide("of the key");
        let login = (sshd.user.as_str(), "of the key");
        let run = command(way.clone(), sshd.address, login, script);
        // Error output is no part of the value, and the exit code does not matter, as in Zabbix.
        let printed = text(items.run_with_transcript(run, &transcript).await);
        assert_eq!(printed, Ok("of the key\n".to_owned()));
        let lines = said(&transcript);
        let note = |text: String| (LineKind::Note, text);
        let at = sshd.address;
        assert_eq!(lines[0], note(format!("connected to [{}]:{}", at.ip(), at.port())));
        assert!(lines[1].1.starts_with("SSH server: SSH-2.0-OpenSSH"), "{lines:?}");
        let logged_in = format!("logged in as {} by the key phrase", sshd.user);
        assert_eq!(lines[2], note(logged_in));
        let rest = [
            (LineKind::Sent, "echo ******; echo wrong >&2; exit 3".to_owned()),
            (LineKind::Received, "******\n".to_owned()),
            (LineKind::Received, "as an error:\nwrong\n".to_owned()),
            (LineKind::Note, "exit code 3".to_owned()),
        ];
        assert_eq!(lines[3..], rest);
        let run = command(way, sshd.address, (&sshd.user, "another"), script);
        items.run_with_transcript(run, &transcript).await.expect_err("the phrase is another");
        let lines = said(&transcript);
        let last = &lines.last().expect("it is in the transcript").1;
        assert!(last.starts_with("Public key authentication failed: "), "{lines:?}");
    }

    #[tokio::test]
    async fn telnet_transcript_has_the_terminals_output() {
        let Some(telnetd) = Telnetd::start("watcher", "of the user") else { return };
        let items = items(None);
        let transcript = Transcript::default();
        transcript.hide("of the user");
        let login = ("watcher", "of the user");
        let run = command(ShellWay::Telnet, telnetd.address, login, "echo one of the user");
        let printed = text(items.run_with_transcript(run, &transcript).await);
        assert_eq!(printed, Ok("one of the user\n".to_owned()));
        let lines = said(&transcript);
        let has =
            |who: LineKind, part: &str| lines.iter().any(|it| it.0 == who && it.1.contains(part));
        assert!(has(LineKind::Received, "login:"), "{lines:?}");
        assert!(has(LineKind::Note, "the password was typed"), "{lines:?}");
        assert!(has(LineKind::Note, "logged in as watcher"), "{lines:?}");
        assert!(lines.contains(&(LineKind::Sent, "echo one ******".to_owned())), "{lines:?}");
        assert!(has(LineKind::Received, "one ******"), "{lines:?}");
        assert!(lines.iter().all(|it| !it.1.contains("of the user")), "{lines:?}");
    }

    #[tokio::test]
    async fn a_command_that_does_not_end_is_late() {
        let Some(sshd) = Sshd::start() else { return };
        let items = items(Some(sshd.keys()));
        let way = ssh(Some(("user.pub", "user")), "", "");
        let mut endless = command(way, sshd.address, (&sshd.user, ""), "sleep 1000");
        endless.time = Duration::from_secs(3);
        let answer = items.run(endless).await.expect_err("it does not end");
        assert!(answer.contains("ime"), "{answer}");
    }

    #[tokio::test]
    async fn telnetd_is_logged_in_at() {
        let Some(telnetd) = Telnetd::start("watcher", "of the user") else { return };
        let items = items(None);
        let run = |password: &str, script: &str| {
            let login = ("watcher", password);
            items.run(command(ShellWay::Telnet, telnetd.address, login, script))
        };
        let answer = text(run("of the user", "echo one\necho two").await);
        assert_eq!(answer, Ok("one\ntwo\n".to_owned()));
        let answer = text(run("wrong", "echo one").await);
        assert_eq!(answer, Err("Login failed.".to_owned()));
    }
}
