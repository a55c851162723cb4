//! Connections that wait for their next exchange.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use model::map::Map;
use rt::clock::{Clock, nanos};
use rt::shutdown::Shutdown;

use super::connection::Connection;
use super::key::Key;
use super::turns::Turns;

/// How long a connection waits: longer than most items' interval, and about as long as servers keep
/// it.
pub(crate) const IDLE_TIME_MAX: Duration = Duration::from_secs(75);
/// Pause between searches for connections that waited too long.
const SWEEP_EACH: Duration = Duration::from_secs(15);

pub(crate) struct Pool {
    idle: Mutex<Idle>,
    max: usize,
}

#[derive(Default)]
struct Idle {
    /// The newest last; it is used first, so that the others expire.
    by_key: Map<Key, Vec<(u64, Connection)>>,
    n: usize,
}

impl Pool {
    pub(crate) fn new(max: usize) -> Self {
        Self { idle: Mutex::default(), max }
    }

    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn take(&self, key: &Key, now_ns: u64) -> Option<Connection> {
        let mut idle = self.lock();
        let (since_ns, connection) = idle.by_key.get_mut(key)?.pop()?;
        idle.n -= 1;
        drop(idle);
        (now_ns.saturating_sub(since_ns) < nanos(IDLE_TIME_MAX)).then_some(connection)
    }

    pub(crate) fn keep(&self, key: Key, connection: Connection, now_ns: u64) {
        let mut idle = self.lock();
        if self.max <= idle.n {
            drop(idle);
            drop(connection);
            return;
        }
        idle.n += 1;
        idle.by_key.entry(key).or_default().push((now_ns, connection));
    }

    /// Closes connections that have waited too long.
    fn sweep(&self, now_ns: u64) {
        let mut idle = self.lock();
        let mut old = Vec::new();
        idle.by_key.retain(|_, waiting| {
            let n_old = waiting.partition_point(|(since_ns, _)| {
                nanos(IDLE_TIME_MAX) <= now_ns.saturating_sub(*since_ns)
            });
            old.extend(waiting.drain(..n_old));
            !waiting.is_empty()
        });
        idle.n -= old.len();
        // Closed without the lock.
        drop(idle);
        drop(old);
    }
}

/// Sweeps connections and turns until the client or the process ends.
pub(crate) async fn sweep(
    (pool, turns): (Weak<Pool>, Weak<Turns>),
    clock: Clock,
    shutdown: Shutdown,
) {
    loop {
        tokio::select! {
            () = tokio::time::sleep(SWEEP_EACH) => {}
            () = shutdown.cancelled() => break,
        }
        let Some(pool) = pool.upgrade() else { break };
        pool.sweep(clock.mono_ns());
        if let Some(turns) = turns.upgrade() {
            turns.sweep(clock.mono_ns());
        }
    }
    if let Some(pool) = pool.upgrade() {
        let rest: Arc<Pool> = pool;
        rest.sweep(u64::MAX);
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};
    use std::net::TcpListener;
    use std::thread;
    use std::time::Duration;

    use rt::metrics::Registry;
    use rt::task::Tasks;

    use super::*;
    use rt::reading::Readings;

    use crate::{Addresses, Client, ClientRequest, HttpMetrics, Names, Verify};

    struct NoNames;

    impl Names for NoNames {
        fn addresses<'a>(&'a self, _: &'a str, _: Duration) -> Addresses<'a> {
            Box::pin(async { None })
        }
    }

    fn request(n: u8, port: u16) -> ClientRequest {
        ClientRequest {
            method: "GET".to_owned(),
            // Each is a server of its own.
            url: format!("http://127.0.1.{n}:{port}/"),
            headers: Vec::new(),
            body: None,
            proxy: String::new(),
            verify: Verify::BOTH,
            identity: None,
            auth: None,
            time: Duration::from_secs(60),
            body_bytes_max: 10,
        }
    }

    fn answer_all(mut stream: std::net::TcpStream) {
        let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
        while stream.read(&mut [0; 4_096]).is_ok_and(|it| 0 < it) {
            stream.write_all(answer).expect("sent");
        }
    }

    #[tokio::test]
    async fn only_so_many_connections_wait_and_only_so_long() {
        let listener = TcpListener::bind("0.0.0.0:0").expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let stream = stream.expect("a connection");
                thread::spawn(move || answer_all(stream));
            }
        });
        let registry = Registry::new();
        let tasks = Tasks::new("test", &registry);
        let clock = Clock::manual(model::Time::from_clock(0, 0));
        let client = Client::new(
            5,
            model::networks::Destinations::default(),
            (Box::new(NoNames), None),
            (HttpMetrics::register(&registry), Readings::new(1 << 20, &clock, &registry)),
            (clock.clone(), &tasks),
        );
        let pool = Arc::clone(&client.0.pool);
        let kept = || {
            let idle = pool.lock();
            (idle.n, idle.by_key.len())
        };
        for n in 0..20 {
            let answer = client.exchange(request(n, port)).await.expect("an answer");
            assert_eq!((answer.status, kept().0), (204, usize::from(n + 1).min(5)));
        }
        // Kept connections are used again, and their number stays the same.
        client.exchange(request(3, port)).await.expect("an answer");
        client.exchange(request(19, port)).await.expect("an answer");
        assert_eq!(kept(), (5, 5));
        clock.advance(IDLE_TIME_MAX - Duration::from_secs(1));
        client.exchange(request(3, port)).await.expect("an answer");
        pool.sweep(clock.mono_ns());
        assert_eq!(kept().0, 5);
        clock.advance(Duration::from_secs(1));
        pool.sweep(clock.mono_ns());
        assert_eq!(kept(), (1, 1), "the one used since");
        clock.advance(IDLE_TIME_MAX);
        client.exchange(request(3, port)).await.expect("on a new connection");
        assert_eq!(kept().0, 1);
    }
}
