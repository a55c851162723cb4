//! How many files and sockets the process may have open.

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tracing::{debug, warn};

/// What systems grant where they do not say.
const FALLBACK: u64 = 1_024;

/// Raises the limit to what the system allows this process; gives what counts from now on.
pub(crate) fn raise() -> u64 {
    let (soft, hard) = match getrlimit(Resource::RLIMIT_NOFILE) {
        Ok(it) => it,
        Err(error) => {
            warn!(%error, "cannot read how many files may be open");
            return FALLBACK;
        }
    };
    if hard <= soft {
        return soft;
    }
    match setrlimit(Resource::RLIMIT_NOFILE, hard, hard) {
        Ok(()) => hard,
        Err(error) => {
            debug!(%error, soft, hard, "the limit of open files stays");
            soft
        }
    }
}
