use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU16, AtomicUsize, Ordering};
use std::time::Duration;

use lang::tags::{TagCondition, TagFilter, TagOperator};
use model::HostMacroId;
use model::content::{HostMacro, MacroType};
use model::snapshot::Snapshot;
use rt::health::Level;
use rt::shutdown::Shutdown;

use super::*;
use crate::http::{ClientCertificate, ReceiverLogin};
use crate::registry::LagLimits;
use crate::rows::RowKind;
use crate::targets::{
    Auth, ConnectorSettings, ConnectorTarget, CurrentSettings, Files, FilesSettings,
};
use crate::testing::{Bench, MemPlace, Receiver, answer, configuration, connector, run, values};

const MANY: u64 = 1 << 40;

fn files(bench: &Bench, dir: &std::path::Path, file_bytes_max: u64) -> Box<Files> {
    let settings =
        FilesSettings { dir: dir.to_owned(), file_bytes_max, kinds: RowKind::ALL.to_vec() };
    Box::new(Files::new(
        settings,
        Arc::clone(&bench.configuration) as Arc<dyn crate::ExportConfiguration>,
    ))
}

fn connect(
    bench: &Bench,
    settings: ConnectorSettings,
    http: Arc<Receiver>,
    at: &MemPlace,
) -> Box<ConnectorTarget> {
    Box::new(ConnectorTarget::new(
        CurrentSettings::new(settings),
        Arc::clone(&bench.configuration) as Arc<dyn crate::ExportConfiguration>,
        http,
        Box::new(at.clone()),
        Shutdown::new(),
    ))
}

fn history(dir: &std::path::Path) -> std::path::PathBuf {
    dir.join("history-history-syncer-1.ndjson")
}

#[test]
fn each_line_is_in_the_files_once_whenever_the_process_ends() {
    let (bench, dir) =
        (Bench::new(LagLimits::default()), tempfile::tempdir().expect("a directory"));
    // It begins with records after it was enabled.
    bench.append(0..3);
    let mut feed = bench.feed(files(&bench, dir.path(), MANY));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(3..10);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    // The place is saved once a second: the next rows are written and not saved.
    bench.append(10..14);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    drop(feed);
    // And half a line.
    let path = history(dir.path());
    let mut written = fs::read(&path).expect("a file");
    written.extend_from_slice(b"{\"host\":{\"ho");
    fs::write(&path, &written).expect("written");
    bench.append(14..20);
    let mut feed = bench.feed(files(&bench, dir.path(), MANY));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    let written = fs::read(&path).expect("a file");
    assert_eq!(values(&written), (3..20).collect::<Vec<u64>>());
    assert_eq!(bench.metric("saker_export_dropped_behind_total"), "0");
}

#[test]
fn rotation_before_a_crash_repeats_no_lines() {
    let (bench, dir) =
        (Bench::new(LagLimits::default()), tempfile::tempdir().expect("a directory"));
    // A line has some 200 bytes.
    let mut feed = bench.feed(files(&bench, dir.path(), 1_500));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..4);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(4..9);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    drop(feed);
    bench.append(9..11);
    let mut feed = bench.feed(files(&bench, dir.path(), 1_500));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    let old = dir.path().join("history-history-syncer-1.ndjson.old");
    let both =
        [fs::read(old).expect("an old file"), fs::read(history(dir.path())).expect("a file")];
    assert!(both.iter().all(|it| it.len() <= 1_500));
    assert_eq!(values(&both.concat()), (0..11).collect::<Vec<u64>>());
}

#[test]
fn absent_receiver_gets_everything_later_in_order() {
    let bench = Bench::new(LagLimits::default());
    let status = Arc::new(AtomicU16::new(0));
    let of_receiver = Arc::clone(&status);
    let receiver = Receiver::new(move |_| match of_receiver.load(Ordering::Relaxed) {
        0 => Err("Could not connect to server".to_owned()),
        status => answer(status, ""),
    });
    let (place, settings) = (MemPlace::default(), connector());
    let mut feed = bench.feed(connect(&bench, settings, Arc::clone(&receiver), &place));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..50);
    assert_eq!(run(&mut feed), ExportTurn::Retry(Duration::from_secs(1)));
    for (is, pause) in [(503, 2), (401, 4), (0, 8)] {
        status.store(is, Ordering::Relaxed);
        assert_eq!(run(&mut feed), ExportTurn::Retry(Duration::from_secs(pause)));
    }
    let issues = bench.health.issues();
    let reported = issues.first().map(|it| (it.part.as_str(), it.level, it.message.as_str()));
    let expected = "its data waits in the journal: Could not connect to server";
    assert_eq!(reported, Some(("export files", Level::Degraded, expected)));
    // The journal is kept for it.
    let saved = place.0.lock().expect("sound").expect("a place").lsn;
    assert_eq!(bench.exports.needed(bench.clock.wall()).0, saved);
    status.store(200, Ordering::Relaxed);
    bench.append(50..60);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), (0..60).collect::<Vec<u64>>());
    assert_eq!(bench.health.issues(), []);
    // Another process begins where this one was.
    assert_eq!(feed.turn(true), ExportTurn::Idle);
    drop(feed);
    bench.append(60..62);
    let mut feed = bench.feed(connect(&bench, connector(), Arc::clone(&receiver), &place));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), (0..62).collect::<Vec<u64>>());
}

#[test]
fn requests_have_no_more_records_than_wanted_and_attempts_are_made_at_once() {
    let bench = Bench::new(LagLimits::default());
    let n = AtomicUsize::new(0);
    let receiver = Receiver::new(move |_| {
        // Two of three fail.
        let is_taken = n.fetch_add(1, Ordering::Relaxed) % 3 == 2;
        answer(if is_taken { 201 } else { 500 }, "")
    });
    let settings =
        ConnectorSettings { max_records: 4, max_attempts: 3, max_senders: 5, ..connector() };
    let mut feed =
        bench.feed(connect(&bench, settings, Arc::clone(&receiver), &MemPlace::default()));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..10);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    let sent: Vec<Vec<u64>> = receiver.bodies().iter().map(|it| values(it)).collect();
    assert_eq!(sent, [vec![0, 1, 2, 3], vec![4, 5, 6, 7], vec![8, 9]]);
}

#[test]
fn refused_data_is_dropped_and_counted() {
    let bench = Bench::new(LagLimits::default());
    let receiver = Receiver::new(|request| {
        let is_bad = values(request.body).contains(&2);
        answer(if is_bad { 400 } else { 200 }, "{\"error\":\"no\"}")
    });
    let settings = ConnectorSettings { max_records: 1, ..connector() };
    let mut feed =
        bench.feed(connect(&bench, settings, Arc::clone(&receiver), &MemPlace::default()));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..5);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), [0, 1, 3, 4]);
    assert_eq!(bench.metric("saker_export_dropped_refused_total"), "1");
    assert_eq!(bench.metric("saker_export_rows_total"), "4");
}

/// With global macros: `{$USER}`, and `{$KEPT}` and `{$MISSING}` of a vault.
fn with_macros() -> Snapshot {
    let mut snapshot = configuration();
    let mut globals = (*snapshot.globals).clone();
    let of = |name: &str, value: &str, kind| HostMacro {
        hostmacroid: HostMacroId(1),
        name: name.to_owned(),
        value: value.to_owned(),
        description: String::new(),
        kind,
    };
    globals.macros = vec![
        of("{$USER}", "ada", MacroType::Text),
        of("{$KEPT}", "a:b", MacroType::Vault),
        of("{$MISSING}", "a:c", MacroType::Vault),
    ];
    snapshot.globals = Arc::new(globals);
    snapshot
}

#[test]
fn login_and_certificate_may_be_macros_and_vault_secrets() {
    let bench = Bench::new(LagLimits::default());
    bench.configuration.set(with_macros());
    let (user, password) = ("{$USER}".to_owned(), "{$KEPT}".to_owned());
    let certificate = ClientCertificate {
        cert_file: "{$USER}.pem".to_owned(),
        key_file: "{$USER}.key".to_owned(),
        key_password: "{$KEPT}".to_owned(),
    };
    let shown = |user: &str, password: &str| {
        let (user, password) = (user.to_owned(), password.to_owned());
        [
            ReceiverLogin::Digest { user: user.clone(), password: password.clone() },
            ReceiverLogin::Ntlm { user, password },
        ]
    };
    let written = shown(&user, &password).into_iter().chain([ReceiverLogin::Kerberos]);
    let meant = shown("ada", "of the vault").into_iter().chain([ReceiverLogin::Kerberos]);
    for (written, meant) in written.zip(meant) {
        let receiver = Receiver::new(move |request| {
            let certificate = request.certificate.expect("one is named");
            let ClientCertificate { cert_file, key_file, key_password } = certificate;
            let files = (cert_file.as_str(), key_file.as_str(), key_password.as_str());
            let is_meant =
                request.login == Some(&meant) && files == ("ada.pem", "ada.key", "of the vault");
            answer(if is_meant { 200 } else { 400 }, "")
        });
        let (auth, certificate) = (Auth::Login(written), certificate.clone());
        let settings = ConnectorSettings { auth, certificate, ..connector() };
        let target = connect(&bench, settings, Arc::clone(&receiver), &MemPlace::default());
        let mut feed = bench.feed(target);
        assert_eq!(run(&mut feed), ExportTurn::Idle);
        bench.append(1..2);
        assert_eq!(run(&mut feed), ExportTurn::Idle);
        assert_eq!(values(&receiver.bodies().concat()), [1]);
    }
    // Without its secret nothing is sent, and the reason is reported.
    let receiver = Receiver::new(|_| answer(200, ""));
    let settings = ConnectorSettings { auth: Auth::Bearer("{$MISSING}".to_owned()), ..connector() };
    let target = connect(&bench, settings, Arc::clone(&receiver), &MemPlace::default());
    let mut feed = bench.feed(target);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(2..3);
    assert_eq!(run(&mut feed), ExportTurn::Retry(Duration::from_secs(1)));
    assert_eq!(receiver.bodies().len(), 0);
    let reported = bench.health.issues().first().map(|it| it.message.clone());
    assert!(reported.as_ref().is_some_and(|it| it.ends_with("no a:c")), "{reported:?}");
}

#[test]
fn tags_and_types_say_what_a_connector_sends() {
    let rule = |operator, value: &str| TagCondition {
        tag: "component".to_owned(),
        operator,
        value: value.to_owned(),
    };
    let cases = [
        (rule(TagOperator::Equal, "cpu"), 31, 1),
        (rule(TagOperator::Equal, "CPU"), 31, 0),
        (rule(TagOperator::Like, "PU"), 31, 1),
        (rule(TagOperator::NotLike, "PU"), 31, 0),
        (rule(TagOperator::NotEqual, "memory"), 31, 1),
        (rule(TagOperator::Exists, ""), 1, 1),
        (rule(TagOperator::NotExists, ""), 31, 0),
        // Floats only are bit 0.
        (rule(TagOperator::Exists, ""), 30, 0),
    ];
    for (rule, value_types, n) in cases {
        let bench = Bench::new(LagLimits::default());
        let receiver = Receiver::new(|_| answer(200, ""));
        let tags = TagFilter { is_or: false, conditions: vec![rule.clone()] };
        let settings = ConnectorSettings { value_types, tags, ..connector() };
        let target = connect(&bench, settings, Arc::clone(&receiver), &MemPlace::default());
        let mut feed = bench.feed(target);
        assert_eq!(run(&mut feed), ExportTurn::Idle);
        bench.append(5..6);
        assert_eq!(run(&mut feed), ExportTurn::Idle);
        assert_eq!(values(&receiver.bodies().concat()).len(), n, "{rule:?}");
    }
}

#[test]
fn a_target_too_far_behind_skips_what_is_oldest_and_says_so() {
    let limits = LagLimits { age_max: Duration::from_secs(60), ..LagLimits::default() };
    let bench = Bench::new(limits);
    let status = Arc::new(AtomicU16::new(503));
    let of_receiver = Arc::clone(&status);
    let receiver = Receiver::new(move |_| answer(of_receiver.load(Ordering::Relaxed), ""));
    let mut feed =
        bench.feed(connect(&bench, connector(), Arc::clone(&receiver), &MemPlace::default()));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..5);
    assert!(matches!(run(&mut feed), ExportTurn::Retry(_)));
    bench.append(5..9);
    bench.clock.advance(Duration::from_secs(61));
    bench.append(9..12);
    assert!(matches!(run(&mut feed), ExportTurn::Retry(_)));
    let level = bench.health.level();
    assert_eq!(level, Some(Level::Failing));
    let lag = bench.exports.needed(bench.clock.wall());
    assert!(lag < bench.journal.next_lsn());
    status.store(200, Ordering::Relaxed);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), [9, 10, 11]);
    assert_eq!(bench.metric("saker_export_dropped_behind_total"), "9");
    assert_eq!(bench.health.issues(), []);
}

#[test]
fn held_journal_loses_no_rows() {
    let limits =
        LagLimits { age_max: Duration::from_secs(60), bytes_max: 0, when_behind: WhenBehind::Hold };
    let bench = Bench::new(limits);
    let receiver = Receiver::new(|_| answer(200, ""));
    let mut feed =
        bench.feed(connect(&bench, connector(), Arc::clone(&receiver), &MemPlace::default()));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..5);
    bench.clock.advance(Duration::from_secs(100));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), [0, 1, 2, 3, 4]);
}

#[test]
fn a_target_that_is_gone_holds_no_journal() {
    let bench = Bench::new(LagLimits::default());
    let place = MemPlace::default();
    let receiver = Receiver::new(|_| answer(503, ""));
    let mut feed = bench.feed(connect(&bench, connector(), receiver, &place));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..5);
    assert!(matches!(run(&mut feed), ExportTurn::Retry(_)));
    assert_ne!(bench.exports.needed(bench.clock.wall()).0, u64::MAX);
    feed.end();
    assert_eq!(bench.exports.needed(bench.clock.wall()).0, u64::MAX);
    assert_eq!(*place.0.lock().expect("sound"), None);
    assert_eq!(bench.health.issues(), []);
}

/// A place that cannot be saved at first.
struct Refusing(MemPlace, u32);

impl crate::PlaceStore for Refusing {
    fn load(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        self.0.load()
    }

    fn save(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        match self.1.checked_sub(1) {
            Some(left) => {
                self.1 = left;
                Err("the database is away".into())
            }
            None => self.0.save(place),
        }
    }

    fn forget(&mut self) -> Result<(), PlaceError> {
        self.0.forget()
    }
}

#[test]
fn a_target_begins_where_it_was_made_though_its_place_cannot_be_saved_yet() {
    let bench = Bench::new(LagLimits::default());
    let receiver = Receiver::new(|_| answer(200, ""));
    bench.append(0..3);
    let mut feed = bench.feed(Box::new(ConnectorTarget::new(
        CurrentSettings::new(connector()),
        Arc::clone(&bench.configuration) as Arc<dyn crate::ExportConfiguration>,
        Arc::clone(&receiver) as Arc<dyn crate::DeliveryClient>,
        Box::new(Refusing(MemPlace::default(), 2)),
        Shutdown::new(),
    )));
    for value in 3..5 {
        assert!(matches!(run(&mut feed), ExportTurn::Retry(_)));
        bench.append(value..value + 1);
    }
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(values(&receiver.bodies().concat()), [3, 4]);
}

#[test]
fn full_disk_is_reported_and_lines_are_written_later() {
    let (bench, dir) =
        (Bench::new(LagLimits::default()), tempfile::tempdir().expect("a directory"));
    let mut feed = bench.feed(files(&bench, dir.path(), MANY));
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    bench.append(0..3);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    let (path, kept) = (history(dir.path()), dir.path().join("kept"));
    fs::rename(&path, &kept).expect("moved away");
    // Each write to it fails for want of room.
    std::os::unix::fs::symlink("/dev/full", &path).expect("a link");
    bench.append(3..6);
    for _ in 0..2 {
        assert!(matches!(run(&mut feed), ExportTurn::Retry(_)));
    }
    let issues = bench.health.issues();
    let reported = issues.first().map_or("", |it| it.message.as_str());
    assert!(reported.contains("No space left on device"), "{reported}");
    fs::remove_file(&path).expect("a link");
    bench.append(6..8);
    assert_eq!(run(&mut feed), ExportTurn::Idle);
    assert_eq!(bench.health.issues(), []);
    let lines = [fs::read(kept).expect("a file"), fs::read(&path).expect("a file")].concat();
    assert_eq!(values(&lines), (0..8).collect::<Vec<u64>>());
}
