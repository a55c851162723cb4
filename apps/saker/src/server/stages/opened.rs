//! The first stage: settings, data directory, sockets and stores are there; nothing runs.

use std::num::NonZeroUsize;

use data_dir::DataDir;
use engine::recovery;
use http_client::Verify;
use outgoing::{Outgoing, OutgoingSettings};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::task::Tasks;
use rt::worker::Roster;
use script_host::processes;
use tokio::runtime::Runtime;
use tracing::{info, warn};

use super::sockets::Sockets;
use crate::control::serve::Control;
use crate::descriptors;
use crate::server::base::{Base, ServerLanes};
use crate::server::encryption::Encryption;
use crate::server::error::ServerError;
use crate::server::open::{self, Stores};
use crate::settings::Settings;

/// More would only wait for each other.
const SHARDS_MAX: u16 = 256;

pub(crate) struct Opened {
    pub(crate) base: Base,
    pub(crate) stores: Stores,
    /// The contents of the journal and checkpoints.
    pub(crate) recovered: recovery::OpenedData,
    pub(crate) sockets: Sockets,
    /// None where the file system has no sockets.
    pub(crate) control: Option<Control>,
    /// Requests that leave the server: they end last.
    pub(crate) requests: Tasks,
}

impl Opened {
    /// Opens all, in an order in which the most frequent mistakes are reported first.
    ///
    /// # Errors
    /// The first part that cannot be opened, in words for the operator.
    pub(crate) fn open(
        settings: Settings,
        n_cores: NonZeroUsize,
        data_dir: DataDir,
        (runtime, lanes): (&Runtime, ServerLanes),
    ) -> Result<Self, ServerError> {
        let n_shards = u16::try_from(settings.n_shards(n_cores)).unwrap_or(SHARDS_MAX);
        let n_shards = n_shards.min(SHARDS_MAX);
        let (clock, registry, health) = (Clock::real(), Registry::new(), Health::default());
        rt::metrics::observe_process(&registry, &clock);
        let encryption = Encryption::open(&settings, data_dir.path())?;
        // Before anything is opened: an occupied port should be reported at once.
        let sockets = Sockets::bind(&settings, runtime, &lanes)?;
        let (stores, recovered) =
            open::stores(&settings, &data_dir, n_shards, &clock, &registry, &health)?;
        let root = Tasks::new("saker", &registry);
        let requests = root.group("outgoing");
        let outgoing = {
            let _inside = runtime.enter();
            Outgoing::new(outgoing_settings(&settings), &registry, &clock, &requests)
        };
        let places = settings.script.processes_max;
        let script_processes = processes::of_scripts(places, &clock, &registry);
        let base = Base {
            settings,
            data_dir,
            encryption,
            n_shards,
            clock,
            registry,
            health,
            root,
            roster: Roster::default(),
            outgoing,
            script_processes,
            lanes,
        };
        // Its socket belongs to the runtime.
        let control = runtime.block_on(async { Control::listen(base.data_dir.path()) });
        let control = control.inspect_err(|error| {
            warn!(%error, "no control socket: `saker user password` works only while the server is stopped");
        });
        Ok(Self { base, stores, recovered, sockets, control: control.ok(), requests })
    }
}

/// The data directory, which this process has from now on.
///
/// # Errors
/// It can't be used, in words for the operator.
pub(crate) fn data_dir(settings: &Settings) -> Result<DataDir, ServerError> {
    let data_dir = DataDir::open(&settings.data)?;
    if data_dir.is_new() {
        info!(path = %data_dir.path().display(), "made a new data directory");
    }
    if data_dir.is_open_to_others() {
        let path = data_dir.path().display();
        warn!("other users may read the data directory: chmod 700 {path}");
    }
    Ok(data_dir)
}

/// Requests that leave the server, as the settings describe them.
fn outgoing_settings(settings: &Settings) -> OutgoingSettings {
    let is_verified = settings.script.tls_verify;
    let collectors = settings.for_collectors(descriptors::raise()).collectors;
    OutgoingSettings {
        destinations: settings.outgoing.destinations(),
        script_verify: Verify { peer: is_verified, host: is_verified },
        connections_max: collectors.http.requests_max.get(),
        answers_bytes_max: settings.reading.memory_bytes_max,
        certificates: settings.outgoing.ssl_certs.clone(),
        keys: settings.outgoing.ssl_keys.clone(),
        authorities: settings.outgoing.ssl_authorities.clone(),
    }
}
