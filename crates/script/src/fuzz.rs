//! The entry point of the fuzz target (`fuzz/`), which also runs over its corpus as an ordinary test.

use std::cell::{Cell, RefCell};
use std::time::Duration;

use crate::{Engine, Host, HostRequest, Limits, Script, Scripts};
use formats::fuzz::{Target, utf8};
use wire::http::Response;

/// Names of the targets with their functions.
pub const TARGETS: &[(&str, Target)] = &[("script", script)];

/// A deterministic host: each reading of the clock takes a millisecond.
#[derive(Default)]
struct Fixed {
    now_ns: Cell<u64>,
}

impl Host for Fixed {
    fn now_ns(&self) -> u64 {
        self.now_ns.set(self.now_ns.get() + 1_000_000);
        self.now_ns.get()
    }

    fn sleep(&mut self, time: Duration) {
        let ns = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.now_ns.set(self.now_ns.get().saturating_add(ns));
    }

    fn log(&mut self, _level: i32, _text: &str) {}

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        let headers =
            [("Location", "/x"), ("Set-Cookie", "a=b"), ("WWW-Authenticate", "Digest n=\"")];
        Ok(Response {
            status: if request.url.len().is_multiple_of(2) { 302 } else { 401 },
            headers: headers.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect(),
            body: request.body.unwrap_or_default().to_vec(),
        })
    }

    fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
        Ok(vec![1, 2, 3])
    }
}

fn engine() -> Engine {
    let limits = Limits {
        time: Duration::from_millis(20),
        memory_bytes: 16 << 20,
        stack_bytes: 128 << 10,
        log_bytes: 1 << 10,
        body_bytes: 1 << 10,
        ..Limits::default()
    };
    Engine::new(limits, Box::new(Fixed::default())).expect("there is memory for an engine")
}

thread_local! {
    static ENGINE: RefCell<Engine> = RefCell::new(engine());
}

/// A script with any text leaves an engine in which the next script finds no trace of it.
pub fn script(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    ENGINE.with(|it| {
        let mut engine = it.borrow_mut();
        let _result = engine.run(&Script::new(text), text);
        let check = Script::new(
            "return Object.getOwnPropertyNames(globalThis).filter(function (it) { return \
             /leak/.test(it) }).length + JSON.stringify([[].leak, Math.max(1, 2), value])",
        );
        let found = engine.run(&check, "v");
        assert_eq!(found.as_ref().map(Option::as_deref), Ok(Some("0[null,2,\"v\"]")));
    });
}
