//! A server for tests: gives the answers of the test and records the requests.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::Value;
use wire::zbxd::{self, Decoder, FrameLimits};

/// `None`: it closes the connection without an answer.
type Answer = Box<dyn FnMut(&Value) -> Option<Value> + Send>;

pub(crate) struct FakeServer {
    pub(crate) address: String,
    requests: Arc<Mutex<Vec<Value>>>,
}

impl FakeServer {
    pub(crate) fn start(mut answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let mut stream = stream;
                let Some(request) = receive(&mut stream) else { continue };
                let answered = answer(&request);
                seen.lock().expect("no panic").push(request);
                if let Some(answer) = answered {
                    let mut packet = Vec::new();
                    zbxd::encode(answer.to_string().as_bytes(), &mut packet);
                    drop(stream.write_all(&packet));
                }
            }
        });
        Self { address, requests }
    }

    /// All requests of a kind so far.
    pub(crate) fn requests(&self, kind: &str) -> Vec<Value> {
        let requests = self.requests.lock().expect("no panic");
        requests.iter().filter(|it| it["request"] == kind).cloned().collect()
    }

    /// The rows of all values so far; repeated ones are there twice.
    pub(crate) fn rows(&self) -> Vec<Value> {
        let rows = |it: &Value| it["data"].as_array().cloned().unwrap_or_default();
        self.requests("agent data").iter().flat_map(rows).collect()
    }

    /// Values of an item so far.
    pub(crate) fn values(&self, itemid: u64) -> Vec<String> {
        let rows = self.rows();
        let of = rows.iter().filter(|it| it["itemid"] == itemid);
        of.filter_map(|it| it["value"].as_str().map(str::to_owned)).collect()
    }
}

fn receive(stream: &mut TcpStream) -> Option<Value> {
    let mut decoder = Decoder::new(FrameLimits::default());
    let mut chunk = [0; 4096];
    loop {
        if let Some(frame) = decoder.poll().expect("a frame") {
            return Some(serde_json::from_slice(frame.payload).expect("JSON"));
        }
        match stream.read(&mut chunk) {
            Ok(n) if n > 0 => decoder.feed(&chunk[..n]),
            _ => return None,
        }
    }
}
