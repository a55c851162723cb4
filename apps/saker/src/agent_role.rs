//! `saker agent`: settings, start and stop of the agent's role.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use agentd::{Checks, Role, Settings};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::settings::{LoadedSettings, Sources};
use rt::signal::StopSignals;
use rt::task::Tasks;
use tracing::{info, warn};

use crate::cli::agent::{AgentFrom, AgentInvocation};
use tools::say;

/// An agent waits for others nearly all of its time.
const N_THREADS: usize = 2;
/// For checks that are under way when the agent is asked to stop.
const STOP_MAX: Duration = Duration::from_secs(5);

/// Runs the agent as invoked.
///
/// # Errors
/// Why not, in words for the operator.
pub(crate) fn run(asked: AgentInvocation) -> Result<ExitCode, Box<dyn Error>> {
    match asked {
        AgentInvocation::Sample => say(&sample())?,
        AgentInvocation::Manual => say(&manual())?,
        AgentInvocation::Test(from, key) => return test(from, &key),
        AgentInvocation::Run(from) => serve(from)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The sample settings file.
pub(crate) fn sample() -> String {
    rt::settings::sample::<Settings>("Settings of `saker agent`.")
}

/// The manual of the settings.
pub(crate) fn manual() -> String {
    rt::settings::manual::<Settings>("Settings of `saker agent`")
}

fn load(from: AgentFrom) -> Result<LoadedSettings<Settings>, Box<dyn Error>> {
    let read = from.config.map(|it| agentd::read(&it)).transpose()?.unwrap_or_default();
    let env = std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let mut loaded = Settings::load(&Sources {
        given: read.given,
        file: from.settings.file,
        env: env.collect(),
        // Those of a server on this machine.
        env_known: &[rt::settings::ENV_PREFIX],
        flags: from.settings.flags,
    })?;
    loaded.warnings.extend(read.warnings);
    Ok(loaded)
}

fn test(from: AgentFrom, key: &str) -> Result<ExitCode, Box<dyn Error>> {
    let LoadedSettings { settings, .. } = load(from)?;
    let runtime = rt::task::runtime(1)?;
    let (clock, tasks) = (Clock::real(), Tasks::new("agent", &Registry::new()));
    let checks = Checks::new(&settings, &tasks, &clock)?;
    let time = Duration::from_secs(settings.timeout_s);
    let value = runtime.block_on(checks.get(key, time));
    runtime.shutdown_timeout(Duration::ZERO);
    match value {
        Ok(value) => say(&format!("{value}\n"))?,
        Err(reason) => return Err(format!("ZBX_NOTSUPPORTED: {reason}").into()),
    }
    Ok(ExitCode::SUCCESS)
}

fn serve(from: AgentFrom) -> Result<(), Box<dyn Error>> {
    let LoadedSettings { settings, warnings } = load(from)?;
    rt::log::init(&settings.log.level, settings.log.format)?;
    for warning in warnings {
        warn!("{warning}");
    }
    let runtime = rt::task::runtime(N_THREADS)?;
    let (clock, tasks) = (Clock::real(), Tasks::new("agent", &Registry::new()));
    let ended: Result<(), Box<dyn Error>> = runtime.block_on(async {
        let mut signals = StopSignals::catch()?;
        let role = Role::start(settings, &tasks, &clock).await;
        drop(role?);
        tokio::select! {
            signal = signals.next() => info!(signal, "stopping"),
            failure = tasks.next_failure() => {
                // The log has the place of the bug; a restarted agent continues at the server's
                // last state.
                return Err(format!("{} ended: {}", failure.task, failure.message).into());
            }
        }
        tasks.shutdown().cancel();
        if let Err(error) = tasks.join(STOP_MAX).await {
            warn!(%error, "stopped all the same");
        }
        Ok(())
    });
    // A check that hangs does not hold up a stop.
    runtime.shutdown_timeout(Duration::ZERO);
    ended
}
