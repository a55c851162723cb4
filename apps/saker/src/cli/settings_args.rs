//! Flags and files that say where the settings of a role are.

use std::path::PathBuf;

use clap::{Arg, ArgMatches, Command, value_parser};
use rt::settings::{Flag, Key, LoadedSettings, Schema, SettingsError};

use crate::settings::Settings;

/// The sources of a role's settings, in addition to the environment.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct SettingsFrom {
    pub(crate) file: Option<PathBuf>,
    pub(crate) flags: Vec<Flag>,
}

impl SettingsFrom {
    /// The settings of the server.
    ///
    /// # Errors
    /// The first mistake and its place, in words for the operator.
    pub(crate) fn load(self) -> Result<LoadedSettings<Settings>, SettingsError> {
        Settings::load(self.file, self.flags)
    }
}

/// Flags that say the same as the long name of a setting.
const SHORT_NAMES: &[(&str, &str)] =
    &[("http.listen", "http"), ("trapper.listen", "trapper"), ("http.tls", "tls")];

/// Adds `--settings` and one flag for each setting.
pub(super) fn with_settings(command: Command) -> Command {
    let file = settings_file("Settings file (TOML); `saker check --sample` prints one")
        .env("SAKER_SETTINGS");
    Settings::KEYS.iter().fold(command.arg(file), |command, key| command.arg(flag_of(key)))
}

pub(super) fn settings_file(help: &'static str) -> Arg {
    Arg::new("settings")
        .long("settings")
        .value_name("FILE")
        .value_parser(value_parser!(PathBuf))
        .help(help)
}

pub(super) fn flag_of(key: &Key) -> Arg {
    let help = key.help().replace('\n', " ");
    let default = if key.has_default { format!(" [default: {}]", key.toml) } else { String::new() };
    let mut arg = Arg::new(key.path())
        .long(key.flag())
        .value_name("VALUE")
        .help_heading(match key.section {
            "" => "Settings".to_owned(),
            section => format!("Settings of [{section}]"),
        })
        .help(format!("{help}{default} [env: {}]", key.env()));
    if let Some((_, short)) = SHORT_NAMES.iter().find(|(path, _)| *path == key.path()) {
        arg = arg.visible_alias(*short);
    }
    arg
}

pub(super) fn settings_from(matches: &ArgMatches, args: &[String]) -> SettingsFrom {
    settings_of::<Settings>(matches, args)
}

pub(super) fn settings_of<T: Schema>(matches: &ArgMatches, args: &[String]) -> SettingsFrom {
    let flags = T::KEYS.iter().filter_map(|key| {
        let path = key.path();
        let value = matches.get_one::<String>(&path)?.clone();
        Some(Flag { path, name: typed_name(key, args), value })
    });
    SettingsFrom { file: matches.get_one::<PathBuf>("settings").cloned(), flags: flags.collect() }
}

/// Which of a flag's names stands on the command line.
fn typed_name(key: &Key, args: &[String]) -> String {
    let short = SHORT_NAMES.iter().find(|(path, _)| *path == key.path());
    let is_typed = |name: &str| {
        let mut names = args.iter().filter_map(|it| it.strip_prefix("--"));
        names.any(|it| it.split('=').next() == Some(name))
    };
    match short.filter(|(_, short)| is_typed(short)) {
        Some((_, short)) => (*short).to_owned(),
        None => key.flag(),
    }
}
