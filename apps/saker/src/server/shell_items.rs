//! Commands of SSH and Telnet items: each waits in a thread of the pool for blocking work.

use std::path::PathBuf;

use api::ports::Login;
use collect::ports::{RemoteShells, ShellAnswer, ShellCommand, ShellWay};
use rt::clock::Clock;
use rt::task::Tasks;
use tokio::sync::oneshot;

use super::shells::ssh::SshCommand;
use super::shells::{Deadline, connect, ssh, telnet};

pub(super) struct ShellItems {
    pub(super) tasks: Tasks,
    pub(super) clock: Clock,
    /// Where keys of SSH lie; `None`: there are none.
    pub(super) keys: Option<PathBuf>,
}

impl RemoteShells for ShellItems {
    fn run(&self, command: ShellCommand) -> ShellAnswer<'_> {
        Box::pin(async move {
            let (answer, answered) = oneshot::channel();
            let (tasks, clock, keys) = (self.tasks.clone(), self.clock.clone(), self.keys.clone());
            self.tasks.spawn_blocking("shell item", move || {
                let execute = || execute(&clock, keys.as_ref(), &command);
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
    clock: &Clock,
    keys: Option<&PathBuf>,
    command: &ShellCommand,
) -> Result<Vec<u8>, String> {
    let deadline = Deadline::new(clock, command.time);
    let login = Login {
        address: command.address.to_string(),
        port: command.port,
        username: command.username.clone(),
        password: command.password.clone(),
    };
    let mut stream = connect((&login.address, login.port), &deadline)?;
    match &command.way {
        ShellWay::Telnet => telnet::execute(&mut stream, &login, &command.command, &deadline),
        ShellWay::Ssh { key, options, subsystem } => {
            let command = SshCommand {
                login: &login,
                key: key.as_ref().map(|(public, private)| (public.as_str(), private.as_str())),
                keys: keys.map(PathBuf::as_path),
                options,
                subsystem,
                command: &command.command,
                takes_errors: false,
            };
            ssh::execute(stream, &command, &deadline)
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use peers::{Sshd, Telnetd};
    use rt::metrics::Registry;

    use super::*;

    fn items(keys: Option<PathBuf>) -> ShellItems {
        ShellItems { tasks: Tasks::new("test", &Registry::new()), clock: Clock::real(), keys }
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

    fn text(printed: Result<Vec<u8>, String>) -> Result<String, String> {
        printed.map(|it| String::from_utf8(it).expect("text"))
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
        for (way, user, phrase, told) in [
            (ssh(key, "", ""), "nobody-of-this-name", "", "Public key authentication failed: "),
            (ssh(with_phrase, "", ""), user, "another", "Public key authentication failed: "),
            (ssh(Some(("../user.pub", "user")), "", ""), user, "", "\"../user.pub\" is no name of"),
            (ssh(key, "Ciphers=no-such-cipher", ""), user, "", "Cannot set SSH option \"Ciphers="),
            (ssh(key, "Nonsense=1", ""), user, "", "Cannot set SSH option \"Nonsense=1\"."),
            (ssh(None, "", ""), user, "wrong", "Password authentication failed: "),
            (ssh(key, "", "no-such"), user, "", "Cannot request SSH subsystem: "),
        ] {
            let answer = run(way, user, phrase).await.expect_err("it fails");
            assert!(answer.starts_with(told), "{answer}");
        }
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
