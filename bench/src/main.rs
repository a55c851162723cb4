//! `saker-bench`: figures of a whole server process, measured from outside.
//!
//! Each run starts `saker server` on a temporary data directory and ports of its own on loopback,
//! configures it through the API as any client would, loads it, and reads the process's CPU time
//! and memory from `/proc`. CPU time is the figure to compare: wall time depends on other work of
//! the machine and on the generator, which shares its cores. A line per run can be appended to a
//! file (`bench/history.jsonl`), which is the record of the figures over time.

mod active;
mod agents;
mod alerting;
mod background;
mod backup;
mod bare_push;
mod client;
mod common;
mod dead;
mod discovered;
mod documents;
mod housekeeping;
mod items;
mod load;
mod mixed;
mod oracle;
mod outage;
mod pages;
mod polling;
mod process;
mod pushed;
mod pushes;
mod reads;
mod receiver;
mod receivers;
mod report;
mod requests;
mod responders;
mod rounds;
mod rows;
mod sender;
mod settle;
mod sinks;
mod snmpd;
mod start;
mod usage;
mod windows;

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;
use tikv_jemallocator::Jemalloc;

use common::BenchError;

/// The server's own: the bare receiver is compared with it, and must not differ by its allocator.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Measures a server process from outside, on this machine.
#[derive(Clone, PartialEq, Debug, Parser)]
#[command(name = "saker-bench", version)]
enum Bench {
    /// Values sent with the sender protocol, through to durable storage.
    Sender(sender::SenderArgs),
    /// Requests of the sender protocol by size and number of clients: processor time, waits, context switches.
    Requests(requests::RequestsArgs),
    /// The cost of five triggers over windows on each item, for a value.
    Windows(windows::WindowsArgs),
    /// A large JSON document with many dependent items.
    Documents(documents::DocumentsArgs),
    /// A large configuration: linking, memory, start.
    Items(items::ItemsArgs),
    /// A start after a crash, with values of the journal to read back.
    Start(start::StartArgs),
    /// Discovered items, then half of them lost: memory.
    Discovered(discovered::DiscoveredArgs),
    /// A discovery rule with very many rows: edits meanwhile, start.
    Rows(rows::RowsArgs),
    /// Values of active agents, through to durable storage.
    Active(active::ActiveArgs),
    /// A fleet of active agents with few values each, in addition to values in bulk.
    Agents(agents::AgentsArgs),
    /// Checks that the server makes: agents, SNMP, pings.
    Polling(polling::PollingArgs),
    /// Devices half of which drop every packet.
    Dead(dead::DeadArgs),
    /// Series pushed by remote write, through to durable storage.
    Pushed(pushed::PushedArgs),
    /// Small pushes over HTTP and lines of syslog: processor time, waits, context switches.
    Pushes(pushes::PushesArgs),
    /// A storm of problems, messages of actions, restarts with running escalations.
    Alerting(alerting::AlertingArgs),
    /// Live streams of open pages.
    Pages(pages::PagesArgs),
    /// Days, months and years of items, and last values, while values come in.
    Reads(reads::ReadsArgs),
    /// Old events deleted by the housekeeper during edits.
    Housekeeping(housekeeping::HousekeepingArgs),
    /// A backup of a server that takes values.
    Backup(backup::BackupArgs),
    /// Nine in ten of all devices vanish, flap and come back, and all recipients have to be
    /// notified: checked by an oracle.
    Outage(outage::OutageArgs),
    /// Devices, pushed values, problems, edits, discovery, housekeeping and a backup at once: checked by an oracle.
    Mixed(mixed::MixedArgs),
    /// The bare receiver that `sender` compares the server with, until it is ended.
    #[command(hide = true)]
    Receiver(receiver::ReceiverArgs),
}

fn main() -> ExitCode {
    match run(Bench::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Standard error may be closed; the exit code says it as well.
            drop(writeln!(io::stderr(), "saker-bench: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Runs one benchmark, prints its figures and appends them where asked.
///
/// # Errors
/// If the server can't be started or configured, or if it loses a value.
fn run(bench: Bench) -> Result<(), BenchError> {
    match bench {
        Bench::Sender(args) => sender::run(&args),
        Bench::Requests(args) => requests::run(&args),
        Bench::Windows(args) => windows::run(&args),
        Bench::Documents(args) => documents::run(&args),
        Bench::Discovered(args) => discovered::run(&args),
        Bench::Rows(args) => rows::run(&args),
        Bench::Active(args) => active::run(&args),
        Bench::Agents(args) => agents::run(&args),
        Bench::Items(args) => items::run(&args),
        Bench::Start(args) => start::run(&args),
        Bench::Polling(args) => polling::run(&args),
        Bench::Dead(args) => dead::run(&args),
        Bench::Pushed(args) => pushed::run(&args),
        Bench::Pushes(args) => pushes::run(&args),
        Bench::Alerting(args) => alerting::run(&args),
        Bench::Pages(args) => pages::run(&args),
        Bench::Reads(args) => reads::run(&args),
        Bench::Housekeeping(args) => housekeeping::run(&args),
        Bench::Backup(args) => backup::run(&args),
        Bench::Outage(args) => outage::run(&args),
        Bench::Mixed(args) => mixed::run(&args),
        Bench::Receiver(args) => receiver::run(&args),
    }
}
