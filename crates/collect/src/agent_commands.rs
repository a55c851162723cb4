//! Commands for active agents of 7.0 and later: they leave with the answer to the agent's next
//! request for its checks; their results arrive with the agent's values.
//!
//! **Once, or not at all.** A command is given away once. If the answer does not reach the agent,
//! or the agent ends, the caller learns that there is no result. Nothing is kept over the end of
//! the process.

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::map::Map;
use model::{HostId, Time};
use wire::Version;
use wire::active::{Command, CommandResult};

/// Commands that wait for one agent at most.
const OF_HOST_MAX: usize = 100;
/// Commands that wait for agents or their results at most.
const ALL_MAX: usize = 10_000;
/// The agent takes its own time to end a command, and sends the result a moment later.
const GRACE: Duration = Duration::from_secs(5);
/// Older agents ignore commands.
const TAKES_COMMANDS: Version = Version::new(7, 0, 0);

const NOT_FETCHED: &str = "The active agent has not asked for commands in time.";
const NO_RESULT: &str = "The active agent received the command, but returned no result in time. It is not known how far the command got.";

/// Commands that wait for agents, and for their results.
#[derive(Debug)]
pub struct AgentCommands {
    asked: Mutex<Asked>,
}

#[derive(Debug)]
struct Asked {
    last_id: u64,
    /// Not given to the agent yet, in order.
    waiting: Map<HostId, VecDeque<u64>>,
    by_id: Map<u64, Asking>,
}

#[derive(Debug)]
struct Asking {
    host: HostId,
    command: String,
    time: Duration,
    is_given: bool,
    /// Has room for every message of one command.
    sender: SyncSender<Message>,
}

#[derive(Debug)]
enum Message {
    Given,
    Ended(Result<String, String>),
}

impl AgentCommands {
    /// Ids start from the time, so that results of commands of an earlier process match none of
    /// this one.
    #[must_use]
    pub fn new(now: Time) -> Self {
        let last_id = u64::try_from(now.clock()).unwrap_or(0).saturating_mul(1_000);
        let asked = Asked { last_id, waiting: Map::default(), by_id: Map::default() };
        Self { asked: Mutex::new(asked) }
    }

    /// Lets a host's active agent execute a command, and waits: `time` for the agent to ask, and as
    /// long again for the result. Blocking.
    ///
    /// # Errors
    /// Why there is no result, for people: the agent's own words, or that the agent sent none.
    pub fn execute(&self, host: HostId, command: &str, time: Duration) -> Result<String, String> {
        let (id, messages) = self.ask(host, command, time)?;
        let outcome = listen(&messages, time);
        self.forget(id);
        outcome
    }

    fn ask(
        &self,
        host: HostId,
        command: &str,
        time: Duration,
    ) -> Result<(u64, Receiver<Message>), String> {
        let (sender, messages) = sync_channel(2);
        let mut asked = self.lock();
        let n_of_host = asked.waiting.get(&host).map_or(0, VecDeque::len);
        if OF_HOST_MAX <= n_of_host || ALL_MAX <= asked.by_id.len() {
            return Err("Too many commands wait for active agents.".to_owned());
        }
        asked.last_id += 1;
        let id = asked.last_id;
        asked.waiting.entry(host).or_default().push_back(id);
        let command = command.to_owned();
        asked.by_id.insert(id, Asking { host, command, time, is_given: false, sender });
        Ok((id, messages))
    }

    fn forget(&self, id: u64) {
        let mut asked = self.lock();
        let Some(host) = asked.by_id.remove(&id).map(|it| it.host) else { return };
        if let Some(waiting) = asked.waiting.get_mut(&host) {
            waiting.retain(|it| *it != id);
            if waiting.is_empty() {
                asked.waiting.remove(&host);
            }
        }
    }

    /// The commands for a host's agent. An agent that takes no commands fails them.
    pub(crate) fn take(&self, host: HostId, version: Version) -> Vec<Command<'static>> {
        let mut asked = self.lock();
        let Some(ids) = asked.waiting.remove(&host) else { return Vec::new() };
        let mut given = Vec::new();
        for id in ids {
            let Some(it) = asked.by_id.get_mut(&id) else { continue };
            if version < TAKES_COMMANDS {
                it.send(Message::Ended(Err(format!(
                    "The active agent has version {version}: commands need 7.0 or later."
                ))));
                continue;
            }
            it.is_given = true;
            it.send(Message::Given);
            given.push(Command {
                id,
                command: it.command.clone().into(),
                wait: 1,
                timeout: format!("{}s", it.time.as_secs().max(1)).into(),
            });
        }
        given
    }

    /// Takes the results of commands that this host's agent received. Other results are skipped.
    pub(crate) fn answered(&self, host: HostId, results: Vec<CommandResult>) {
        let asked = self.lock();
        for result in results {
            let Some(it) = asked.by_id.get(&result.id) else { continue };
            if it.host == host && it.is_given {
                let outcome = match result.error {
                    Some(error) => Err(error),
                    None => Ok(result.value.unwrap_or_default()),
                };
                it.send(Message::Ended(outcome));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Asking {
    fn send(&self, message: Message) {
        // The caller may have left, or has both messages already.
        self.sender.try_send(message).ok();
    }
}

fn listen(messages: &Receiver<Message>, time: Duration) -> Result<String, String> {
    match messages.recv_timeout(time) {
        Ok(Message::Ended(it)) => return it,
        Ok(Message::Given) => {}
        Err(_) => return Err(NOT_FETCHED.to_owned()),
    }
    match messages.recv_timeout(time.saturating_add(GRACE)) {
        Ok(Message::Ended(it)) => it,
        Ok(Message::Given) | Err(_) => Err(NO_RESULT.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    const HOST: HostId = HostId(7);
    const OTHER: HostId = HostId(8);
    const LONG: Duration = Duration::from_secs(60);
    const NEW: Version = Version::new(7, 0, 3);

    fn result(id: u64, value: Option<&str>, error: Option<&str>) -> CommandResult {
        CommandResult { id, value: value.map(str::to_owned), error: error.map(str::to_owned) }
    }

    /// Requests a command and answers it, once it is there.
    fn executed(answer: impl FnOnce(&AgentCommands, &Command<'_>)) -> Result<String, String> {
        let commands = AgentCommands::new(Time::from_clock(1_000, 0));
        thread::scope(|scope| {
            let asking = scope.spawn(|| commands.execute(HOST, "uptime", LONG));
            let given = loop {
                let given = commands.take(HOST, NEW);
                if !given.is_empty() {
                    break given;
                }
                thread::yield_now();
            };
            assert_eq!(given.len(), 1);
            assert_eq!(commands.take(HOST, NEW), [], "it is given once");
            answer(&commands, &given[0]);
            asking.join().expect("it does not panic")
        })
    }

    #[test]
    fn result_is_the_agents_answer() {
        let done = executed(|commands, given| {
            assert_eq!((&*given.command, given.wait, &*given.timeout), ("uptime", 1, "60s"));
            assert_eq!(given.id, 1_000_001);
            commands.answered(HOST, vec![result(given.id, Some("up"), None)]);
        });
        assert_eq!(done, Ok("up".to_owned()));
        let failed = executed(|commands, given| {
            commands.answered(HOST, vec![result(given.id, None, Some("Unsupported item key."))]);
        });
        assert_eq!(failed, Err("Unsupported item key.".to_owned()));
    }

    #[test]
    fn answers_of_other_hosts_are_ignored() {
        let done = executed(|commands, given| {
            commands.answered(OTHER, vec![result(given.id, Some("forged"), None)]);
            commands.answered(HOST, vec![result(given.id + 1, Some("unknown"), None)]);
            commands.answered(HOST, vec![result(given.id, Some("right"), None)]);
            commands.answered(HOST, vec![result(given.id, Some("late"), None)]);
        });
        assert_eq!(done, Ok("right".to_owned()));
    }

    #[test]
    fn older_agents_fail_commands_at_once() {
        let commands = AgentCommands::new(Time::from_clock(1, 0));
        let (id, messages) = commands.ask(HOST, "id", LONG).unwrap();
        assert_eq!(commands.take(OTHER, NEW), []);
        assert_eq!(commands.take(HOST, Version::new(6, 4, 0)), []);
        let reason = listen(&messages, LONG).unwrap_err();
        assert!(reason.contains("6.4.0"), "{reason}");
        commands.forget(id);
        assert!(commands.lock().by_id.is_empty());
    }

    #[test]
    fn unfetched_command_is_reported_and_forgotten() {
        let commands = AgentCommands::new(Time::from_clock(1, 0));
        let outcome = commands.execute(HOST, "id", Duration::from_millis(1));
        assert_eq!(outcome, Err(NOT_FETCHED.to_owned()));
        assert_eq!(commands.take(HOST, NEW), []);
        let asked = commands.lock();
        assert!(asked.by_id.is_empty() && asked.waiting.is_empty());
    }

    #[test]
    fn an_answer_before_its_command_was_given_is_none() {
        let commands = AgentCommands::new(Time::from_clock(1, 0));
        let (id, messages) = commands.ask(HOST, "id", LONG).unwrap();
        commands.answered(HOST, vec![result(id, Some("forged"), None)]);
        assert!(messages.try_recv().is_err());
    }

    #[test]
    fn waiting_commands_are_bounded() {
        let commands = AgentCommands::new(Time::from_clock(1, 0));
        let kept: Vec<_> = (0..OF_HOST_MAX).map(|_| commands.ask(HOST, "id", LONG)).collect();
        assert!(kept.iter().all(Result::is_ok));
        assert!(commands.ask(HOST, "id", LONG).unwrap_err().starts_with("Too many"));
        assert!(commands.ask(OTHER, "id", LONG).is_ok());
    }
}
