//! The engine of scripts that cases run in.

use std::cell::RefCell;
use std::time::Duration;

use rt::{Clock, Shutdown};
use script::Scripts;
use script::{Engine, Host, HostRequest, Limits};
use wire::http::Response;

/// A world with a clock and keys, and without a network.
struct Alone {
    clock: Clock,
    stop: Shutdown,
}

impl Host for Alone {
    fn now_ns(&self) -> u64 {
        self.clock.mono_ns()
    }

    fn sleep(&mut self, time: Duration) {
        let _is_over = self.stop.wait(time);
    }

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, _request: &HostRequest<'_>) -> Result<Response, String> {
        Err("there is no network in the cases".to_owned())
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        rt::signing::rs256(key, data)
    }
}

/// Lends the engine of this thread.
pub(crate) fn with_engine<R>(work: impl FnOnce(&mut dyn Scripts) -> R) -> R {
    thread_local! {
        static ENGINE: RefCell<Engine> = RefCell::new(
            Engine::new(Limits::default(), Box::new(Alone { clock: Clock::real(), stop: Shutdown::new() })).unwrap(),
        );
    }
    ENGINE.with(|it| work(&mut *it.borrow_mut()))
}
