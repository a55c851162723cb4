//! Scripts in an engine with a host for tests: results, errors, limits, isolation.

#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is a failed test")]
#![allow(clippy::disallowed_methods, reason = "time limits are of real time")]

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use script::Scripts;
use script::{Engine, Host, HostRequest, Limits, Script};
use wire::http::Response;

/// The requests that a host received.
#[derive(Debug, Default)]
struct Seen {
    log: Vec<(i32, String)>,
    slept: Duration,
    requests: Vec<String>,
    answers: Vec<Response>,
}

struct TestHost {
    started: Instant,
    seen: Rc<RefCell<Seen>>,
}

impl Host for TestHost {
    fn now_ns(&self) -> u64 {
        let slept = self.seen.borrow().slept;
        u64::try_from((self.started.elapsed() + slept).as_nanos()).unwrap()
    }

    fn sleep(&mut self, time: Duration) {
        self.seen.borrow_mut().slept += time;
    }

    fn log(&mut self, level: i32, text: &str) {
        self.seen.borrow_mut().log.push((level, text.to_owned()));
    }

    fn exchange(&mut self, request: &HostRequest<'_>) -> Result<Response, String> {
        let mut seen = self.seen.borrow_mut();
        let headers: Vec<String> =
            request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
        let body = request.body.map(|it| String::from_utf8_lossy(it).into_owned());
        let mut line = format!("{} {} {headers:?} {body:?}", request.method, request.url);
        line.extend(request.auth.map(|it| format!(" {it:?}")));
        seen.requests.push(line);
        if seen.answers.is_empty() {
            return Err("Couldn't connect to server".to_owned());
        }
        Ok(seen.answers.remove(0))
    }

    fn sign(&mut self, _key: &[u8], _data: &[u8]) -> Result<Vec<u8>, String> {
        Err("no signatures in this test".to_owned())
    }
}

fn limits() -> Limits {
    Limits {
        // Long enough on a busy machine; tests of the time-out have a time of their own.
        time: Duration::from_secs(60),
        memory_bytes: 32 << 20,
        stack_bytes: 256 << 10,
        ..Limits::default()
    }
}

fn engine_with(limits: Limits) -> (Engine, Rc<RefCell<Seen>>) {
    let seen = Rc::new(RefCell::new(Seen::default()));
    let host = TestHost { started: Instant::now(), seen: Rc::clone(&seen) };
    (Engine::new(limits, Box::new(host)).unwrap(), seen)
}

fn engine() -> Engine {
    engine_with(limits()).0
}

fn run(engine: &mut Engine, source: &str, value: &str) -> Result<Option<String>, String> {
    engine.run(&Script::new(source), value)
}

fn text(engine: &mut Engine, source: &str) -> String {
    match run(engine, source, "v") {
        Ok(Some(text)) => text,
        other => panic!("{source}: {other:?}"),
    }
}

fn error(engine: &mut Engine, source: &str) -> String {
    match run(engine, source, "v") {
        Err(text) => text,
        other => panic!("{source}: {other:?}"),
    }
}

#[test]
fn results_are_texts() {
    let mut engine = engine();
    for (source, expected) in [
        ("return value", "v"),
        ("return 1.5", "1.5"),
        ("return 1e21", "1e+21"),
        ("return -0", "0"),
        ("return NaN", "NaN"),
        ("return true", "true"),
        ("return ''", ""),
        ("return [1,[2,3]]", "1,2,3"),
        ("return {}", "[object Object]"),
        ("return {toString: function () { return 'own' }}", "own"),
        ("return {toString: function () { throw 'no text' }}", "no text"),
        ("return 'é😀'", "é😀"),
        ("return '\\ud800x'", "\u{fffd}x"),
        ("return 'a\\u0000b'", "a\u{0}b"),
        ("return new Uint8Array([1,2])", "[object Uint8Array]"),
        ("return typeof this === 'object' && this === globalThis", "true"),
        ("return JSON.stringify({a: 1, b: [null]})", "{\"a\":1,\"b\":[null]}"),
        ("// a comment at the end\nreturn 1 // so", "1"),
        ("x = 5; return x", "5"),
    ] {
        assert_eq!(text(&mut engine, source), expected, "{source}");
    }
    assert_eq!(run(&mut engine, "return null", "v"), Ok(None));
    assert_eq!(run(&mut engine, "return", "v"), Err("undefined return value".to_owned()));
    assert_eq!(run(&mut engine, "", "v"), Err("undefined return value".to_owned()));
    assert_eq!(run(&mut engine, "return value", "a\u{0}é").unwrap().unwrap(), "a\u{0}é");
}

#[test]
fn errors_have_a_reason_and_a_place() {
    let mut engine = engine();
    for (source, expected) in [
        ("throw 'Zero input value'", "Zero input value"),
        ("throw 0", "0"),
        ("throw null", "null"),
        ("throw undefined", "undefined"),
        ("throw {a: 1}", "[object Object]"),
        ("throw {stack: 'mine'}", "mine"),
        ("\nthrow new Error('no')", "Error: no\n    at [anon] (function:2)"),
        (
            "function f() {\n return value.a.b }\nreturn f()",
            "TypeError: cannot read property 'b' of undefined\n    at f (function:2)\n    at [anon] \
             (function:3)",
        ),
        ("return JSON.parse('{a')", "SyntaxError: "),
        ("return nosuch", "ReferenceError: nosuch is not defined\n    at [anon] (function:1)"),
    ] {
        let found = error(&mut engine, source);
        assert!(found.starts_with(expected), "{source}: {found}");
    }
    let found = error(&mut engine, "var a = 1;\nvar b = ;\n");
    assert!(found.starts_with("SyntaxError: ") && found.ends_with("(line 2)"), "{found}");
    for source in
        ["return 1 } ; function x() {", "}, function () {", "})}; (function(){ return (function(){"]
    {
        let found = error(&mut engine, source);
        assert!(found.starts_with("SyntaxError: "), "{source}: {found}");
    }
    assert!(engine.check(&Script::new("return 1")).is_ok());
    assert!(engine.check(&Script::new("return (1")).is_err());
    assert!(engine.check(&Script::new("a\u{0}b")).is_err());
}

#[test]
fn functions_of_bytes() {
    let mut engine = engine();
    for (source, expected) in [
        ("return btoa(new Uint8Array([49, 0, 51]))", "MQAz"),
        ("return btoa(new Uint8Array([0, 49, 0, 51]).subarray(1))", "MQAz"),
        ("return btoa(new Uint8Array([49, 0, 51]).buffer)", "MQAz"),
        ("return btoa('é')", "w6k="),
        ("return btoa(atob('MQAz'))", "MQAz"),
        ("return String.fromCharCode.apply(this, [].slice.call(atob('dGVzdA==')))", "test"),
        ("return md5('test')", "098f6bcd4621d373cade4e832627b4f6"),
        ("return md5(new Uint8Array([116, 101, 115, 116]))", "098f6bcd4621d373cade4e832627b4f6"),
        ("return sha256('')", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("return hmac('md5', 'xxx', 'yyy')", "d8e8efd954dabfdbfd69398d92ad62d1"),
        (
            "return hmac('sha256', new Uint8Array([120,120,120]), 'yyy')",
            "97f50eed1079c9460f2bb9ddf7dc2e4258471f301ad2c1f14ad50144c4de4303",
        ),
    ] {
        assert_eq!(text(&mut engine, source), expected, "{source}");
    }
    for source in [
        "hmac('sha1', 'a', 'b')",
        "hmac('md5', null, 'b')",
        "hmac('md5')",
        "md5()",
        "btoa({})",
        "sign('md5', 'k', 'd')",
        "sign('sha256', 'k', 'd')",
        "sign('sha256', 'k', '')",
        "sign()",
    ] {
        error(&mut engine, source);
    }
}

#[test]
fn xml_is_read_and_written() {
    let mut engine = engine();
    for (source, expected) in [
        ("return XML.query('<a><b>1</b><b>2</b></a>', '/a/b')", "1"),
        ("return XML.query('<a><b c=\"x\"/></a>', '/a/b/@c')", "x"),
        ("return XML.query('<a><b/></a>', '/a/b') === ''", "true"),
        ("return XML.query('<a/>', '/b') === null", "true"),
        ("return XML.query('<a><b/><b/></a>', 'count(//b)')", "2"),
        (
            "return XML.toJson('<a b=\"c\"><d/><d>1</d></a>')",
            "{\"a\":{\"@b\":\"c\",\"d\":[null,\"1\"]}}",
        ),
        (
            "return XML.fromJson('{\"a\":{\"@b\":\"c\",\"d\":\"1\"}}')",
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<a b=\"c\"><d>1</d></a>\n",
        ),
    ] {
        let found = text(&mut engine, source);
        assert_eq!(
            found.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").trim(),
            expected.trim_start_matches("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").trim(),
            "{source}"
        );
    }
    for source in [
        "XML.query('<a>', '/a')",
        "XML.query('<a/>', '/[')",
        "XML.toJson('{')",
        "XML.fromJson('<a/>')",
    ] {
        error(&mut engine, source);
    }
}

#[test]
fn messages_go_to_the_log() {
    let (mut engine, seen) = engine_with(limits());
    let source =
        "Zabbix.log(3, 'w'); Zabbix.Log(4, 5); console.log({a: 1}); console.error('x'); return 1";
    assert_eq!(text(&mut engine, source), "1");
    let log = std::mem::take(&mut seen.borrow_mut().log);
    let expected = [(3, "w"), (4, "5"), (4, "{\"a\":1}"), (2, "\"x\"")];
    assert_eq!(log, expected.map(|(level, text)| (level, text.to_owned())));
    let found = error(&mut engine, "for (;;) Zabbix.log(4, 'a'.repeat(100000))");
    assert!(found.starts_with("Error: log exceeds the maximum size of 8388608 bytes."), "{found}");
    assert!(seen.borrow().log.len() <= 84);
}

#[test]
fn every_limit_ends_a_run_and_the_next_one_is_fine() {
    let mut engine = engine();
    for (source, expected) in [
        ("for (;;) {}", "RangeError: execution timeout"),
        (
            "try { for (;;) {} } catch (e) { return 1 } finally { for (;;) {} }",
            "RangeError: execution timeout",
        ),
        ("return /^(a+)+$/.test('a'.repeat(40) + 'b')", "RangeError: execution timeout"),
        ("return /(x+x+)+y/.test('x'.repeat(1e6))", "InternalError: out of memory"),
        ("return 'x'.repeat(1e6).replace(/x*x*x*x*y/g, '')", "InternalError: out of memory"),
        (
            "var a = []; for (;;) { a.push(1); a.sort(function (x, y) { return x - y }) }",
            "RangeError: execution timeout",
        ),
        ("return Array(1e9).fill(1)", "InternalError: out of memory"),
        ("return JSON.parse('[' + '1,'.repeat(1e7) + '1]')", "InternalError: out of memory"),
        ("return [].indexOf.call({length: 9e15}, 1)", "RangeError: execution timeout"),
        ("return {toString: function () { for (;;) {} }}", "RangeError: execution timeout"),
        ("throw {get stack() { for (;;) {} }}", "RangeError: execution timeout"),
        ("Zabbix.sleep(1e9); return 1", "Error: RangeError: execution timeout"),
        ("var a = []; for (;;) a.push(new Uint8Array(100000))", "InternalError: out of memory"),
        ("var s = 'xxxxxxxx'; for (;;) s += s", ""),
        ("return 'x'.repeat(1 << 29)", ""),
        ("function f() { return f() + 1 } return f()", "RangeError: Maximum call stack"),
        ("return JSON.parse('['.repeat(1e6))", ""),
        ("return new RegExp('('.repeat(1e5))", ""),
        ("return eval('('.repeat(1e5))", ""),
        ("var a = {}; a.a = a; return JSON.stringify(a)", "TypeError: circular reference"),
        ("return new Array(-1)", "RangeError: "),
    ] {
        let ends_by_time = expected.contains("timeout");
        engine.set_time(if ends_by_time { Duration::from_millis(300) } else { limits().time });
        let started = Instant::now();
        let found = error(&mut engine, source);
        assert!(found.starts_with(expected), "{source}: {found}");
        assert!(started.elapsed() < limits().time, "{source} takes {:?}", started.elapsed());
        engine.set_time(limits().time);
        assert_eq!(text(&mut engine, "return 1"), "1", "after {source}");
    }
}

#[test]
fn endless_loop_is_reported_with_its_line() {
    let mut engine = engine();
    // On a busy machine the context alone may take the time: then there is no line yet.
    let mut time = Duration::from_millis(300);
    let found = loop {
        engine.set_time(time);
        let found = error(&mut engine, "for (;;) {}");
        if found != "RangeError: execution timeout" || limits().time < time {
            break found;
        }
        time *= 2;
    };
    assert!(
        found.starts_with("RangeError: execution timeout\n    at [anon] (function:1)"),
        "{found}"
    );
}

/// On a busy machine a context may take longer than a run may.
#[test]
fn a_run_whose_time_is_up_while_its_context_is_made_has_timed_out() {
    let mut engine = engine();
    engine.set_time(Duration::ZERO);
    assert_eq!(error(&mut engine, "return 1"), "RangeError: execution timeout");
    engine.set_time(limits().time);
    assert_eq!(text(&mut engine, "return 1"), "1");
}

#[test]
fn nothing_of_a_run_is_seen_by_the_next() {
    let mut engine = engine();
    for source in [
        "leak = 1; globalThis.leak = 1; this.leak = 1;",
        "leak = new HttpRequest(); throw 0",
        "var f = arguments.callee; f.count = (f.count || 0) + 1; leak = f.count > 1; if (leak) throw 1",
        "Object.defineProperty(globalThis, 'leak', {value: 1})",
        "Object.defineProperty(this, Symbol.iterator, {value: 1, configurable: true})",
        "Object.setPrototypeOf(globalThis, {leak: 1})",
        "Object.preventExtensions(globalThis)",
        "var P = Array.prototype; P.leak = 1; ({}).__proto__.leak = 1; [].__proto__.leak = 1",
        "(function () {}).constructor.prototype.leak = 1",
        "'x'['const' + 'ructor']['proto' + 'type'].leak = 1",
        "var m = Math; m.leak = 1; m.round = null; var j = JSON; j.parse = null",
        "parseInt.leak = 1; Zabbix['l' + 'og'] = null; XML.leak = 1; btoa.leak = 1",
        "JSON = null; parseInt = null; String = null; Reflect = null; Object = null; Array = null",
        "delete globalThis.JSON; delete this.parseInt",
        "(0, eval)('var leak = 1; let leak2 = 2; function leak3() {}')",
        "new Function('leak = 1')()",
        "HttpRequest['proto' + 'type'].get = null",
        "var g = (function* () {})(); g.__proto__.__proto__.leak = 1; g.__proto__.__proto__.next = null",
        "[].values().__proto__.next = null; new Map().entries().__proto__.next = null",
        "'a'.matchAll(/a/g).__proto__.next = null",
        "(async function () {}).__proto__.leak = 1; (async () => {})().__proto__.then = null",
        "(async function () { for (;;) { await 1; leak = 1 } })()",
        "Error.prepareStackTrace = function () { return 'leak' }; Error.stackTraceLimit = 0",
        "RegExp.leak = 1; /a/.__proto__.exec = null",
        "Uint8Array.__proto__.prototype.toString = null",
        "__proto__ = {leak: 1}",
        "Object.freeze(globalThis)",
        "undefined = 1; NaN = 1; globalThis = null",
        "Object.defineProperty(globalThis, 'later', {get: function () { return 1 }})",
        "Object.defineProperty(globalThis, 'parseInt', {writable: false})",
        "for (var k of Reflect.ownKeys(this)) Reflect.defineProperty(this, k, {writable: false})",
        "Error.captureStackTrace(globalThis); this.__defineGetter__('leak', function () {})",
        "var d = new Date().__proto__; d.toISOString = null; d[Symbol.toPrimitive] = null",
    ] {
        let _answer = run(&mut engine, source, "v");
        let check = r"
            var own = Object.getOwnPropertyNames(globalThis).filter(function (it) { return /leak/.test(it) });
            function f() { return [].leak === undefined && ({}).leak === undefined && ''.leak === undefined; }
            var entries = []; new Map([[1, 2]]).forEach(function (v, k) { entries.push(k, v) });
            for (var x of [3]) entries.push(x);
            for (var x of new Map([[4, 5]]).entries()) entries.push(x[0]);
            for (var x of 'a'.matchAll(/a/g)) entries.push(x[0]);
            later = 1; parseInt = parseInt('7'); Zabbix = Zabbix.log; JSON = JSON.parse('1');
            return [own.length, f(), Math.round(1.5), JSON, parseInt, entries.join(),
                typeof Zabbix, typeof new HttpRequest().get, String(5), /b/.exec('b')[0],
                String(new Uint8Array(1)), new Date(0).toISOString(), Object.keys({a: 1})[0],
                (function* () { yield 8 })().next().value, typeof (async () => {})().then,
                /function:/.test(new Error('x').stack + 'function:'), undefined, isNaN(NaN)].join(' ');";
        let expected = "0 true 2 1 7 1,2,3,4,a function function 5 b [object Uint8Array] \
                        1970-01-01T00:00:00.000Z a 8 function true  true";
        assert_eq!(text(&mut engine, check), expected, "after {source}");
    }
}

#[test]
fn memory_full_of_small_objects_is_reported() {
    // The memory is so full that there is no room for the engine's own error.
    let mut engine = engine();
    for source in [
        "var a = []; for (;;) a.push({a: 1})",
        "var a = []; for (;;) a.push([])",
        "var a; for (;;) a = {next: a}",
        "var a = []; for (var i = 0;; i++) a.push('' + i)",
        "var a = {}; for (var i = 0;; i++) a['k' + i] = function () {}",
        "var a; return {toString: function () { for (;;) a = {next: a} }}",
        "var a; return {toString: function () { for (;;) a = [a] }}",
    ] {
        let found = error(&mut engine, source);
        assert!(found.starts_with("InternalError: out of memory"), "{source}: {found}");
        assert_eq!(text(&mut engine, "return 1"), "1", "after {source}");
    }
    assert_eq!(error(&mut engine, "throw null"), "null");
}

#[test]
fn garbage_of_runs_is_collected() {
    let (mut engine, _) = engine_with(Limits { memory_bytes: 24 << 20, ..limits() });
    // Each leaves objects that only a collection of cycles frees, or that a cache might keep.
    for source in [
        "var a = {b: new Uint8Array(1 << 20)}; a.a = a; return 1",
        "var f = function () { return f }; f.x = 'x'.repeat(1 << 20); return 1",
        "var m = new Map(); m.set(m, new Array(1e5).fill(m)); return 1",
        "var w = new WeakMap(), k = {}; w.set(k, [w, k, 'x'.repeat(1 << 20)]); return 1",
        "for (var i = 0; i < 1000; i++) Symbol.for('s' + value + i); return 1",
        "var o = {}; for (var i = 0; i < 1000; i++) o['k' + value + i] = o; return 1",
        "return eval('(function () { return 1 /* ' + value + 'x'.repeat(1e5) + ' */ })')()",
        "var r = new RegExp('a{' + value + '}' + 'b'.repeat(1e4)); r.r = r; return 1",
        "(function* () { yield new Uint8Array(1 << 20) })().next(); return 1",
        "throw Object.assign(new Error('x'), {big: new Uint8Array(1 << 20)})",
        "leak = {}; leak.leak = [leak, new Uint8Array(1 << 20)]; return 1",
    ] {
        for idx in 0..100 {
            let result = run(&mut engine, source, &idx.to_string());
            let is_fine = result.as_ref().map_or_else(
                |it| !it.contains("memory") && source.starts_with("throw"),
                |it| it.as_deref() == Some("1"),
            );
            assert!(is_fine, "run {idx} of {source}: {result:?}");
        }
    }
    // So many different scripts that functions have to be dropped.
    for idx in 0..5_000 {
        let source = format!("return {idx} /* {} */", "x".repeat(10_000 + idx));
        assert_eq!(text(&mut engine, &source), idx.to_string());
    }
}

#[test]
fn objects_of_scripts_may_have_any_member() {
    let mut engine = engine();
    for (source, expected) in [
        ("var o = {}; o.toString = function () { return 'mine' }; return o", "mine"),
        (
            "var o = {}; o.constructor = 1; o.hasOwnProperty = 2; return JSON.stringify(o)",
            "{\"constructor\":1,\"hasOwnProperty\":2}",
        ),
        ("var o = {}; o['__proto__x'] = 1; return Object.keys(o)", "__proto__x"),
        ("var e = new Error('a'); e.message = 'b'; e.name = 'Mine'; return String(e)", "Mine: b"),
        (
            "function E(m) { this.message = m } E.prototype = Object.create(Error.prototype); \
             E.prototype.constructor = E; E.prototype.name = 'E'; return String(new E('x'))",
            "E: x",
        ),
        ("function F() {} F.prototype.toString = function () { return 'F' }; return new F()", "F"),
        (
            "var a = [3, 1, 2]; a.toString = function () { return 'a' }; return a.sort() + a.join()",
            "a1,2,3",
        ),
        // Such scripts have a context of their own.
        ("String.prototype.twice = function () { return this + this }; return 'a'.twice()", "aa"),
        ("return 'a'.twice === undefined", "true"),
    ] {
        assert_eq!(text(&mut engine, source), expected, "{source}");
    }
}

fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Response {
    let headers = headers.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
    Response { status, headers, body: body.to_vec() }
}

#[test]
fn requests_send_the_headers_and_body_of_the_script() {
    let (mut engine, seen) = engine_with(limits());
    seen.borrow_mut().answers = vec![
        answer(200, &[("A", "1"), ("Set-Cookie", "s=1"), ("A", "2")], "é".as_bytes()),
        answer(201, &[], b""),
        answer(200, &[], &[0xff]),
    ];
    let source =
        "var r = new HttpRequest(); r.addHeader('X-A: b c'); var body = r.get('http://h/p');
        var all = r.getHeaders(true), one = r.getHeaders();
        r.clearHeader(); r.post('http://h/q', '{\"a\":1}'); var status = r.getStatus();
        var bytes = new CurlHttpRequest().Put('http://h/', 'text');
        return JSON.stringify([body, all, one, status, bytes.charCodeAt(0), one['set-COOKIE']])";
    assert_eq!(
        text(&mut engine, source),
        "[\"é\",{\"A\":[\"1\",\"2\"],\"Set-Cookie\":[\"s=1\"]},{\"A\":\"2\",\"Set-Cookie\":\"s=1\"},201,255,\"s=1\"]"
    );
    assert_eq!(
        seen.borrow().requests,
        [
            "GET http://h/p [\"X-A: b c\"] None",
            "POST http://h/q [\"Content-Type: application/json\", \"Cookie: s=1\"] Some(\"{\\\"a\\\":1}\")",
            "PUT http://h/ [\"Content-Type: text/plain\"] Some(\"text\")",
        ]
    );
}

#[test]
fn requests_follow_redirects_and_authenticate() {
    let (mut engine, seen) = engine_with(limits());
    seen.borrow_mut().answers = vec![
        answer(302, &[("Location", "/b"), ("Set-Cookie", "s=1")], b""),
        answer(307, &[("location", "https://other/c")], b""),
        answer(401, &[("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"")], b""),
        answer(401, &[("WWW-Authenticate", "Digest realm=\"r\", nonce=\"n\"")], b""),
        answer(200, &[], b"in"),
        answer(200, &[], b"basic"),
    ];
    let source = "var r = new HttpRequest(); r.addHeader('Authorization: secret');
        r.setHttpAuth(HTTPAUTH_DIGEST, 'u', 'p'); var a = r.post('http://h/a', 'x') + r.getStatus();
        var q = new HttpRequest(); q.setHttpAuth(HTTPAUTH_BASIC | HTTPAUTH_DIGEST, 'u', 'p');
        a += q.get('http://h/') + q.getStatus();
        q.setHttpAuth(HTTPAUTH_BASIC, 'u', 'p'); a += q.get('http://h/');
        return a";
    // The other host asks for a digest and gets none.
    assert_eq!(text(&mut engine, source), "401in200basic");
    let requests = seen.borrow().requests.clone();
    assert_eq!(requests[0], "POST http://h/a [\"Authorization: secret\"] Some(\"x\")");
    assert_eq!(requests[1], "GET http://h/b [\"Authorization: secret\", \"Cookie: s=1\"] None");
    assert_eq!(requests[2], "GET https://other/c [] None");
}

#[test]
fn connection_authentication_is_left_to_the_host() {
    let (mut engine, seen) = engine_with(limits());
    let offers = [("WWW-Authenticate", "NTLM"), ("WWW-Authenticate", "Negotiate")];
    seen.borrow_mut().answers = vec![
        answer(200, &[], b"a"),
        answer(200, &[], b"b"),
        answer(401, &offers[..1], b""),
        answer(200, &[], b"c"),
        answer(401, &offers, b""),
        answer(200, &[], b"d"),
    ];
    let source = "var out = '';
        [HTTPAUTH_NTLM, HTTPAUTH_NEGOTIATE, 15, 15].forEach(function (kinds) {
            var r = new HttpRequest(); r.setHttpAuth(kinds, 'u', 'p'); out += r.get('http://h/');
        });
        return out";
    assert_eq!(text(&mut engine, source), "abcd");
    let ntlm = "GET http://h/ [] None Ntlm(NtlmLogin { user: \"u\", .. })";
    let negotiate = "GET http://h/ [] None Negotiate";
    let plain = "GET http://h/ [] None";
    assert_eq!(seen.borrow().requests, [ntlm, negotiate, plain, ntlm, plain, negotiate]);
}

#[test]
fn requests_are_limited() {
    let (mut engine, seen) = engine_with(limits());
    let found = error(&mut engine, "for (var i = 0; i < 11; i++) new HttpRequest()");
    assert!(found.starts_with("RangeError: maximum count of HttpRequest objects was reached"));
    let found = error(
        &mut engine,
        "var r = new HttpRequest(); for (;;) r.addHeader('a: ' + 'b'.repeat(1000))",
    );
    assert!(
        found.starts_with("RangeError: headers exceeded maximum size of 131072 bytes."),
        "{found}"
    );
    let found = error(&mut engine, "return new HttpRequest().get('http://h/')");
    assert!(found.starts_with("Error: Couldn't connect to server\n"), "{found}");
    for source in [
        "new HttpRequest().get('file:///etc/passwd')",
        "new HttpRequest().get()",
        "new HttpRequest().customRequest('A B', 'http://h/')",
        "var r = new HttpRequest(); r.setHttpAuth(16, 'u', 'p'); r.get('http://h/')",
        "HttpRequest()",
        "HttpRequest.prototype.get.call({}, 'http://h/')",
    ] {
        error(&mut engine, source);
    }
    seen.borrow_mut().requests.clear();
    seen.borrow_mut().answers =
        (0..20).map(|_| answer(302, &[("Location", "/again")], b"")).collect();
    let found = error(&mut engine, "return new HttpRequest().get('http://h/')");
    assert!(found.starts_with("Error: Maximum (10) redirects followed"), "{found}");
    assert_eq!(seen.borrow().requests.len(), 11);
}

#[test]
fn bodies_in_an_encoding_that_is_named_are_texts_and_others_bytes() {
    let (mut engine, seen) = engine_with(limits());
    let body = b"\xd0\xd2\xc9";
    for kind in ["text/plain; charset=koi8-r", "image/png"] {
        seen.borrow_mut().answers.push(answer(200, &[("Content-Type", kind)], body));
    }
    let source =
        "var r = new HttpRequest(); return r.get('http://a/') + r.get('http://a/').charCodeAt(0);";
    assert_eq!(text(&mut engine, source), "при208");
}
