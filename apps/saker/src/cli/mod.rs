//! The command line: subcommands and flags. `settings` describes the settings.

pub(crate) mod agent;
pub(crate) mod history;
pub(crate) mod settings_args;

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Args as _, Command, FromArgMatches as _, value_parser};
use collect::ODBC_WORKER_ROLE;
use engine::workers::SCRIPT_WORKER_ROLE;

use self::agent::AgentInvocation;
use self::history::HistoryInvocation;
use self::settings_args::{SettingsFrom, settings_from, with_settings};
use crate::settings::Settings;
use tools::export::ExportArgs;
use tools::get::GetArgs;
use tools::import::ImportArgs;
use tools::send::SendArgs;

/// The command that the operator gives.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Invocation {
    Server(SettingsFrom),
    Check(SettingsFrom),
    /// Print the sample settings file.
    Sample,
    /// Print the manual of the settings, in Markdown.
    Manual,
    /// Give a user a new password.
    UserPassword {
        settings: SettingsFrom,
        username: String,
        is_generated: bool,
    },
    /// Let readers of the journal continue after a gap.
    AcceptGap(SettingsFrom),
    /// Copy a server to a directory from which another one can start.
    Backup {
        settings: SettingsFrom,
        dir: PathBuf,
    },
    /// Something about stored values.
    History(HistoryInvocation),
    /// Send values to a server or proxy.
    Send(SendArgs),
    /// Ask an agent for a value.
    Get(GetArgs),
    /// Configuration of files into a server.
    Import(ImportArgs),
    /// Configuration of a server as a file.
    Export(ExportArgs),
    /// Answer passive checks of this machine, and send values of active checks.
    Agent(AgentInvocation),
    /// Ask databases for a server, which starts this by itself.
    OdbcWorker,
    /// Run scripts for a server.
    ScriptWorker,
}

/// # Errors
/// clap's, also for `--help` and `--version`; it knows how to print itself and its exit code.
pub(crate) fn parse<I>(args: I) -> Result<Invocation, clap::Error>
where
    I: IntoIterator<Item = String>,
{
    let args: Vec<String> = args.into_iter().collect();
    let matches = command().try_get_matches_from(&args)?;
    Ok(match matches.subcommand() {
        Some(("server", matches)) => Invocation::Server(settings_from(matches, &args)),
        Some(("check", matches)) if matches.get_flag("sample") => Invocation::Sample,
        Some(("check", matches)) if matches.get_flag("manual") => Invocation::Manual,
        Some(("check", matches)) => Invocation::Check(settings_from(matches, &args)),
        Some(("user", matches)) => user_from(matches, &args),
        Some(("journal", matches)) => {
            let Some(("accept-gap", matches)) = matches.subcommand() else {
                unreachable!("clap asks for the subcommand above")
            };
            Invocation::AcceptGap(settings_from(matches, &args))
        }
        Some(("history", matches)) => Invocation::History(history::parse(matches, &args)?),
        Some(("backup", matches)) => Invocation::Backup {
            settings: settings_from(matches, &args),
            dir: matches.get_one::<PathBuf>("dir").cloned().expect("clap asks for it"),
        },
        Some(("send", matches)) => Invocation::Send(SendArgs::from_arg_matches(matches)?),
        Some(("get", matches)) => Invocation::Get(GetArgs::from_arg_matches(matches)?),
        Some(("import", matches)) => Invocation::Import(ImportArgs::from_arg_matches(matches)?),
        Some(("export", matches)) => Invocation::Export(ExportArgs::from_arg_matches(matches)?),
        Some(("agent", matches)) => Invocation::Agent(agent::parse(matches, &args)),
        Some((ODBC_WORKER_ROLE, _)) => Invocation::OdbcWorker,
        Some((SCRIPT_WORKER_ROLE, _)) => Invocation::ScriptWorker,
        _ => unreachable!("clap asks for one of the subcommands above"),
    })
}

/// The sample settings file.
#[must_use]
pub(crate) fn sample() -> String {
    rt::settings::sample::<Settings>("Settings of `saker server`.")
}

/// The manual of the settings.
#[must_use]
pub(crate) fn manual() -> String {
    rt::settings::manual::<Settings>("Settings of `saker server`")
}

fn command() -> Command {
    Command::new("saker")
        .about("Monitoring of networks and servers that speaks Zabbix")
        .version(env!("CARGO_PKG_VERSION"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(with_settings(Command::new("server").about("Run the server with its pages")))
        .subcommand(
            with_settings(
                Command::new("check").about("Check the settings without starting the server"),
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
            ),
        )
        .subcommand(
            Command::new("user")
                .about("Users of the pages and the API")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(user_password()),
        )
        .subcommand(
            Command::new("journal")
                .about("The journal of a running server")
                .subcommand_required(true)
                .arg_required_else_help(true)
                .subcommand(accept_gap()),
        )
        .subcommand(history::command())
        .subcommand(backup())
        // A description of the arguments' type would replace one that is set before.
        .subcommand(
            SendArgs::augment_args(Command::new("send"))
                .about("Send values to a server or proxy, as zabbix_sender does"),
        )
        .subcommand(
            GetArgs::augment_args(Command::new("get"))
                .about("Ask an agent for the value of a key, as zabbix_get does"),
        )
        .subcommand(
            ImportArgs::augment_args(Command::new("import")).about(
                "Import files or directories of Zabbix's export format into a running server",
            ),
        )
        .subcommand(
            ExportArgs::augment_args(Command::new("export"))
                .about("Print configuration of a running server in Zabbix's export format"),
        )
        .subcommand(agent::command())
        .subcommand(
            Command::new(ODBC_WORKER_ROLE)
                .hide(true)
                .about("Query databases by ODBC; started by the server"),
        )
        .subcommand(
            Command::new(SCRIPT_WORKER_ROLE).hide(true).about("Run scripts; started by the server"),
        )
}

fn user_password() -> Command {
    let command = Command::new("password")
        .about("Set a new password for a user; the server may run")
        .long_about(
            "Set a new password for a user. The command asks for it at a terminal, otherwise it \
             reads the first line of standard input. The sessions of the user end. The server may \
             run; the command needs the settings and the system user of the server.",
        )
        .arg(
            Arg::new("name")
                .value_name("NAME")
                .required(true)
                .help("Name of the user, such as Admin"),
        )
        .arg(
            Arg::new("generate")
                .long("generate")
                .action(ArgAction::SetTrue)
                .help("Generate a password and print it"),
        );
    with_settings(command)
}

fn accept_gap() -> Command {
    let command = Command::new("accept-gap")
        .about("Continue without events and discovery results that are missing in the journal")
        .long_about(
            "Continue without events and discovery results that are missing in the journal. If \
             /health reports that a part of the journal is missing, the server writes no events to \
             the database until this command is given, while it runs. The missing part is lost.",
        );
    with_settings(command)
}

fn backup() -> Command {
    let command = Command::new("backup")
        .about("Copy all data of a server to a directory from which another server can start")
        .long_about(
            "Copy all data of a server (configuration, history, journal, state) to a directory from \
             which another server can start, by `saker server --data DIR`. The server may run; it \
             writes the copy itself, so its user must be able to write there. The copy contains all \
             values that were accepted before, once. Configuration in PostgreSQL is not included: dump \
             it with pg_dump. The directory is named DIR.partial until it is complete.",
        )
        .arg(
            Arg::new("dir")
                .value_name("DIR")
                .required(true)
                .value_parser(value_parser!(PathBuf))
                .help("Directory of the copy; it must be empty or not exist"),
        );
    with_settings(command)
}

fn user_from(matches: &ArgMatches, args: &[String]) -> Invocation {
    let Some(("password", matches)) = matches.subcommand() else {
        unreachable!("clap asks for the subcommand above")
    };
    let username = matches.get_one::<String>("name").cloned();
    Invocation::UserPassword {
        settings: settings_from(matches, args),
        username: username.expect("clap asks for the name"),
        is_generated: matches.get_flag("generate"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{AgentInvocation, Invocation, Settings, command, parse};

    fn ask(line: &str) -> Result<Invocation, clap::Error> {
        parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn table_of_arguments_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn help_names_the_task_of_each_tool() {
        for (name, expected) in [
            ("send", "Send values to a server or proxy, as zabbix_sender does"),
            ("get", "Ask an agent for the value of a key, as zabbix_get does"),
            (
                "import",
                "Import files or directories of Zabbix's export format into a running server",
            ),
            ("export", "Print configuration of a running server in Zabbix's export format"),
        ] {
            let command = command();
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            assert_eq!(about.map(ToString::to_string).as_deref(), Some(expected), "{name}");
        }
    }

    #[test]
    fn promised_flags_of_the_server() {
        let line =
            "saker server --data d --http 127.0.0.1:1 --trapper 127.0.0.1:2 --settings s.toml";
        let Invocation::Server(from) = ask(line).unwrap() else { panic!("asked for the server") };
        assert_eq!(from.file, Some(PathBuf::from("s.toml")));
        let flags: Vec<_> =
            from.flags.iter().map(|it| (it.path.as_str(), it.value.as_str())).collect();
        let expected =
            [("data", "d"), ("http.listen", "127.0.0.1:1"), ("trapper.listen", "127.0.0.1:2")];
        assert_eq!(flags, expected);
    }

    #[test]
    fn messages_name_the_flag_that_was_typed() {
        for (line, expected) in [
            ("saker check --http nonsense", "flag --http: setting \"http.listen\": "),
            ("saker check --http=nonsense", "flag --http: setting \"http.listen\": "),
            ("saker check --http-listen nonsense", "flag --http-listen: setting \"http.listen\": "),
            ("saker check --trapper :x --http 127.0.0.1:1", "flag --trapper: "),
            ("saker check --journal-sync-ms soon", "flag --journal-sync-ms: "),
        ] {
            let Invocation::Check(from) = ask(line).unwrap() else { panic!("asked for a check") };
            let error = Settings::load(None, from.flags).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{line}: {error}");
        }
    }

    #[test]
    fn every_setting_has_a_flag() {
        let line = "saker check --journal-sync-ms 0 --own-host false --database-url sqlite";
        let Invocation::Check(from) = ask(line).unwrap() else { panic!("asked for a check") };
        assert_eq!(from.flags.len(), 3);
    }

    #[test]
    fn lost_password_takes_a_name_and_the_settings_of_the_server() {
        let line = "saker user password --data d jane --generate";
        let Invocation::UserPassword { settings, username, is_generated } = ask(line).unwrap()
        else {
            panic!("asked for a password")
        };
        assert_eq!((username.as_str(), is_generated), ("jane", true));
        assert_eq!(settings.flags[0].path, "data");
        for line in ["saker user", "saker user password", "saker user password a b"] {
            assert_eq!(ask(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn a_gap_is_accepted_by_a_word_of_its_own() {
        let Invocation::AcceptGap(settings) = ask("saker journal accept-gap --data d").unwrap()
        else {
            panic!("asked to accept a gap")
        };
        assert_eq!(settings.flags[0].path, "data");
        assert_eq!(ask("saker journal").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn history_commands_are_parsed() {
        for line in [
            "saker history verify --data d",
            "saker history stats --data d",
            "saker history export --format csv --item 5 --item 6 -o x --data d",
        ] {
            assert!(matches!(ask(line), Ok(Invocation::History(_))), "{line}");
        }
        for line in ["saker history", "saker history export", "saker history export --format xml"] {
            assert_eq!(ask(line).unwrap_err().exit_code(), 2, "{line}");
        }
    }

    #[test]
    fn the_agent_has_settings_of_its_own() {
        let line = "saker agent -c /etc/zabbix/zabbix_agentd.conf --passive-listen 127.0.0.1:1";
        let Invocation::Agent(AgentInvocation::Run(from)) = ask(line).unwrap() else {
            panic!("asked for the agent")
        };
        assert_eq!(from.config, Some(PathBuf::from("/etc/zabbix/zabbix_agentd.conf")));
        assert_eq!(from.settings.flags[0].path, "passive.listen");
        let test = ask("saker agent -t agent.ping").unwrap();
        assert!(
            matches!(test, Invocation::Agent(AgentInvocation::Test(_, key)) if key == "agent.ping")
        );
        assert_eq!(ask("saker agent --http 127.0.0.1:1").unwrap_err().exit_code(), 2);
    }

    #[test]
    fn unknown_words_are_usage_errors() {
        for line in ["saker serve", "saker", "saker server --dta x"] {
            assert_eq!(ask(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert_eq!(ask("saker --version").unwrap_err().exit_code(), 0);
    }
}
