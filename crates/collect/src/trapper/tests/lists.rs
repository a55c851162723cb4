//! Lists of active checks.

use wire::Version;
use wire::active::{Check, EncodedList};

use super::super::lists::LISTS_AT_ONCE;
use super::*;

pub(super) fn large_list(n_items: u64) -> SharedAnswer {
    let check = |itemid| Check {
        key: format!("vfs.file.size[/a/path/of/some/length/{itemid}]").into(),
        itemid,
        delay: "1m".into(),
        ..Check::default()
    };
    let is_log = |it: &Check<'_>| it.itemid % 100 == 7;
    let list = EncodedList::new((0..n_items).map(check), &[], (Version::OURS, is_log));
    SharedAnswer::new(Arc::new(list), (Version::OURS, Some(5)), &[], |it| (it, 1))
}

fn checks_of(host: &str) -> Vec<u8> {
    let json = format!(r#"{{"request":"active checks","host":"{host}","version":"7.0.0"}}"#);
    let mut packet = Vec::new();
    zbxd::encode(json.as_bytes(), &mut packet);
    packet
}

#[tokio::test]
async fn a_large_list_of_checks_arrives_whole() {
    let port = open().await;
    for n in [0, 1, 8, 10_000] {
        let answer = exchange(&port, &checks_of(&format!("large {n}"))).await;
        let ChecksAnswer::List(list) = ChecksAnswer::parse(&answer).expect("an answer") else {
            panic!("no list")
        };
        let checks = list.checks.expect("checks");
        assert_eq!(checks.len() as u64, n);
        for check in checks.iter().filter(|it| it.itemid % 100 == 7) {
            assert_eq!((check.lastlogsize, check.mtime), (check.itemid, 1));
        }
    }
    port.tasks.shutdown().cancel();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_list_is_made_for_gone_agents_and_values_do_not_wait() {
    let port = open().await;
    let made = Arc::clone(&port.agents.1);
    let packet = checks_of("large 10");
    // Lists that are being made wait for this lock.
    let (release, released) = std::sync::mpsc::channel::<()>();
    let (held, holds) = std::sync::mpsc::channel::<()>();
    let lock = Arc::clone(&port.agents.2);
    let holder = std::thread::spawn(move || {
        let _guard = lock.lock().expect("no panic");
        held.send(()).expect("awaited");
        released.recv().ok();
    });
    holds.recv().expect("held");
    let mut first = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(port.address).await.expect("listening");
        stream.write_all(&packet).await.expect("sent");
        first.push(stream);
    }
    let at_once = u32::try_from(LISTS_AT_ONCE.min(n_cores())).expect("few");
    until(|| made.load(Ordering::SeqCst) == at_once).await;
    for _ in 0..100 {
        let mut stream = TcpStream::connect(port.address).await.expect("listening");
        stream.write_all(&packet).await.expect("sent");
    }
    let abandoned = || port.registry.value("saker_trapper_lists_abandoned_total", None);
    until(|| abandoned() == Some(100.0)).await;
    // Values are taken meanwhile.
    let json = r#"{"request":"sender data","data":[{"host":"web","key":"trap","value":"1"}]}"#;
    assert_eq!(counts(&request(&port, json).await), (1, 0, 1));
    release.send(()).expect("it waits");
    holder.join().expect("no panic");
    for mut stream in first {
        let mut header = [0; 13];
        stream.read_exact(&mut header).await.expect("answered");
    }
    assert_eq!(made.load(Ordering::SeqCst), 2);
    port.tasks.shutdown().cancel();
}

fn n_cores() -> usize {
    std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
}

/// Waits until this is true.
async fn until(is_so: impl Fn() -> bool + Send + Sync) {
    let reached = async {
        while !is_so() {
            tokio::task::yield_now().await;
        }
    };
    timeout(Duration::from_secs(60), reached).await.expect("in time");
}
