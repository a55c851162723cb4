//! Executes commands: by agents, on the server, on other machines by SSH and Telnet, by their controllers (IPMI), and as
//! JavaScript.
//!
//! Every way has a timeout, and the output of a command is read up to `OUTPUT_BYTES_MAX`; the rest
//! is discarded. Commands to agents use the encryption of the host ([`agents`]). Commands on the
//! server's own machine need permission in the settings: a user who may write scripts could
//! otherwise do all that the user of the server's process may.

use std::fmt;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use alert::IpmiCommand;
use alerting::ports::{Command, Commands, ExecutionPlace};
use collect::ports::Secrets;
use collect::{AgentCommands, Chassis};
use engine::workers::{ScriptFailure, ScriptIsolation};
use model::content::IpmiLogin;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use rt::clock::Clock;
use rt::reading::{Reading, Readings};
use rt::task::Tasks;
use rt::tls::TlsConnector;
use script::Script;
use tokio::runtime::Handle;
use wire::ipmi::ChassisControl;

use crate::shells::ssh::SshCommand;
use crate::shells::{Deadline, Output, connect, ssh, telnet};

mod agents;

/// Between two looks whether a command has ended whose output is still open.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// For the output of a command that has ended to be read.
const END_MAX: Duration = Duration::from_secs(1);

/// Parts that execute commands.
pub struct CommandPort {
    /// Of the vault.
    pub secrets: Arc<dyn Secrets>,
    /// Of active agents.
    pub agents: Arc<AgentCommands>,
    pub isolation: ScriptIsolation,
    pub tasks: Tasks,
    pub clock: Clock,
    /// Whether the settings allow commands on this machine.
    pub is_server_allowed: bool,
    /// Whether they allow commands on hosts.
    pub is_host_allowed: bool,
    /// For all but webhooks, which have their own.
    pub time: Duration,
    /// Where keys of SSH lie; `None`: there are none.
    pub keys: Option<PathBuf>,
    /// For work that does not block.
    pub runtime: Handle,
    /// For the answer to one packet of IPMI.
    pub ipmi_time: Duration,
    /// Encrypts connections to agents.
    pub tls: TlsConnector,
    /// The output of commands shares a bound with all other responses.
    pub readings: Readings,
}

impl fmt::Debug for CommandPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CommandPort").field("time", &self.time).finish_non_exhaustive()
    }
}

impl Commands for CommandPort {
    fn secret(&self, named: &str) -> Result<Arc<str>, String> {
        self.secrets.secret(named)
    }

    fn allows(&self, place: ExecutionPlace) -> bool {
        match place {
            ExecutionPlace::Server => self.is_server_allowed,
            ExecutionPlace::Host => self.is_host_allowed,
            ExecutionPlace::Sandbox => true,
        }
    }

    fn execute(&self, command: &Command) -> Result<String, String> {
        if !self.allows(command.place()) {
            return Err(match command.place() {
                ExecutionPlace::Host => {
                    "Script execution on hosts is disabled by server configuration."
                }
                _ => {
                    "Global script execution on Zabbix server is disabled by server configuration."
                }
            }
            .to_owned());
        }
        let printed = match command {
            Command::Agent { address, port, encryption, command } => {
                self.agent(((address, *port), encryption.as_deref()), command)
            }
            Command::ActiveAgent { host, command } => {
                self.agents.execute(*host, command, self.time).map(String::into_bytes)
            }
            Command::Server { command } => self.server(command),
            Command::Webhook { source, parameters, time } => {
                let mut scripts = self.isolation.scripts();
                let outcome = scripts.run_within(&Script::new(source), parameters, *time);
                let outcome = outcome.map(Option::unwrap_or_default);
                return outcome.map_err(|it| match it {
                    ScriptFailure::Environment(it)
                    | ScriptFailure::Compile(it)
                    | ScriptFailure::Execute(it) => it,
                });
            }
            Command::Ssh { login, key, command } => {
                let deadline = Deadline::new(&self.clock, self.time);
                let stream = connect((&login.address, login.port), &deadline)?;
                let command = SshCommand {
                    login,
                    key: key.as_ref().map(|(public, private)| (public.as_str(), private.as_str())),
                    keys: self.keys.as_deref(),
                    options: "",
                    subsystem: "",
                    command,
                    takes_errors: true,
                    transcript: None,
                };
                let room = self.readings.begin((&login.address, login.port));
                ssh::execute(stream, &command, (&deadline, room)).map(|it| it.into_parts().0)
            }
            Command::Telnet { login, command } => {
                let deadline = Deadline::new(&self.clock, self.time);
                let mut stream = connect((&login.address, login.port), &deadline)?;
                let room = self.readings.begin((&login.address, login.port));
                telnet::execute(&mut stream, login, command, (&deadline, None), room)
                    .map(|it| it.into_parts().0)
            }
            Command::Ipmi { address, port, login, command } => {
                return self.ipmi((address, *port), login, *command);
            }
        }?;
        // As Zabbix shows it.
        Ok(lang::text::repair_utf8(&printed).trim_end().to_owned())
    }
}

impl CommandPort {
    /// Sends a command or a question to the controller of a chassis.
    fn ipmi(
        &self,
        at: (&str, u16),
        login: &IpmiLogin,
        command: IpmiCommand,
    ) -> Result<String, String> {
        let answered =
            async { tokio::time::timeout(self.time, self.send_ipmi(at, login, command)).await };
        self.runtime.block_on(answered).unwrap_or_else(|_late| {
            Err("Timeout while executing an IPMI command. It is not known whether it was executed."
                .to_owned())
        })
    }

    async fn send_ipmi(
        &self,
        (address, port): (&str, u16),
        login: &IpmiLogin,
        command: IpmiCommand,
    ) -> Result<String, String> {
        let failed =
            |why: String| format!("Cannot connect to IPMI host [{address}]:{port}: {why}.");
        let mut found = tokio::net::lookup_host((address, port))
            .await
            .map_err(|error| failed(error.to_string()))?;
        let at = found.next().ok_or_else(|| failed("the name has no address".to_owned()))?;
        let chassis = Chassis::new(login, at, self.ipmi_time, &self.clock);
        let control = match command {
            IpmiCommand::PowerStatus => {
                let is_on = chassis.is_powered().await?;
                return Ok(format!("The power is {}.", if is_on { "on" } else { "off" }));
            }
            IpmiCommand::PowerUp => ChassisControl::PowerUp,
            IpmiCommand::PowerDown => ChassisControl::PowerDown,
            IpmiCommand::PowerCycle => ChassisControl::PowerCycle,
            IpmiCommand::HardReset => ChassisControl::HardReset,
            IpmiCommand::DiagnosticInterrupt => ChassisControl::DiagnosticInterrupt,
            IpmiCommand::SoftShutdown => ChassisControl::SoftShutdown,
        };
        chassis.control(control).await?;
        // As Zabbix says it.
        Ok("IPMI command successfully executed.".to_owned())
    }

    /// A shell on this machine, in a group of its own, so that all of it ends with the time-out.
    fn server(&self, command: &str) -> Result<Vec<u8>, String> {
        let mut child = std::process::Command::new("/bin/sh")
            .arg("-c")
            // One pipe, in the order in which it is printed.
            .arg(format!("exec 2>&1\n{command}"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(|it| format!("Cannot execute a shell: {it}"))?;
        let (to, printed) = mpsc::sync_channel(1);
        let output = child.stdout.take();
        let room = self.readings.begin("commands of the server");
        let reading = self.tasks.thread("command output", move || {
            let read = output.map_or_else(|| Ok(Vec::new()), |it| read_bounded(it, room));
            // Nobody waits any more if this took too long.
            to.send(read).ok();
        });
        if let Err(error) = reading {
            end(&mut child);
            return Err(error.to_string());
        }
        let deadline = Deadline::new(&self.clock, self.time);
        let mut status = None;
        let mut read = loop {
            let Ok(left) = deadline.left() else { break Err(RecvTimeoutError::Timeout) };
            match printed.recv_timeout(left.min(POLL_INTERVAL)) {
                Err(RecvTimeoutError::Timeout) => {
                    // A background process may hold the output open without limit.
                    status = child.try_wait().ok().flatten();
                    if status.is_some() {
                        break Err(RecvTimeoutError::Timeout);
                    }
                }
                read => break read,
            }
        };
        let status = status.or_else(|| child.try_wait().ok().flatten());
        // Background processes end, too.
        end(&mut child);
        if status.is_some() && read.is_err() {
            // The output is closed by now, except by processes in groups of their own.
            read = printed.recv_timeout(END_MAX);
        }
        match read {
            Ok(Ok(printed)) => {
                match status.or_else(|| child.wait().ok()).and_then(|it| it.code()) {
                    Some(0) => Ok(printed),
                    Some(code) if printed.is_empty() => {
                        Err(format!("Process exited with code: {code}."))
                    }
                    // As an agent: the output is the result, with any exit code.
                    Some(_) | None => Ok(printed),
                }
            }
            Ok(Err(error)) => Err(format!("Cannot read the command's output: {error}")),
            Err(RecvTimeoutError::Timeout) => {
                Err("Timeout while executing a shell script.".to_owned())
            }
            Err(RecvTimeoutError::Disconnected) => {
                Err("Cannot read the command's output.".to_owned())
            }
        }
    }
}

/// All is read, so that the command does not wait for a full pipe.
fn read_bounded(mut from: impl Read, room: Reading) -> std::io::Result<Vec<u8>> {
    let mut printed = Output::new(room);
    let mut buffer = [0; 16_384];
    loop {
        match from.read(&mut buffer)? {
            0 => return Ok(printed.into_parts().0),
            n => {
                let kept = printed.keep(buffer.get(..n).unwrap_or_default(), 0);
                kept.map_err(std::io::Error::other)?;
            }
        }
    }
}

/// Ends a command with all that it started, and takes it away.
fn end(child: &mut Child) {
    if let Ok(pid) = i32::try_from(child.id()) {
        // An error means that they are gone.
        killpg(Pid::from_raw(pid), Signal::SIGKILL).ok();
    }
    child.wait().ok();
}

#[cfg(test)]
mod tests;
