//! Clients of tests.

use model::networks::Destinations;
use outgoing::{Outgoing, OutgoingSettings};
use rt::clock::Clock;
use rt::metrics::Registry;
use rt::task::Tasks;
use tokio::runtime::Handle;

/// On the runtime of the caller or one that is never ended.
pub(crate) fn outgoing_to(destinations: Destinations) -> Outgoing {
    let runtime = Handle::try_current().unwrap_or_else(|_outside| {
        let runtime = rt::task::runtime(1).expect("threads");
        let handle = runtime.handle().clone();
        std::mem::forget(runtime);
        handle
    });
    let _inside = runtime.enter();
    let (registry, clock) = (Registry::new(), Clock::real());
    let tasks = Tasks::new("test", &registry);
    let settings = OutgoingSettings { destinations, ..OutgoingSettings::default() };
    Outgoing::new(settings, &registry, &clock, &tasks)
}
