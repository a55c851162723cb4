//! Both ends of an engine in a process of its own; here each has a thread.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is a failed test")]

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use script::{
    Attended, Channel, Host, HostRequest, Limits, Opened, RunError, Script, WebDriver,
    WebDriverCommand, attend, begin, order_run, serve,
};
use wire::http::Response;

struct Pipes {
    to: Sender<Vec<u8>>,
    from: Receiver<Vec<u8>>,
}

impl Channel for Pipes {
    fn send(&mut self, frame: &[u8]) -> bool {
        self.to.send(frame.to_vec()).is_ok()
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        self.from.recv().ok()
    }

    fn now_ns(&self) -> u64 {
        0
    }

    fn bound(&mut self, limits: &Limits) {
        assert_eq!(limits.requests, 7);
    }
}

#[derive(Default)]
struct World {
    seen: Vec<String>,
    has_browsers: bool,
}

impl Host for World {
    fn now_ns(&self) -> u64 {
        0
    }

    fn sleep(&mut self, time: Duration) {
        self.seen.push(format!("sleep {time:?}"));
    }

    fn log(&mut self, level: i32, text: &str) {
        self.seen.push(format!("log {level} {text}"));
    }

    fn exchange(&mut self, it: &HostRequest<'_>) -> Result<Response, String> {
        let headers: Vec<_> =
            it.headers.iter().map(|(name, value)| format!("{name}={value}")).collect();
        let body = it.body.map(String::from_utf8_lossy);
        let (method, url, proxy, auth) = (it.method, it.url, it.proxy, it.auth);
        self.seen.push(format!(
            "{method} {url} {headers:?} {body:?} {proxy} {auth:?} {}",
            it.body_bytes_max
        ));
        if url.contains("down") {
            return Err("nobody is there".to_owned());
        }
        let headers = vec![("X-A".to_owned(), "b".to_owned())];
        Ok(Response { status: 201, headers, body: "grüß".into() })
    }

    fn sign(&mut self, key: &[u8], data: &[u8]) -> Result<Vec<u8>, String> {
        self.seen.push(format!("sign {key:?} {data:?}"));
        Err("a bad key".to_owned())
    }

    fn web_driver(&mut self) -> Option<&mut dyn WebDriver> {
        self.has_browsers.then_some(self as &mut dyn WebDriver)
    }
}

impl WebDriver for World {
    fn open(&mut self, _capabilities: &str, _time: Duration) -> Result<Opened, String> {
        let body = br#"{"value":{"sessionId":"s1","capabilities":{}}}"#.to_vec();
        let answer = Response { status: 200, headers: Vec::new(), body };
        Ok(Opened { session: Some("s1".to_owned()), answer })
    }

    fn call(&mut self, it: &WebDriverCommand<'_>) -> Result<Response, String> {
        self.seen.push(format!("{} {}{} {:?}", it.method, it.session, it.path, it.body));
        Ok(Response { status: 200, headers: Vec::new(), body: br#"{"value":null}"#.to_vec() })
    }

    fn close(&mut self, sessions: Vec<String>) {
        self.seen.push(format!("close {sessions:?}"));
    }
}

/// The results of scripts, one after the other in the same engine, and their requests to the host.
fn run(
    sources: &[(&str, &str)],
    mut world: World,
) -> (Vec<Result<Option<String>, RunError>>, Vec<String>) {
    let ((to, orders), (asks, from)) = (channel(), channel());
    let engine = thread::spawn(move || serve(Box::new(Pipes { to: asks, from: orders })).unwrap());
    let limits = Limits { requests: 7, memory_bytes: 32 << 20, ..Limits::default() };
    to.send(begin(&limits, world.has_browsers)).unwrap();
    from.recv().unwrap();
    let mut outcomes = Vec::new();
    let mut sessions = Vec::new();
    for (source, value) in sources {
        to.send(order_run(&Script::new(source), value, Duration::from_secs(9)).unwrap()).unwrap();
        loop {
            match attend(&from.recv().unwrap(), &mut world, &mut sessions).unwrap() {
                Attended::Answer(answer) => to.send(answer).unwrap(),
                Attended::Noted => {}
                Attended::Ended(outcome) => {
                    outcomes.push(outcome);
                    break;
                }
            }
        }
    }
    assert!(sessions.is_empty(), "{sessions:?}");
    drop(to);
    engine.join().unwrap();
    (outcomes, world.seen)
}

#[test]
fn results_and_errors_are_passed_on() {
    let sources = [
        ("return value + '€'", "1"),
        ("return null", ""),
        ("throw 'no'", ""),
        ("return (", ""),
        ("leak = 1; return 'a'", ""),
        ("return typeof leak", ""),
        ("var a = []; for (;;) a.push(new Uint8Array(100000))", ""),
        ("return value", "after"),
    ];
    let (outcomes, seen) = run(&sources, World::default());
    assert_eq!(seen, Vec::<String>::new());
    let text = |it: &str| Ok(Some(it.to_owned()));
    assert_eq!((&outcomes[0], &outcomes[1]), (&text("1€"), &Ok(None)));
    let failed = |at: usize, what: &str| match &outcomes[at] {
        Err(RunError::Execute(it)) => it.contains(what),
        _ => false,
    };
    assert!(failed(2, "no") && failed(6, "out of memory"), "{outcomes:?}");
    let compile = &outcomes[3];
    assert!(
        matches!(compile, Err(RunError::Compile(it)) if it.contains("SyntaxError")),
        "{compile:?}"
    );
    assert_eq!((&outcomes[4], &outcomes[5]), (&text("a"), &text("undefined")));
    assert_eq!(outcomes[7], text("after"));
}

#[test]
fn requests_of_scripts_are_executed_by_the_parent() {
    let source = "Zabbix.log(4, 'begins'); Zabbix.sleep(20); \
        var r = new HttpRequest(); r.addHeader('A: b'); r.setProxy('http://p:1'); \
        r.setHttpAuth(HTTPAUTH_NTLM, 'u', 'secret'); \
        var body = r.post('http://up/x', 'dä'); \
        try { r.get('http://down/') } catch (error) { body += ' ' + error } \
        try { sign('sha256', 'a2V5', 'data') } catch (error) { body += ' signed' } \
        return body + ' ' + r.getStatus() + ' ' + r.getHeaders()['X-A']";
    let (outcomes, seen) = run(&[(source, "")], World::default());
    let Ok(Some(text)) = &outcomes[0] else { panic!("{outcomes:?}") };
    assert!(text.starts_with("grüß ") && text.contains("nobody is there"), "{text}");
    assert_eq!(seen[0], "log 4 begins");
    assert_eq!(seen[1], "sleep 20ms");
    assert!(seen[2].starts_with(r#"POST http://up/x ["A=b""#), "{seen:?}");
    assert!(seen[2].contains(r#"Some("dä") http://p:1 Some(Ntlm("#), "{seen:?}");
    assert!(seen[2].ends_with(&format!(" {}", Limits::default().body_bytes)), "{seen:?}");
    assert!(seen[3].starts_with("GET http://down/ "), "{seen:?}");
}

#[test]
fn browsers_are_opened_and_closed_at_the_other_end() {
    let source = "var b = new Browser({}); b.navigate('http://x/'); return 'done'";
    let world = World { has_browsers: true, ..World::default() };
    let (outcomes, seen) = run(&[(source, "")], world);
    assert_eq!(outcomes[0], Ok(Some("done".to_owned())), "{seen:?}");
    assert!(seen.iter().any(|it| it.starts_with("POST s1/url ")), "{seen:?}");
    assert_eq!(seen.last().unwrap(), "close [\"s1\"]");
    let (outcomes, _) = run(&[("return typeof Browser", "")], World::default());
    assert_eq!(outcomes[0], Ok(Some("undefined".to_owned())));
}

#[test]
fn damaged_frames_are_refused_within_their_own_memory() {
    let mut world = World::default();
    let huge = [&[6_u8][..], &u64::MAX.to_le_bytes()].concat();
    let cut = [&[0_u8][..], &[1, 2]].concat();
    let foreign_session = [
        &[5_u8][..],
        &2_u64.to_le_bytes(),
        b"s9",
        &3_u64.to_le_bytes(),
        b"GET",
        &4_u64.to_le_bytes(),
        b"/url",
        &[0],
        &1_u64.to_le_bytes(),
        &1_u64.to_le_bytes(),
    ]
    .concat();
    for frame in [vec![], vec![99], huge, cut, vec![7, 1, 0, 0]] {
        assert!(attend(&frame, &mut world, &mut Vec::new()).is_err(), "{frame:?}");
    }
    world.has_browsers = true;
    let answer = attend(&foreign_session, &mut world, &mut vec!["s1".to_owned()]).unwrap();
    assert!(matches!(answer, Attended::Answer(_)));
    assert_eq!(world.seen, Vec::<String>::new(), "the session of another run is left alone");
}
