//! A database that hangs: work in memory continues, and all other requests are answered.

#![allow(clippy::disallowed_methods, reason = "outside of the server there is no clock to ask")]

use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;
use peers::Postgres;
use serde_json::{Value, json};

use crate::support::peer::Counts;
use crate::support::{PASSWORD, Server, UNSIGNED, now, wait_until};

const DEADLINE: Duration = Duration::from_secs(60);
/// For an edit to fail, as promised, and as much again for a busy machine.
const EDIT_MAX: Duration = Duration::from_secs(30);
/// Responses from memory never wait for the database: waiting ones take 15 s at least. The rest is
/// for a busy machine.
const MEMORY_MAX: Duration = Duration::from_secs(13);
/// The usual stop of a server is within ten seconds, and this is at most ten more.
const STOP_MAX: Duration = Duration::from_secs(20);

fn within<T>(what: &str, max: Duration, act: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = act();
    let took = started.elapsed();
    assert!(took < max, "{what} took {took:?}");
    done
}

fn configure(server: &Server) -> (String, String) {
    let host = server.host("h");
    let item = server.trapper_item(&host, "load", UNSIGNED);
    (item, server.trigger("flips", "last(/h/load)=1"))
}

fn flip(server: &Server, value: u8) {
    assert_eq!(server.send("h", "load", &value.to_string(), now()), Counts(1, 0, 1));
}

fn log_in(server: &Server) -> String {
    let admin = json!({"username": "Admin", "password": PASSWORD});
    server.call("user.login", &admin).as_str().unwrap().to_owned()
}

fn is_session(server: &Server, session: &str) -> bool {
    server.try_call("user.checkAuthentication", &json!({"sessionid": session})).is_ok()
}

fn groups(server: &Server, name: &str) -> usize {
    let found = server.call("hostgroup.get", &json!({"filter": {"name": name}}));
    found.as_array().unwrap().len()
}

/// Requests that need no database.
fn assert_memory_answers(server: &Server, item: &str) {
    let history = json!({"itemids": [item], "history": UNSIGNED});
    for (method, params) in
        [("host.get", json!({})), ("problem.get", json!({})), ("history.get", history)]
    {
        within(method, MEMORY_MAX, || server.call(method, &params));
    }
}

fn refused_edit(server: &Server, name: &str) -> Value {
    let group = json!({"name": name});
    within("an edit", EDIT_MAX, || server.try_call("hostgroup.create", &group))
        .expect_err("nobody can save it")
}

#[test]
fn a_database_that_hangs_holds_up_neither_reads_nor_logins_nor_the_stop() {
    let Some(postgres) = Postgres::start(None) else { return };
    let mut server = Server::start_with(&[("SAKER_DATABASE_URL", &postgres.url())]);
    let (item, trigger) = configure(&server);
    flip(&server, 1);
    wait_until("it is a problem", DEADLINE, || server.is_problem(&trigger));
    let before = log_in(&server);
    postgres.hang();
    thread::scope(|scope| {
        // Nobody knows yet that it hangs; more of these than there are connections.
        let events = || {
            let old = json!({"time_from": 1, "search": {"name": "old"}});
            within("event.get", EDIT_MAX, || server.try_call("event.get", &old))
                .expect_err("nobody can read them")
        };
        let readers: Vec<_> = (0..8).map(|_| scope.spawn(events)).collect();
        let editor = scope.spawn(|| refused_edit(&server, "first"));
        let second = scope.spawn(|| refused_edit(&server, "second"));
        assert_memory_answers(&server, &item);
        within("a login", MEMORY_MAX, || log_in(&server));
        flip(&server, 0);
        wait_until("the trigger follows", DEADLINE, || !server.is_problem(&trigger));
        for it in readers {
            assert!(it.join().unwrap()["data"].as_str().is_some_and(|it| !it.is_empty()));
        }
        for it in [editor, second] {
            let error = it.join().unwrap();
            let data = error["data"].as_str().unwrap();
            assert!(data.contains("database"), "{error}");
        }
    });
    wait_until("health reports it", DEADLINE, || server.health_issue("database").is_some());
    let (status, health) = server.health().unwrap();
    assert_eq!(status, 200, "{health}");
    let since = health["database"]["since"].as_i64().unwrap();
    assert!(since <= now() && now() - since < 300, "{health}");
    assert_eq!(server.metric("saker_db_absent_since_seconds"), since.unsigned_abs());
    assert_memory_answers(&server, &item);
    let during = within("a login", MEMORY_MAX, || log_in(&server));
    within("an edit", MEMORY_MAX, || refused_edit(&server, "third"));
    postgres.wake();
    wait_until("it is over", DEADLINE, || server.health_issue("database").is_none());
    assert!(server.health().unwrap().1["database"].is_null());
    for name in ["second", "third"] {
        assert_eq!(groups(&server, name), 0, "nothing of it was done");
    }
    // Of the first the answer may have been lost; it is there or it is not.
    wait_until("edits go on", DEADLINE, || {
        server.try_call("hostgroup.create", &json!({"name": "after"})).is_ok()
    });
    wait_until("sessions are saved", DEADLINE, || server.metric("saker_db_behind_waiting") == 0);
    server.kill();
    server.start_again();
    for session in [&before, &during] {
        assert!(is_session(&server, session), "it was saved when the database was there again");
    }
    // Nobody has noticed when the server is asked to stop.
    postgres.hang();
    flip(&server, 1);
    let process = server.process();
    process.signal(Signal::SIGTERM);
    let status = process.end(STOP_MAX);
    assert_eq!(status.code(), Some(0), "{}", process.log());
    postgres.wake();
    server.start_again();
    wait_until("nothing is lost", DEADLINE, || server.is_problem(&trigger));
}

#[test]
fn a_file_that_another_program_has_locked_holds_up_edits_only() {
    let server = Server::start();
    let (item, trigger) = configure(&server);
    let old = json!({"time_from": 1});
    let n_events = || server.call("event.get", &old).as_array().unwrap().len();
    flip(&server, 1);
    wait_until("it is a problem", DEADLINE, || server.is_problem(&trigger));
    wait_until("there is an event", DEADLINE, || n_events() == 1);
    wait_until("it is saved", DEADLINE, || server.metric("saker_db_events_waiting") == 0);
    let other = rusqlite::Connection::open(server.data().join("saker.db")).unwrap();
    other.execute_batch("begin immediate").unwrap();
    thread::scope(|scope| {
        let edits = ["first", "second", "third"].map(|name| {
            scope.spawn({
                let server = &server;
                move || refused_edit(server, name)
            })
        });
        assert_memory_answers(&server, &item);
        within("a login", MEMORY_MAX, || log_in(&server));
        for it in edits {
            it.join().unwrap();
        }
    });
    wait_until("health reports it", DEADLINE, || server.health_issue("database").is_some());
    assert_eq!(within("event.get", MEMORY_MAX, n_events), 1, "what is saved can be read");
    other.execute_batch("rollback").unwrap();
    wait_until("it is over", DEADLINE, || server.health_issue("database").is_none());
    for name in ["first", "second", "third"] {
        assert_eq!(groups(&server, name), 0, "nothing of it was done");
    }
    server.call("hostgroup.create", &json!({"name": "after"}));
}
