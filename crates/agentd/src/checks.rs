//! From a key to its value, for passive and active checks alike: aliases, rules, user parameters,
//! commands, and the keys of `agent`.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agent::{Agent, KeyAnswer, Memory, NO_ROOM, Room, Value};
use model::key::ItemKey;
use rt::clock::Clock;
use rt::task::Tasks;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tracing::info;

use crate::aliases::Aliases;
use crate::command;
use crate::own_keys::{RUN, is_log_key};
use crate::settings::Settings;
use crate::user_parameters::UserParameters;

/// Checks that touch file systems or networks, and commands, at once. A check that hangs keeps its
/// place: with all places taken such checks time out, and the others continue.
const BLOCKING_MAX: usize = 64;
const COMMANDS_MAX: usize = 64;

/// Keys of Windows, and of log files: known, but not available to this kind of check.
const ACTIVE_ONLY: &str = "Accessible only as active check.";

/// Answers keys. A clone shares the state.
#[derive(Debug, Clone)]
pub struct Checks(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    agent: Arc<Agent>,
    aliases: Aliases,
    user_parameters: UserParameters,
    user_parameters_dir: Option<PathBuf>,
    rules: agent::KeyRules,
    logs_commands: bool,
    tasks: Tasks,
    clock: Clock,
    blocking: Arc<Semaphore>,
    commands: Semaphore,
    /// Memory of values until they have been sent.
    memory: Memory,
}

/// An allowed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Asked {
    /// A log item.
    Log(ItemKey),
    Other(ItemKey),
}

impl Checks {
    /// # Errors
    /// If settings contradict each other; they are checked when they are loaded.
    pub fn new(settings: &Settings, tasks: &Tasks, clock: &Clock) -> Result<Self, String> {
        let rules = settings.key_rules()?;
        let memory = Memory::new(settings.memory_bytes_max);
        let agent = Agent::new(agent::AgentSettings {
            hostname: settings.hostname.split(',').next().unwrap_or_default().trim().to_owned(),
            host_metadata: settings.host_metadata.clone(),
            key_rules: rules.clone(),
            ..agent::AgentSettings::default()
        });
        Ok(Self(Arc::new(Inner {
            agent: Arc::new(agent),
            aliases: settings.aliases()?,
            user_parameters: settings.user_parameters()?,
            user_parameters_dir: settings.keys.user_parameters_dir.clone(),
            rules,
            logs_commands: settings.keys.log_commands,
            tasks: tasks.clone(),
            clock: clock.clone(),
            blocking: Arc::new(Semaphore::new(BLOCKING_MAX)),
            commands: Semaphore::new(COMMANDS_MAX),
            memory,
        })))
    }

    /// Takes the samples for averages, each second until shutdown.
    pub(crate) async fn run(self, tasks: Tasks) {
        loop {
            let sample = || self.0.agent.sample(self.0.clock.now());
            // Averages lack a second; the error is counted and logged there.
            drop(tasks.contain_sync("agent check", "averages of this machine", sample));
            tokio::select! {
                () = tasks.shutdown().cancelled() => return,
                () = self.0.clock.sleep(Duration::from_secs(1)) => {}
            }
        }
    }

    /// The meaning of a key, if it is allowed.
    ///
    /// # Errors
    /// Why not, in Zabbix's words.
    pub(crate) fn admit(&self, key: &str) -> Result<Asked, String> {
        let key = self.0.aliases.resolve(key);
        let key = ItemKey::parse(&key).map_err(|_error| "Invalid item key format.".to_owned())?;
        if !self.0.rules.allows(&key) {
            return Err("Unsupported item key.".to_owned());
        }
        Ok(if is_log_key(&key.name) { Asked::Log(key) } else { Asked::Other(key) })
    }

    /// The value of a key in the form of the protocol.
    ///
    /// # Errors
    /// Why the item is not supported.
    pub async fn get(&self, key: &str, time: Duration) -> Result<String, String> {
        self.get_in(key, time, &self.room()).await
    }

    /// Memory for the values of a request, until they have been sent.
    pub(crate) fn room(&self) -> Room {
        self.0.memory.room()
    }

    /// As [`Checks::get`]; the value is kept in the room.
    pub(crate) async fn get_in(
        &self,
        key: &str,
        time: Duration,
        room: &Room,
    ) -> Result<String, String> {
        match self.admit(key)? {
            Asked::Log(_) => Err(ACTIVE_ONLY.to_owned()),
            Asked::Other(key) => self.value(key, time, room).await,
        }
    }

    /// The value of an allowed key; it is kept in the room.
    pub(crate) async fn value(
        &self,
        key: ItemKey,
        time: Duration,
        room: &Room,
    ) -> Result<String, String> {
        let value = self.read(key, time, room).await;
        let bytes = value.as_ref().map_or(0, String::len);
        room.keep(bytes as u64).map_err(|_no_room| NO_ROOM.to_owned())?;
        value
    }

    async fn read(&self, key: ItemKey, time: Duration, room: &Room) -> Result<String, String> {
        let inner = &*self.0;
        if let Some(command) = inner.user_parameters.command(&key) {
            let folder = inner.user_parameters_dir.clone();
            return self.command(&command?, folder, (time, room)).await;
        }
        if key.name == RUN {
            return self.run_command(&key, time, room).await;
        }
        let answer = if Agent::may_block(&key) {
            self.blocking(key, time, room.clone()).await?
        } else {
            inner.agent.get_in(&key, inner.clock.now(), time, room)
        };
        match answer {
            KeyAnswer::Value(Value::Text(text)) => Ok(text),
            KeyAnswer::Value(value) => Ok(value.to_string()),
            KeyAnswer::NotSupported(reason) => Err(reason),
        }
    }

    async fn blocking(
        &self,
        key: ItemKey,
        time: Duration,
        room: Room,
    ) -> Result<KeyAnswer, String> {
        let waiting = async {
            let permit = Arc::clone(&self.0.blocking).acquire_owned().await;
            let permit = permit.expect("this semaphore is never closed");
            let (agent, clock) = (Arc::clone(&self.0.agent), self.0.clock.clone());
            let check = move || {
                let answer = agent.get_in(&key, clock.now(), time, &room);
                // Released only now: a check that hangs keeps its place.
                drop(permit);
                answer
            };
            self.0.tasks.offload("agent check", check).await
        };
        let late = |_late| "Timeout while waiting for data.".to_owned();
        timeout(time, waiting).await.map_err(late)
    }

    async fn run_command(
        &self,
        key: &ItemKey,
        time: Duration,
        room: &Room,
    ) -> Result<String, String> {
        if key.params.len() > 2 {
            return Err("Too many parameters.".to_owned());
        }
        let command = key.param(0);
        if command.is_empty() {
            return Err("Invalid first parameter.".to_owned());
        }
        let waits = match key.param(1) {
            "" | "wait" => true,
            "nowait" => false,
            _ => return Err("Invalid second parameter.".to_owned()),
        };
        if self.0.logs_commands {
            info!(command, "executing a remote command");
        }
        if waits {
            return self.command(command, None, (time, room)).await;
        }
        command::start_detached(&self.0.tasks, command).await.map(|()| "1".to_owned())
    }

    async fn command(
        &self,
        command: &str,
        folder: Option<PathBuf>,
        (time, room): (Duration, &Room),
    ) -> Result<String, String> {
        let permit = timeout(time, self.0.commands.acquire()).await;
        let late = || "Timeout while executing a shell script.".to_owned();
        let _permit = permit.map_err(|_late| late())?.map_err(|_closed| late())?;
        command::run(&self.0.tasks, command, folder.as_deref(), (time, room)).await
    }
}
