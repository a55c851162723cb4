//! The binary: settings, roles, wiring; no logic.
//!
//! Exit codes: 0 done or stopped as asked, 1 refused or failed (one sentence on standard error),
//! 2 a command line that nobody understands, or values that `saker send` sent and the server did not
//! process.

mod agent_role;
mod allocator;
mod backup;
mod cli;
mod control;
mod descriptors;
mod first_password;
mod gap;
mod history;
mod password;
mod server;
mod settings;

use std::io::{self, Write};
use std::process::ExitCode;

use rt::settings::LoadedSettings;
use tracing::warn;

use cli::Invocation;
use tools::say;

fn main() -> ExitCode {
    let ask = match cli::parse(std::env::args_os().map(|it| it.to_string_lossy().into_owned())) {
        Ok(ask) => ask,
        Err(error) => error.exit(),
    };
    match run(ask) {
        Ok(code) => code,
        Err(error) => {
            // Standard error may be closed; the exit code says it as well.
            drop(writeln!(io::stderr(), "saker: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn run(ask: Invocation) -> Result<ExitCode, Box<dyn std::error::Error>> {
    match ask {
        Invocation::Server(from) => {
            let LoadedSettings { settings, warnings } = from.load()?;
            rt::log::init(&settings.log.level.0, settings.log.format)?;
            for warning in warnings {
                warn!("{warning}");
            }
            server::run(settings)?;
        }
        Invocation::Check(from) => {
            let LoadedSettings { warnings, .. } = from.load()?;
            for warning in warnings {
                say(&format!("warning: {warning}\n"))?;
            }
            say("the settings are good\n")?;
        }
        Invocation::Sample => say(&cli::sample())?,
        Invocation::Manual => say(&cli::manual())?,
        Invocation::UserPassword { settings, username, is_generated } => {
            let LoadedSettings { settings, .. } = settings.load()?;
            password::reset(&settings, &username, is_generated)?;
        }
        Invocation::AcceptGap(from) => {
            let LoadedSettings { settings, .. } = from.load()?;
            gap::accept(&settings)?;
        }
        Invocation::History(asked) => history::run(asked)?,
        Invocation::Backup { settings, dir } => {
            let LoadedSettings { settings, .. } = settings.load()?;
            backup::run(&settings, &dir)?;
        }
        Invocation::Send(args) => return Ok(tools::send::run(&args)?),
        Invocation::Get(args) => return Ok(tools::get::run(&args)?),
        Invocation::Import(args) => return Ok(tools::import::run(&args)?),
        Invocation::Export(args) => return Ok(tools::export::run(&args)?),
        Invocation::Agent(asked) => return agent_role::run(asked),
        Invocation::ScriptWorker => script_host::worker::run()?,
        Invocation::OdbcWorker => odbc::serve(io::stdin().lock(), io::stdout().lock())?,
    }
    Ok(ExitCode::SUCCESS)
}
