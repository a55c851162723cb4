//! Running parts of the server, as far as they have figures.

use std::fmt;
use std::sync::{Arc, OnceLock};

use collect::Collectors;
use engine::running::RunningConfiguration;

/// The running configuration, and the collectors once they have started.
#[derive(Clone)]
pub struct Watched {
    pub configuration: Arc<RunningConfiguration>,
    pub collectors: Arc<OnceLock<Collectors>>,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watched")
    }
}

impl Watched {
    pub(crate) fn collectors(&self) -> Option<&Collectors> {
        self.collectors.get()
    }
}
