//! `saker backup`: copies of a running and of a stopped server, and starts from them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::thread;
use std::time::Duration;

use crate::support::peer::{self, Counts};
use crate::support::small_disk::SmallDisk;
use crate::support::stores::History;
use crate::support::{FLOAT, Server, TEXT, now, wait_until};
use model::ValueType;

const WAIT_MAX: Duration = Duration::from_secs(60);
const ROUNDS: usize = 4;

fn command(data: &Path, dir: &Path) -> Vec<PathBuf> {
    ["backup".into(), "--data".into(), data.to_owned(), dir.to_owned()].into()
}

fn backup(data: &Path, dir: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(command(data, dir))
        .env_remove("SAKER_SETTINGS")
        .env_remove("SAKER_DATA")
        .output()
        .unwrap()
}

fn refusal(output: &Output) -> String {
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    said
}

fn assert_done(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(said.contains(" bytes are in "), "{said}");
}

/// Sends number after number until `is_over` is set, or the server is gone.
fn send_numbers(server: &Server, n_acknowledged: &AtomicI64, is_over: &AtomicBool) {
    let base = now() - 1_000_000;
    while !is_over.load(Ordering::Relaxed) {
        let n = n_acknowledged.load(Ordering::Relaxed);
        let rows = (n..n + 10).map(|it| {
            let mut row = peer::row("h", "k", &it.to_string(), base + it / 1_000);
            row["ns"] = (it % 1_000 * 1_000_000).into();
            row
        });
        let rows: Vec<_> = rows.collect();
        // A connection each: a slow one may be closed by a server that works.
        let stream = peer::try_connect(server.trapper());
        let Ok(counts) = stream.and_then(|mut it| peer::send(&mut it, &rows)) else { return };
        assert_eq!(counts, Counts(10, 0, 10));
        n_acknowledged.store(n + 10, Ordering::Relaxed);
    }
}

/// How many numbers from 0 on a data directory has, each once.
fn n_numbers(data: &Path, item: &str) -> i64 {
    let values = History::open(data).values(item, ValueType::Float);
    let numbers: Vec<_> = values.iter().map(|it| it.value.as_f64().unwrap()).collect();
    let expected = (0..).map(f64::from).take(numbers.len());
    assert!(numbers.iter().copied().eq(expected), "each once, in order, none left out");
    i64::try_from(numbers.len()).unwrap()
}

#[test]
fn a_copy_made_under_load_has_what_was_acknowledged_before_and_starts() {
    let mut server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "k", FLOAT);
    let trigger = server.trigger("always", "last(/h/k)>=0");
    let (data, dir) = (server.data(), server.dir().to_owned());
    let (n_acknowledged, is_over) = (AtomicI64::new(0), AtomicBool::new(false));
    let before = thread::scope(|scope| {
        let load = scope.spawn(|| send_numbers(&server, &n_acknowledged, &is_over));
        let mut before = Vec::new();
        for round in 0..ROUNDS {
            let wanted = n_acknowledged.load(Ordering::Relaxed) + 50;
            let taken = || wanted <= n_acknowledged.load(Ordering::Relaxed);
            wait_until("values are taken", WAIT_MAX, || {
                assert!(!load.is_finished());
                taken()
            });
            // One that the copy has to know, as its values.
            let newest = server.trapper_item(&host, &format!("new-{round}"), FLOAT);
            let n = n_acknowledged.load(Ordering::Relaxed);
            assert_done(&backup(&data, &dir.join(format!("copy-{round}"))));
            before.push((n, newest));
        }
        is_over.store(true, Ordering::Relaxed);
        load.join().unwrap();
        before
    });
    server.kill();
    let names = |data: &Path| -> BTreeSet<String> {
        fs::read_dir(data)
            .unwrap()
            .map(|it| it.unwrap().file_name().into_string().unwrap())
            .collect()
    };
    for (round, (n, newest)) in before.iter().enumerate() {
        let copy = dir.join(format!("copy-{round}"));
        assert!(!dir.join(format!("copy-{round}.partial")).try_exists().unwrap());
        // Links of messages of the original are invalid in its copies.
        let left_out =
            ["saker.sock", "saker.db-wal", "saker.db-shm", "admin_password", "acknowledge.key"];
        let original = names(&data).into_iter().filter(|it| !left_out.contains(&it.as_str()));
        assert_eq!(names(&copy), original.collect(), "nothing is missing");
        // In the place of the original, which is gone.
        fs::rename(&data, dir.join(format!("lost-{round}"))).unwrap();
        fs::rename(&copy, &data).unwrap();
        server.start_again();
        assert!(server.is_problem(&trigger), "its state is there");
        assert_eq!(server.item(newest)["key_"], format!("new-{round}"));
        server.stop();
        assert!(*n <= n_numbers(&data, &item), "round {round}");
    }
    let last = dir.join("lost-0");
    assert_eq!(n_numbers(&last, &item), n_acknowledged.load(Ordering::Relaxed), "the original");
}

#[test]
fn a_stopped_server_is_copied_and_what_is_in_the_way_is_left_alone() {
    let mut server = Server::start();
    let host = server.host("h");
    let item = server.trapper_item(&host, "k", TEXT);
    server.send("h", "k", "before", now());
    let (data, dir) = (server.data(), server.dir().to_owned());

    // While it runs: refusals are those of the server.
    let filled = dir.join("filled");
    fs::create_dir(&filled).unwrap();
    fs::write(filled.join("thesis.tex"), "x").unwrap();
    assert!(refusal(&backup(&data, &filled)).contains("filled is not empty"));
    assert!(refusal(&backup(&data, &data.join("copy"))).contains("lies in the data directory"));
    let nowhere = refusal(&backup(&data, &dir.join("no/such/place")));
    assert!(nowhere.contains("No such file or directory"), "{nowhere}");
    let foreign = dir.join("copy.partial");
    fs::create_dir(&foreign).unwrap();
    fs::write(foreign.join("thesis.tex"), "x").unwrap();
    let copy = dir.join("copy");
    assert!(refusal(&backup(&data, &copy)).contains("is no unfinished backup"));
    assert!(foreign.join("thesis.tex").try_exists().unwrap());
    // Files of an interrupted backup are removed.
    fs::remove_file(foreign.join("thesis.tex")).unwrap();
    fs::create_dir(foreign.join("journal")).unwrap();
    fs::write(foreign.join("journal/part"), "x").unwrap();
    assert_done(&backup(&data, &copy));
    assert!(!foreign.try_exists().unwrap());
    server.assert_lives();

    server.send("h", "k", "behind", now());
    server.stop();
    // An empty directory is as good as none.
    let copy_of_stopped = dir.join("copy of stopped");
    fs::create_dir(&copy_of_stopped).unwrap();
    assert_done(&backup(&data, &copy_of_stopped));
    let texts = |data: &Path| History::open(data).values(&item, ValueType::Text).len();
    assert_eq!((texts(&copy), texts(&copy_of_stopped), texts(&data)), (1, 2, 2));
    fs::rename(&data, dir.join("lost")).unwrap();
    fs::rename(&copy_of_stopped, &data).unwrap();
    server.start_again();
    assert_eq!(server.history_values(&item), ["before", "behind"]);
}

/// Floats of an item in a schema: how many rows, and how many different ones.
fn rows(client: &mut postgres::Client, schema: &str, item: &str) -> (i64, i64) {
    let sql = format!(
        "select count(*), count(distinct value) from {schema}.history where itemid = {item}"
    );
    // Before the first contact there is no table.
    client.query_one(&sql, &[]).map_or((0, 0), |it| (it.get(0), it.get(1)))
}

/// Sends values to servers, counted by each, until `meanwhile` is done.
fn loads(servers: &[(&Server, &AtomicI64)], meanwhile: &mut dyn FnMut()) {
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        let loads = servers.iter().map(|(server, n)| {
            let is_over = &is_over;
            scope.spawn(move || send_numbers(server, n, is_over))
        });
        let loads: Vec<_> = loads.collect();
        for (_, n) in servers {
            let wanted = n.load(Ordering::Relaxed) + 200;
            wait_until("values are taken", WAIT_MAX, || wanted <= n.load(Ordering::Relaxed));
        }
        meanwhile();
        is_over.store(true, Ordering::Relaxed);
        loads.into_iter().for_each(|it| it.join().unwrap());
    });
}

/// As an operator decides it.
fn accept_gap(server: &Server) {
    let accepted = Command::new(env!("CARGO_BIN_EXE_saker"))
        .args(["journal", "accept-gap", "--data"])
        .arg(server.data())
        .env_remove("SAKER_SETTINGS")
        .output()
        .unwrap();
    assert!(accepted.status.success(), "{}", String::from_utf8_lossy(&accepted.stderr));
}

#[test]
fn a_server_of_a_backup_and_its_original_store_each_value_once_in_the_same_tables() {
    const FROM: i64 = 1_000_000;
    const PART: &str = "history store postgres";
    let Ok(url) = std::env::var("SAKER_TEST_POSTGRES") else {
        peers::left_out("SAKER_TEST_POSTGRES is not set");
        return;
    };
    let schema = format!("saker_backup_{}", std::process::id());
    let env = [("SAKER_POSTGRES_URL", url.as_str()), ("SAKER_POSTGRES_SCHEMA", &schema)];
    let mut client = postgres::Client::connect(&url, postgres::NoTls).unwrap();
    let mut original = Server::start_with(&env);
    let host = original.host("h");
    let item = original.trapper_item(&host, "k", FLOAT);
    let trigger = original.trigger("large", &format!("last(/h/k)>={FROM}"));
    let dir = original.dir().join("copy");
    let (of_original, of_copy) = (AtomicI64::new(0), AtomicI64::new(FROM));
    loads(&[(&original, &of_original)], &mut || {
        assert_done(&backup(&original.data(), &dir));
        // The original continues.
        let wanted = of_original.load(Ordering::Relaxed) + 200;
        wait_until("values are taken", WAIT_MAX, || wanted <= of_original.load(Ordering::Relaxed));
    });
    let n = of_original.load(Ordering::Relaxed);
    wait_until("all are stored", WAIT_MAX, || rows(&mut client, &schema, &item) == (n, n));

    // Whatever ends it before somebody has decided, it waits for that and writes nothing there.
    let mut copy = Server::of_backup(&dir, &env);
    for _ in 0..2 {
        copy.start_until(|_, answer| answer["state"] == "failing");
        wait_until("the store is reported", WAIT_MAX, || copy.health_issue(PART).is_some());
        let text = copy.health_issue(PART).unwrap()["message"].to_string();
        assert!(text.contains("another one or a copy of that"), "{text}");
        copy.kill();
    }
    copy.start_until(|_, answer| answer["state"] == "failing");
    copy.log_in(crate::support::PASSWORD);
    // Of the database in the backup it knows that it belongs to its journal.
    assert!(copy.health_issue("events").is_none() && copy.health_issue("discovery").is_none());
    loads(&[(&original, &of_original), (&copy, &of_copy)], &mut || ());
    let n = of_original.load(Ordering::Relaxed);
    wait_until("all are stored", WAIT_MAX, || rows(&mut client, &schema, &item) == (n, n));

    accept_gap(&copy);
    let mut all_are_stored = || {
        let n_all = of_original.load(Ordering::Relaxed) + of_copy.load(Ordering::Relaxed) - FROM;
        wait_until("all are stored", WAIT_MAX, || {
            let found = rows(&mut client, &schema, &item);
            assert!(found.0 <= n_all, "{found:?} of {n_all}");
            found == (n_all, n_all)
        });
    };
    all_are_stored();
    loads(&[(&original, &of_original), (&copy, &of_copy)], &mut || ());
    all_are_stored();
    // Each finds its own place again.
    for server in [&mut original, &mut copy] {
        server.kill();
        server.start_again();
        assert!(server.health_issue(PART).is_none());
    }
    loads(&[(&original, &of_original), (&copy, &of_copy)], &mut || ());
    all_are_stored();
    assert!(copy.is_problem(&trigger) && !original.is_problem(&trigger));
    original.stop();
    copy.stop();
    client.batch_execute(&format!("drop schema {schema} cascade")).unwrap();
}

#[test]
fn a_disk_that_is_full_leaves_no_half_copy() {
    let mut server = Server::start();
    let (data, place) = (server.data(), server.dir().join("small"));
    server.stop();
    let Some(disk) = SmallDisk::new(&place, 16) else { return };
    disk.fill(200);
    let mut full = disk.command(env!("CARGO_BIN_EXE_saker"));
    let full = full.args(command(&data, &place.join("copy"))).env_remove("SAKER_SETTINGS").output();
    let said = refusal(&full.unwrap());
    assert!(said.contains("small/copy.partial/") || said.contains("database"), "{said}");
    assert!(said.contains("full") || said.contains("No space left on device"), "{said}");
    assert!(said.contains("there is no backup"), "{said}");
    let names = || {
        let names = fs::read_dir(disk.path()).unwrap().map(|it| it.unwrap().file_name());
        names.map(|it| it.into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    assert_eq!(names(), BTreeSet::from(["filler".to_owned()]), "nothing is left");
    disk.free();
    let mut enough = disk.command(env!("CARGO_BIN_EXE_saker"));
    assert_done(&enough.args(command(&data, &place.join("copy"))).output().unwrap());
    assert_eq!(names(), BTreeSet::from(["copy".to_owned()]));
}
