//! What runs scripts: an engine for each thread, and what it asks of the world.

use std::sync::Arc;
use std::time::Duration;

use rt::metrics::Counter;
use script::{Engine, Host, Limits, Scripts};

use super::metrics::WorkerMetrics;

/// Beyond its time limit a script may take this long until its thread is given up.
pub(super) const GRACE: Duration = Duration::from_secs(2);

/// Makes what the scripts of one thread ask of the world; messages that find no room in the log are
/// counted there.
pub type NewHost = Arc<dyn Fn(&Counter) -> Box<dyn Host> + Send + Sync>;
/// Makes what runs the scripts of one worker, on its thread.
pub type NewScripts = Arc<dyn Fn() -> Result<Box<dyn Scripts>, String> + Send + Sync>;

/// Script engines for workers.
#[must_use]
pub fn engines(limits: Limits, new_host: NewHost, metrics: &WorkerMetrics) -> NewScripts {
    let dropped = metrics.messages_dropped_total.clone();
    Arc::new(move || Ok(Box::new(Engine::new(limits, new_host(&dropped))?)))
}
