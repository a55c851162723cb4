//! Commands that scripts stand for, started by a user or an action.

use std::time::Duration;

use alert::IpmiCommand;
use alert::macros::expand;
use db::objects::script::{IPMI, SSH, TELNET, URL, WEBHOOK};
use formats::number::parse_duration_s;
use model::GroupId;
use model::content::{InterfaceType, IpmiLogin};
use model::document::Document;
use model::snapshot::{Host, Snapshot};
use serde_json::{Map, Value};

use crate::message_facts::AlertFacts;
use crate::ports::{Command, CommandLogin, ExecutionPlace};

/// Of interfaces and active agents.
const AVAILABLE: u8 = 1;

/// Whether a script is for a host: it is in the script's group or in one below it.
#[must_use]
pub fn is_on_host(snapshot: &Snapshot, script: &Document, host: &Host) -> bool {
    let wanted = GroupId(script.text("groupid").parse().unwrap_or(0));
    wanted.is_none() || snapshot.is_in_group(host, wanted)
}

/// Where a script is executed; `None`: it is a link.
#[must_use]
pub fn place_of(script: &Document) -> Option<ExecutionPlace> {
    match script.text("type") {
        URL => None,
        WEBHOOK => Some(ExecutionPlace::Sandbox),
        IPMI | SSH | TELNET => Some(ExecutionPlace::Host),
        _ if script.text("execute_on") == "0" => Some(ExecutionPlace::Host),
        _ => Some(ExecutionPlace::Server),
    }
}

/// The text of a script that is executed, as people see it: its command, of a webhook its name.
#[must_use]
pub fn shown_command(script: &Document, facts: &AlertFacts<'_>) -> String {
    match script.text("type") {
        WEBHOOK => script.text("name").to_owned(),
        _ => expand(script.text("command"), facts),
    }
}

/// The command that a script stands for, on a host; of services without one.
///
/// # Errors
/// Why there is none, for people.
pub fn command(
    script: &Document,
    host: Option<&Host>,
    facts: &AlertFacts<'_>,
) -> Result<Command, String> {
    let made = expanded(script, host, facts)?;
    facts.has_all_secrets()?;
    Ok(made)
}

/// If a secret is unavailable, its macro stays.
fn expanded(
    script: &Document,
    host: Option<&Host>,
    facts: &AlertFacts<'_>,
) -> Result<Command, String> {
    let text = |name: &str| expand(script.text(name), facts);
    match script.text("type") {
        IPMI => ipmi(host, facts, &text("command")),
        SSH | TELNET => {
            let is_ssh = script.text("type") == SSH;
            let (address, _) = address(host, facts, None)?;
            let port = text("port");
            let port =
                if port.is_empty() { if is_ssh { "22" } else { "23" }.to_owned() } else { port };
            let port = port_of(&port)?;
            let (username, password) = (text("username"), text("password"));
            let login = CommandLogin { address, port, username, password };
            // Terminals end lines as Unix does.
            let command = text("command").replace("\r\n", "\n");
            if !is_ssh {
                return Ok(Command::Telnet { login, command });
            }
            let has_key = script.text("authtype") == "1";
            let key = has_key.then(|| (text("publickey"), text("privatekey")));
            Ok(Command::Ssh { login, key, command })
        }
        WEBHOOK => {
            let mut parameters = Map::new();
            for it in parameters_of(script) {
                let value = expand(text_of(it, "value"), facts);
                parameters.insert(text_of(it, "name").to_owned(), value.into());
            }
            let timeout = text("timeout");
            let seconds = parse_duration_s(&timeout).filter(|it| (1..=60).contains(it));
            let seconds = seconds.ok_or_else(|| format!("Invalid timeout \"{timeout}\"."))?;
            Ok(Command::Webhook {
                source: script.text("command").to_owned(),
                parameters: Value::Object(parameters).to_string(),
                time: Duration::from_secs(seconds),
            })
        }
        _ if script.text("execute_on") == "0" => {
            let command = text("command");
            if let Some(host) = host.filter(|it| is_by_active_agent(it, facts)) {
                return Ok(Command::ActiveAgent { host: host.id, command });
            }
            let (address, port) = address(host, facts, Some(InterfaceType::Agent))?;
            let encryption = host.and_then(|it| it.encryption.clone());
            Ok(Command::Agent { address, port: port_of(&port)?, encryption, command })
        }
        // Hosts are watched by the server itself.
        _ => Ok(Command::Server { command: text("command") }),
    }
}

/// To the controller of the host, as its items log in there.
fn ipmi(host: Option<&Host>, facts: &AlertFacts<'_>, command: &str) -> Result<Command, String> {
    let command = IpmiCommand::parse(command).map_err(|it| format!("{it}."))?;
    let (address, port) = address(host, facts, Some(InterfaceType::Ipmi))?;
    let login = host.and_then(|it| it.ipmi.as_deref()).cloned().unwrap_or_default();
    let (username, password) = (expand(&login.username, facts), expand(&login.password, facts));
    let login = IpmiLogin { username, password, ..login };
    Ok(Command::Ipmi { address, port: port_of(&port)?, login, command })
}

fn port_of(text: &str) -> Result<u16, String> {
    text.parse().map_err(|_no_number| format!("Invalid port \"{text}\"."))
}

/// The available agent is asked: the passive one, unless only the active one is known to be
/// available.
fn is_by_active_agent(host: &Host, facts: &AlertFacts<'_>) -> bool {
    let availability = facts.availability();
    let passive = host.interfaces.iter().find(|it| it.main && it.kind == InterfaceType::Agent);
    availability.active_agent(host.id) == AVAILABLE
        && passive.is_none_or(|it| availability.available(it.interfaceid) != AVAILABLE)
}

/// Address and port of the host's main interface of a type, or of the first type that it has.
fn address(
    host: Option<&Host>,
    facts: &AlertFacts<'_>,
    kind: Option<InterfaceType>,
) -> Result<(String, String), String> {
    let host = host.ok_or_else(|| "There is no host to execute it on.".to_owned())?;
    let found = match kind {
        Some(kind) => host.interfaces.iter().find(|it| it.main && it.kind == kind),
        None => lang::macros::main_interface(host),
    };
    let it = found.ok_or_else(|| match kind {
        Some(InterfaceType::Ipmi) => "IPMI interface is not defined for the host.".to_owned(),
        Some(_) => "Zabbix agent interface is not defined for the host.".to_owned(),
        None => "The host has no interface.".to_owned(),
    })?;
    let address = if it.useip { &it.ip } else { &it.dns };
    Ok((expand(address, facts), expand(&it.port, facts)))
}

fn parameters_of(script: &Document) -> impl Iterator<Item = &Map<String, Value>> {
    let list = script.body.get("parameters").and_then(Value::as_array);
    list.into_iter().flatten().filter_map(Value::as_object)
}

fn text_of<'a>(fields: &'a Map<String, Value>, name: &str) -> &'a str {
    fields.get(name).and_then(Value::as_str).unwrap_or_default()
}
