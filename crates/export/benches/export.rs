//! The cost of exporting a value: from the journal to a file, and to a receiver on this machine.
//!
//! 200,000 floats of 2,000 items in records of 1,000, as shards write them; 100 hosts with two groups and two tags
//! an item.

#![allow(clippy::unwrap_used, reason = "a bench may")]

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use export::targets::{
    Auth, ConnectorDataType, ConnectorSettings, ConnectorTarget, CurrentSettings, Elasticsearch,
    ElasticsearchSettings, Files, FilesSettings, RemoteWrite, RemoteWriteSettings,
};
use export::{
    ClientCertificate, DeliveryClient, DeliveryRequest, DeliveryResponse, ExportConfiguration,
    ExportFeed, ExportPlace, ExportTarget, ExportTurn, Exports, FeedParts, LagLimits, PlaceError,
    PlaceStore, RowKind, Wanted, WhenBehind,
};
use jiff::tz::TimeZone;
use journal::Journal;
use lang::tags::TagFilter;
use model::content::{Group, ItemContent, ItemFlags, Tag};
use model::record::{RecordBuilder, RecordHead};
use model::snapshot::{HolderKind, Host, ItemRow, Snapshot};
use model::{GroupId, HostId, ItemId, Time, ValueType};
use rt::clock::Clock;
use rt::health::Health;
use rt::metrics::Registry;
use rt::shutdown::Shutdown;

const VALUES: u64 = 200_000;
const ITEMS: u64 = 2_000;
const NOW: Time = Time(1_795_460_410_000_000_000);

fn main() {
    divan::main();
}

struct Fixed(Arc<Snapshot>, TimeZone);

impl ExportConfiguration for Fixed {
    fn snapshot(&self) -> Arc<Snapshot> {
        Arc::clone(&self.0)
    }

    fn zone(&self) -> &TimeZone {
        &self.1
    }
}

fn configuration() -> Arc<dyn ExportConfiguration> {
    let mut snapshot = Snapshot { epoch: 1, ..Snapshot::default() };
    for (id, name) in [(1, "Linux servers"), (2, "Data center 3")] {
        let group = Group { name: name.to_owned(), uuid: String::new() };
        snapshot.host_groups.insert(GroupId(id), Arc::new(group));
    }
    let tag = |tag: &str, value: &str| Tag { tag: tag.to_owned(), value: value.to_owned() };
    for host in 0..100 {
        let id = HostId(host + 1);
        let (name, shown) = (format!("web{host}.example.com"), format!("Web server {host}"));
        let mut host = Host::new(id, HolderKind::Host, name.into(), shown.into());
        host.groups = vec![GroupId(1), GroupId(2)];
        for at in 0..ITEMS / 100 {
            let content = ItemContent {
                key_: format!("system.cpu.util[{at},user]"),
                name: format!("CPU utilization {at}"),
                value_type: ValueType::Float,
                tags: vec![tag("component", "cpu"), tag("team", "platform")],
                ..ItemContent::default()
            };
            let item = ItemId(id.0 * 1_000 + at);
            host.items.push(ItemRow {
                id: item,
                source: ItemId::NONE,
                content: Arc::new(content),
                extra: None,
                flags: ItemFlags::Plain,
            });
            snapshot.item_runs.insert(item, (item, id));
        }
        snapshot.hosts.insert(id, Arc::new(host));
    }
    Arc::new(Fixed(Arc::new(snapshot), TimeZone::UTC))
}

struct MemPlace(ExportPlace);

impl PlaceStore for MemPlace {
    fn load(&mut self) -> Result<Option<ExportPlace>, PlaceError> {
        Ok(Some(self.0))
    }

    fn save(&mut self, place: ExportPlace) -> Result<(), PlaceError> {
        self.0 = place;
        Ok(())
    }

    fn forget(&mut self) -> Result<(), PlaceError> {
        Ok(())
    }
}

/// Takes everything and sends nothing.
struct Nowhere;

impl DeliveryClient for Nowhere {
    fn exchange(&self, request: &DeliveryRequest<'_>) -> Result<DeliveryResponse, String> {
        black_box(request.body);
        Ok(DeliveryResponse { status: 200, body: b"{\"errors\":false}".to_vec() })
    }
}

/// One kept connection to a receiver that reads and answers.
struct Loopback(Mutex<TcpStream>);

impl Loopback {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        stream.set_nodelay(true).unwrap();
        std::thread::spawn(move || {
            let (mut peer, _) = listener.accept().unwrap();
            let mut buffer = vec![0; 1 << 20];
            let mut size = [0; 8];
            while peer.read_exact(&mut size).is_ok() {
                let mut left = usize::try_from(u64::from_le_bytes(size)).unwrap();
                while left != 0 {
                    let n = left.min(buffer.len());
                    peer.read_exact(&mut buffer[..n]).unwrap();
                    left -= n;
                }
                peer.write_all(&[1]).unwrap();
            }
        });
        Self(Mutex::new(stream))
    }
}

impl DeliveryClient for Loopback {
    fn exchange(&self, request: &DeliveryRequest<'_>) -> Result<DeliveryResponse, String> {
        let mut stream = self.0.lock().unwrap();
        stream.write_all(&(request.body.len() as u64).to_le_bytes()).unwrap();
        stream.write_all(request.body).unwrap();
        stream.read_exact(&mut [0]).unwrap();
        Ok(DeliveryResponse { status: 200, body: Vec::new() })
    }
}

struct Bench {
    dir: tempfile::TempDir,
    journal: Journal,
    configuration: Arc<dyn ExportConfiguration>,
}

impl Bench {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("journal");
        let settings =
            journal::JournalSettings { identity: 7, ..journal::JournalSettings::default() };
        let journal = Journal::open(Arc::new(disk::OsDisk), &path, settings).unwrap().0;
        let mut record = RecordBuilder::new();
        for at in 0..VALUES {
            if at % 1_000 == 0 {
                record.start(RecordHead { now: NOW, ..RecordHead::default() });
            }
            let host = at / (ITEMS / 100) % 100 + 1;
            let item = ItemId(host * 1_000 + at % (ITEMS / 100));
            #[expect(clippy::cast_precision_loss, reason = "small")]
            let value = (at * 7_919 % 10_007) as f64 / 100.0;
            let time = Time(NOW.0 + i64::try_from(at / ITEMS).unwrap() * 1_000_000_000);
            record.float(item, time, value);
            if at % 1_000 == 999 {
                journal.append(record.finish(), 0).unwrap();
            }
        }
        journal.sync_once().unwrap();
        Self { dir, journal, configuration: configuration() }
    }

    fn place(&self) -> Box<MemPlace> {
        Box::new(MemPlace(ExportPlace { journal: self.journal.identity(), lsn: 0 }))
    }

    fn run(&self, target: Box<dyn ExportTarget>) {
        let limits = LagLimits {
            bytes_max: u64::MAX,
            age_max: Duration::from_secs(3_600),
            when_behind: WhenBehind::Hold,
        };
        let exports =
            Exports::new(self.journal.clone(), limits, (&Registry::new(), &Health::default()));
        let (clock, kind) = (Clock::manual(NOW), "bench");
        let parts = FeedParts { exports, clock, kind, name: kind.to_owned() };
        let mut feed = ExportFeed::new(parts, target);
        while feed.turn(false) == ExportTurn::More {}
    }

    fn connector(&self, http: Arc<dyn DeliveryClient>) -> Box<ConnectorTarget> {
        let settings = ConnectorSettings {
            data_type: ConnectorDataType::Values,
            url: "http://192.0.2.1/".to_owned(),
            value_types: 31,
            auth: Auth::None,
            max_records: 0,
            max_senders: 1,
            max_attempts: 1,
            attempt_interval: "5s".to_owned(),
            timeout: "5s".to_owned(),
            http_proxy: String::new(),
            tls_verify: true.into(),
            certificate: ClientCertificate::default(),
            tags: TagFilter::default(),
        };
        let configuration = Arc::clone(&self.configuration);
        let current = CurrentSettings::new(settings);
        Box::new(ConnectorTarget::new(current, configuration, http, self.place(), Shutdown::new()))
    }
}

/// A place at the journal's beginning, next to the files.
fn begin_files(dir: &Path) {
    let state = br#"{"version":1,"journal":7,"lsn":0,"files":[]}"#;
    std::fs::write(dir.join("saker-export.state"), state).unwrap();
}

#[divan::bench(sample_count = 5)]
fn lines_to_a_file(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.counter(ItemsCount::new(VALUES)).bench_local(|| {
        let out = tempfile::tempdir_in(bench.dir.path()).unwrap();
        begin_files(out.path());
        let settings = FilesSettings {
            dir: out.path().to_owned(),
            file_bytes_max: 1 << 30,
            kinds: RowKind::ALL.to_vec(),
        };
        bench.run(Box::new(Files::new(settings, Arc::clone(&bench.configuration))));
    });
}

#[divan::bench(sample_count = 5)]
fn lines_to_a_receiver(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    let http = Arc::new(Loopback::start());
    bencher.counter(ItemsCount::new(VALUES)).bench_local(|| {
        bench.run(bench.connector(Arc::<Loopback>::clone(&http)));
    });
}

#[divan::bench(sample_count = 5)]
fn lines_to_nowhere(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher
        .counter(ItemsCount::new(VALUES))
        .bench_local(|| bench.run(bench.connector(Arc::new(Nowhere))));
}

#[divan::bench(sample_count = 5)]
fn bulk_to_nowhere(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.counter(ItemsCount::new(VALUES)).bench_local(|| {
        let settings = ElasticsearchSettings {
            url: "http://192.0.2.1/".to_owned(),
            user: String::new(),
            password: String::new(),
            index: "saker".to_owned(),
            wanted: Wanted { values: true, ..Wanted::default() },
            time: Duration::from_secs(5),
            tls_verify: true,
        };
        let (configuration, http) = (Arc::clone(&bench.configuration), Arc::new(Nowhere));
        bench.run(Box::new(Elasticsearch::new(settings, 7, configuration, http, bench.place())));
    });
}

#[divan::bench(sample_count = 5)]
fn remote_write_to_nowhere(bencher: Bencher<'_, '_>) {
    let bench = Bench::new();
    bencher.counter(ItemsCount::new(VALUES)).bench_local(|| {
        let settings = RemoteWriteSettings {
            url: "http://192.0.2.1/".to_owned(),
            user: String::new(),
            password: String::new(),
            prefix: "zabbix_".to_owned(),
            time: Duration::from_secs(5),
            tls_verify: true,
        };
        let (configuration, http) = (Arc::clone(&bench.configuration), Arc::new(Nowhere));
        bench.run(Box::new(RemoteWrite::new(settings, configuration, http, bench.place())));
    });
}
