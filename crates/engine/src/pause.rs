//! How time passes where work cannot go on by itself: a journal that refuses, a disk that does not answer.

use std::fmt::Debug;
use std::time::Duration;

use rt::shutdown::Shutdown;

/// Lets time pass. A thread sleeps; a simulation moves its world on.
pub trait Pause: Send + Sync + Debug {
    /// Lets `time` pass; true if what waits is to be given up.
    fn pause(&self, time: Duration) -> bool;
}

impl Pause for Shutdown {
    fn pause(&self, time: Duration) -> bool {
        self.wait(time)
    }
}
