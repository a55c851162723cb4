//! The command line of `saker history`.

use std::path::PathBuf;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use history_tools::copy::StoreName;
use history_tools::export::{ExportFormat, ExportKind, HistoryExportOptions, Selection};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use model::{ItemId, Time};

use super::settings_args::{SettingsFrom, settings_from, with_settings};

/// Rows that a copy into the server's own store keeps in memory: 100 to 200 MB.
const ROWS: u64 = 20_000_000;

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct HistoryInvocation {
    pub(crate) settings: SettingsFrom,
    pub(crate) task: HistoryTask,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) enum HistoryTask {
    /// Look for damage in the stored history of a stopped server.
    Verify,
    /// Show the contents of the files of history.
    Stats,
    /// Write values of a stopped server to a file.
    Export(HistoryExportOptions),
    /// Copy everything to another store.
    Copy { from: StoreName, to: StoreName, rows_max: u64 },
}

pub(super) fn command() -> Command {
    Command::new("history")
        .about("The server's own store of history")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand(verify())
        .subcommand(stats())
        .subcommand(export())
        .subcommand(copy())
}

/// # Errors
/// clap's.
pub(super) fn parse(
    matches: &ArgMatches,
    args: &[String],
) -> Result<HistoryInvocation, clap::Error> {
    let (task, matches) = match matches.subcommand() {
        Some(("verify", matches)) => (HistoryTask::Verify, matches),
        Some(("stats", matches)) => (HistoryTask::Stats, matches),
        Some(("export", matches)) => (HistoryTask::Export(export_options(matches)), matches),
        Some(("copy", matches)) => {
            let store = |name| match matches.get_one::<String>(name).map(String::as_str) {
                Some("clickhouse") => StoreName::ClickHouse,
                Some("postgresql") => StoreName::PostgreSql,
                _ => StoreName::Embedded,
            };
            let rows_max = matches.get_one::<u64>("rows").copied().unwrap_or(ROWS);
            (HistoryTask::Copy { from: store("from"), to: store("to"), rows_max }, matches)
        }
        _ => unreachable!("clap asks for one of the subcommands above"),
    };
    Ok(HistoryInvocation { settings: settings_from(matches, args), task })
}

fn verify() -> Command {
    let command = Command::new("verify")
        .about("Read all files of stored history and report damage")
        .long_about(
            "Read all files of stored history and report damage, with file and offset. The server must \
             not run. Nothing is changed. The exit code is 1 if anything is damaged.",
        );
    with_settings(command)
}

fn stats() -> Command {
    let command = Command::new("stats")
        .about("Show files, bytes and values of stored history, by how long they are kept")
        .long_about(
            "Show the contents of the files of history: files, bytes, values, bytes a value and times, by \
             how long they are kept. Values that stand in the journal only are not counted. The \
             server may run.",
        );
    with_settings(command)
}

fn export() -> Command {
    let command = Command::new("export")
        .about("Write stored values or trends, with the names of their items, to a file")
        .long_about(
            "Write stored values or trends, with the names of their items, to a file or to standard \
             output. The server must not run: of a running one, make a copy by `saker backup` and \
             export that. --item, --host and --key are combined; without them, all items are exported. \
             Progress is shown on standard error.",
        )
        .arg(
            Arg::new("format")
                .long("format")
                .value_name("FORMAT")
                .required(true)
                .value_parser(["csv", "ndjson", "parquet"])
                .help("csv, ndjson (a JSON object a line) or parquet"),
        )
        .arg(
            Arg::new("kind")
                .long("kind")
                .value_name("KIND")
                .default_value("values")
                .value_parser(["values", "trends"])
                .help("Values, or trends: the figures of each hour"),
        )
        .arg(
            Arg::new("item")
                .long("item")
                .value_name("ID")
                .action(ArgAction::Append)
                .value_parser(value_parser!(u64))
                .help("Only this item; may be given several times"),
        )
        .arg(
            Arg::new("host")
                .long("host")
                .value_name("NAME")
                .action(ArgAction::Append)
                .help("Only this host, by its technical name; may be given several times"),
        )
        .arg(
            Arg::new("key")
                .long("key")
                .value_name("PATTERN")
                .action(ArgAction::Append)
                .help("Only items whose key matches; * matches any text; may be given several times"),
        )
        .arg(
            Arg::new("from")
                .long("from")
                .value_name("TIME")
                .value_parser(|text: &str| time(text).map(|it| it.0))
                .help(
                    "Earliest time: seconds since 1970, 2026-11-23, \"2026-11-23 10:00\" (in the zone of \
                     this machine) or 2026-11-23T10:00:00Z",
                ),
        )
        .arg(
            Arg::new("till")
                .long("till")
                .value_name("TIME")
                .value_parser(|text: &str| time(text).map(|it| it.1))
                .help("Latest time, inclusive; forms as for --from"),
        )
        .arg(
            Arg::new("output")
                .short('o')
                .long("output")
                .value_name("FILE")
                .value_parser(value_parser!(PathBuf))
                .help(
                    "Output file, named FILE.partial until it is complete. Default: standard output",
                ),
        );
    with_settings(command)
}

fn copy() -> Command {
    let store = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("STORE")
            .required(true)
            .value_parser(["embedded", "clickhouse", "postgresql"])
            .help(help)
    };
    let command = Command::new("copy")
        .about("Copy all values and trends to another store of history")
        .long_about(
            "Copy all values and trends to another store of history, which must be empty. The server must \
             not run. The settings give the addresses of the stores, as for the server. An interrupted \
             copy continues when the same command is run again. At the end rows are counted; a server \
             that is started with the target in its settings then feeds it. The server's own store \
             (embedded) is filled next to the present one and replaces it at the end.",
        )
        .arg(store("from", "Source store"))
        .arg(store("to", "Target store"))
        .arg(
            Arg::new("rows")
                .long("rows")
                .value_name("N")
                .value_parser(value_parser!(u64).range(1..))
                .help(
                    "Rows that are written to files together, with --to embedded (default 20000000): fewer \
                     rows take less memory and make more files",
                ),
        );
    with_settings(command)
}

fn export_options(matches: &ArgMatches) -> HistoryExportOptions {
    let texts = |name: &str| {
        matches.get_many::<String>(name).into_iter().flatten().cloned().collect::<Vec<_>>()
    };
    let text = |name: &str| matches.get_one::<String>(name).map(String::as_str);
    let time = |name: &str| matches.get_one::<Time>(name).copied();
    let items = matches.get_many::<u64>("item").into_iter().flatten();
    HistoryExportOptions {
        format: match text("format") {
            Some("csv") => ExportFormat::Csv,
            Some("ndjson") => ExportFormat::Ndjson,
            _ => ExportFormat::Parquet,
        },
        kind: match text("kind") {
            Some("trends") => ExportKind::Trends,
            _ => ExportKind::Values,
        },
        selection: Selection {
            items: items.copied().map(ItemId).collect(),
            hosts: texts("host").into_iter().collect(),
            keys: texts("key"),
        },
        from: time("from").unwrap_or(Time(i64::MIN)),
        till: time("till").unwrap_or(Time(i64::MAX)),
        output: matches.get_one::<PathBuf>("output").cloned(),
    }
}

/// First and last moment of a text: of a second, or of a single moment.
fn time(text: &str) -> Result<(Time, Time), String> {
    let of = |at: Timestamp| {
        let ns = i64::try_from(at.as_nanosecond()).map_err(|_error| "out of range".to_owned())?;
        let is_whole = at.subsec_nanosecond() == 0;
        Ok((Time(ns), Time(ns.saturating_add(if is_whole { 999_999_999 } else { 0 }))))
    };
    if let Ok(seconds) = text.parse::<i64>() {
        return of(Timestamp::from_second(seconds).map_err(|error| error.to_string())?);
    }
    if let Ok(at) = text.parse::<Timestamp>() {
        return of(at);
    }
    let civil: DateTime = text.parse().map_err(|_error| {
        "neither seconds since 1970 nor a time such as 2026-11-23, \"2026-11-23 10:00\" or \
         2026-11-23T10:00:00Z"
            .to_owned()
    })?;
    let at = TimeZone::system().to_zoned(civil).map_err(|error| error.to_string())?;
    of(at.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_several_ways() {
        let second = 1_763_892_000_i64 * 1_000_000_000;
        let whole = (Time(second), Time(second + 999_999_999));
        assert_eq!(time("1763892000"), Ok(whole));
        assert_eq!(time("2025-11-23T10:00:00Z"), Ok(whole));
        assert_eq!(time("2025-11-23T11:00:00+01:00"), Ok(whole));
        let moment = Time(second + 500_000_000);
        assert_eq!(time("2025-11-23T10:00:00.5Z"), Ok((moment, moment)));
        let local = jiff::civil::date(2025, 11, 23).to_zoned(TimeZone::system()).unwrap();
        let midnight = i64::try_from(local.timestamp().as_nanosecond()).unwrap();
        assert_eq!(time("2025-11-23").unwrap().0, Time(midnight));
        assert_eq!(time("2025-11-23 00:00").unwrap().0, Time(midnight));
        for wrong in ["", "soon", "2025-13-01", "99999999999999999", "2025-11-23T10:00:00Zz"] {
            assert!(time(wrong).is_err(), "{wrong}");
        }
    }
}
