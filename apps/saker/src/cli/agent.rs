//! The command line of `saker agent`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use rt::settings::Schema as _;

use super::settings_args::{SettingsFrom, flag_of, settings_file, settings_of};

/// The task of the agent.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum AgentInvocation {
    Run(AgentFrom),
    /// Print the value of a key.
    Test(AgentFrom, String),
    /// Print the sample settings file.
    Sample,
    /// Print the manual of the settings, in Markdown.
    Manual,
}

/// The sources of the agent's settings, in addition to the environment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct AgentFrom {
    pub(crate) settings: SettingsFrom,
    /// A file of zabbix_agentd.
    pub(crate) config: Option<PathBuf>,
}

pub(super) fn command() -> Command {
    let command = Command::new("agent")
        .about("Answer passive checks of this machine, and send values of active checks")
        .long_about(
            "Answer passive checks of this machine, and send values of active checks, as zabbix_agentd \
             does. Settings come from a settings file of Saker, a configuration file of zabbix_agentd, \
             or both; the file of Saker takes precedence.",
        )
        .arg(
            Arg::new("config")
                .short('c')
                .long("config")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help("Configuration file of zabbix_agentd"),
        )
        .arg(
            Arg::new("test")
                .short('t')
                .long("test")
                .value_name("KEY")
                .help("Print the value of this key and end"),
        )
        .arg(
            Arg::new("sample")
                .long("sample")
                .action(ArgAction::SetTrue)
                .help("Print a settings file with all defaults and their descriptions"),
        )
        .arg(
            Arg::new("manual")
                .long("manual")
                .action(ArgAction::SetTrue)
                .help("Print the manual of the settings as Markdown"),
        )
        .arg(settings_file("Settings file (TOML); `saker agent --sample` prints one"));
    agentd::Settings::KEYS.iter().fold(command, |command, key| command.arg(flag_of(key)))
}

pub(super) fn parse(matches: &ArgMatches, args: &[String]) -> AgentInvocation {
    if matches.get_flag("sample") {
        return AgentInvocation::Sample;
    }
    if matches.get_flag("manual") {
        return AgentInvocation::Manual;
    }
    let from = AgentFrom {
        settings: settings_of::<agentd::Settings>(matches, args),
        config: matches.get_one::<PathBuf>("config").cloned(),
    };
    match matches.get_one::<String>("test") {
        Some(key) => AgentInvocation::Test(from, key.clone()),
        None => AgentInvocation::Run(from),
    }
}
