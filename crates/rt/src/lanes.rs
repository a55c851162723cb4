//! Threads that wait for sockets: an async runtime of one thread each.
//!
//! A runtime of several threads wakes another thread whenever one finds work, so that somebody
//! waits for the next event. With many busy connections that is right. With one request now and
//! then it costs two thread switches for nothing, which is most of the cost of the request. In a
//! lane no other thread is woken: an event wakes the thread of its connection.
//!
//! A connection that came in stays in its lane. The first lane accepts, and keeps a connection if it has no more than
//! one: so a peer that comes, asks and goes meets one thread. Others go to the lane with the fewest. A collector, whose
//! checks are one task, has a lane by its number.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::runtime::{Handle, Runtime};

use crate::task::{TaskError, runtime_named};

/// The runtimes of lanes; they end with it.
#[derive(Debug)]
pub struct LaneRuntimes(Vec<Runtime>);

impl LaneRuntimes {
    /// Drops the remaining tasks of the lanes, and waits for their threads for at most `time_max`
    /// each.
    pub fn shut_down(self, time_max: Duration) {
        self.0.into_iter().for_each(|it| it.shutdown_timeout(time_max));
    }
}

/// The lanes of a process. A clone is the same.
#[derive(Clone, Debug)]
pub struct Lanes(Arc<[Lane]>);

#[derive(Debug)]
struct Lane {
    runtime: Handle,
    n_connections: AtomicUsize,
}

impl Lanes {
    /// So many lanes, at least one, whose threads have this name.
    ///
    /// # Errors
    /// When the operating system refuses threads or descriptors.
    pub fn open(name: &str, n: usize) -> Result<(Self, LaneRuntimes), TaskError> {
        let runtimes =
            (0..n.max(1)).map(|_| runtime_named(name, 1)).collect::<Result<Vec<_>, _>>()?;
        let lanes = runtimes.iter().map(|it| Lane::new(it.handle().clone())).collect();
        Ok((Self(lanes), LaneRuntimes(runtimes)))
    }

    /// The runtime of the caller as the only lane.
    ///
    /// # Panics
    /// Outside a runtime.
    #[must_use]
    pub fn here() -> Self {
        Self(Arc::new([Lane::new(Handle::current())]))
    }

    /// The runtime of the lane that accepts connections, to which their listener has to belong.
    #[must_use]
    pub fn first(&self) -> &Handle {
        &self.0[0].runtime
    }

    /// The runtime of a lane by a number, however large.
    #[must_use]
    pub fn by_number(&self, number: usize) -> &Handle {
        &self.0[number % self.0.len()].runtime
    }

    /// The lane of a connection that was just accepted in the first one.
    #[must_use]
    pub fn place(&self) -> LanePlace {
        let count = |at: &usize| self.0[*at].n_connections.load(Ordering::Relaxed);
        let fewest = (0..self.0.len()).min_by_key(count).unwrap_or(0);
        let at = if count(&0) <= 1 { 0 } else { fewest };
        self.0[at].n_connections.fetch_add(1, Ordering::Relaxed);
        LanePlace { lanes: self.clone(), at }
    }
}

impl Lane {
    fn new(runtime: Handle) -> Self {
        Self { runtime, n_connections: AtomicUsize::new(0) }
    }
}

/// A connection's place in a lane, until it is dropped.
#[derive(Debug)]
pub struct LanePlace {
    lanes: Lanes,
    at: usize,
}

impl LanePlace {
    #[must_use]
    pub fn runtime(&self) -> &Handle {
        &self.lanes.0[self.at].runtime
    }

    /// Whether this is the lane that accepts connections.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.at == 0
    }
}

impl Drop for LanePlace {
    fn drop(&mut self) {
        self.lanes.0[self.at].n_connections.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A connection on its way to its lane, from the first one, which accepted it.
#[derive(Debug)]
pub enum Accepted {
    Here(TcpStream),
    ForAnother(std::net::TcpStream),
}

impl Accepted {
    /// To be called in the first lane.
    ///
    /// # Errors
    /// When the connection cannot leave the runtime of the first lane.
    pub fn for_lane(stream: TcpStream, lane: &LanePlace) -> io::Result<Self> {
        if lane.is_first() {
            Ok(Self::Here(stream))
        } else {
            stream.into_std().map(Self::ForAnother)
        }
    }

    /// To be called in its lane.
    ///
    /// # Errors
    /// When the runtime of the lane cannot watch the connection.
    pub fn here(self) -> io::Result<TcpStream> {
        match self {
            Self::Here(stream) => Ok(stream),
            Self::ForAnother(stream) => TcpStream::from_std(stream),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_spread_once_the_first_lane_has_two() {
        let (lanes, runtimes) = Lanes::open("saker-test", 3).expect("threads");
        let places: Vec<_> = (0..6).map(|_| lanes.place()).collect();
        assert_eq!(places.iter().map(|it| it.at).collect::<Vec<_>>(), [0, 0, 1, 2, 1, 2]);
        drop(places);
        let (first, second) = (lanes.place(), lanes.place());
        assert!(first.is_first() && second.is_first(), "who has gone counts no more");
        let name =
            first.runtime().spawn(async { std::thread::current().name().map(str::to_owned) });
        let name = lanes.0[1].runtime.block_on(name).expect("no panic");
        assert_eq!(name.as_deref(), Some("saker-test"));
        runtimes.shut_down(Duration::from_secs(20));
    }
}
