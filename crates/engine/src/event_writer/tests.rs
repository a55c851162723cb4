//! Events that no shard makes, over a disk that is killed, loses power and is full.

use std::path::Path;

use disk::MemDisk;
use journal::JournalSettings;
use model::record::RecordView;
use rt::health::Health;
use rt::metrics::Registry;
use rt::shutdown::Shutdown;

use super::*;
use crate::health_issues::HealthIssueMetrics;

fn writer(disk: &MemDisk) -> (EventWriter, Shutdown) {
    let journal =
        Journal::open(Arc::new(disk.clone()), Path::new("/journal"), JournalSettings::default());
    let journal = journal.unwrap().0;
    let (clock, stop) = (Clock::manual(Time::from_clock(1_000, 0)), Shutdown::new());
    let metrics = HealthIssueMetrics::register(&Registry::new());
    let writer = EventWriter::of(EventWriterParts {
        journal,
        sync_each: false,
        wake: ReaderWake::default(),
        cursors: Arc::default(),
        issues: Arc::new(HealthIssues::new(Health::default(), clock.clone(), metrics)),
        clock,
        stop: Arc::new(stop.clone()),
    });
    (writer, stop)
}

fn event(service: u64, kind: EventKind) -> OutsideEvent {
    OutsideEvent {
        subject: Subject::Service(service),
        time: Time::from_clock(1_000, 7),
        kind,
        severity: Severity::High,
        name: format!("service {service}"),
        tags: vec![Tag { tag: "layer".to_owned(), value: "shop".to_owned() }],
        recovers: Vec::new(),
        details: vec![("dns", "shop.example".to_owned())],
    }
}

/// Ids and subjects of all events in the journal.
fn all(writer: &EventWriter) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    let mut reader = writer.parts.journal.reader(Lsn(0), journal::Upto::Written).unwrap();
    while let Some(record) = reader.next().unwrap() {
        let view = RecordView::parse(record.payload).unwrap();
        for row in view.transitions().map(Result::unwrap) {
            let event = row.event.unwrap();
            assert_eq!(event.details.collect::<Vec<_>>(), [("dns", "shop.example")]);
            assert_eq!(event.tags.collect::<Vec<_>>(), [("layer", "shop")]);
            assert_eq!(row.time, Time::from_clock(1_000, 7));
            found.push((record.first_id + u64::from(event.number), row.subject.id()));
        }
    }
    found
}

#[test]
fn events_get_ids_of_the_journal_in_the_order_in_which_they_are_written() {
    let disk = MemDisk::new(1);
    let (writer, _stop) = writer(&disk);
    let first =
        writer.write(&[event(1, EventKind::Problem), event(2, EventKind::Problem)]).unwrap();
    let second = writer.write(&[event(1, EventKind::Ok)]).unwrap();
    assert_eq!(second.first.0, first.first.0 + 2);
    assert!(first.lsn < second.lsn);
    let id = first.first.0;
    assert_eq!(all(&writer), [(id, 1), (id + 1, 2), (id + 2, 1)]);
}

#[test]
fn a_killed_process_has_written_its_events_and_takes_no_id_twice() {
    let disk = MemDisk::new(1);
    let before = {
        let (writer, _stop) = writer(&disk);
        writer.write(&[event(1, EventKind::Problem)]).unwrap();
        all(&writer)
    };
    disk.restart_after_kill();
    let (writer, _stop) = writer(&disk);
    assert_eq!(all(&writer), before);
    assert!(!writer.has_applied(writer.start()), "nobody has read it yet");
    let written = writer.write(&[event(2, EventKind::Problem)]).unwrap();
    assert!(before.iter().all(|(id, _)| *id < written.first.0));
}

#[test]
fn too_many_events_for_one_record_are_none() {
    let disk = MemDisk::new(1);
    let (writer, _stop) = writer(&disk);
    let many = vec![event(1, EventKind::Problem); EVENTS_MAX + 1];
    assert!(matches!(writer.write(&many), Err(EventWriteError::TooMany { n: 5_001 })));
    assert_eq!(all(&writer), []);
}

#[test]
fn a_full_disk_makes_events_wait_until_the_stop() {
    let disk = MemDisk::new(1);
    let (writer, stop) = writer(&disk);
    writer.write(&[event(1, EventKind::Problem)]).unwrap();
    disk.set_capacity(disk.used_bytes());
    stop.cancel();
    let refused = writer.write(&[event(2, EventKind::Problem)]);
    assert!(matches!(refused, Err(EventWriteError::Stopped)));
    disk.set_capacity(u64::MAX);
    assert_eq!(all(&writer).len(), 1);
    writer.write(&[event(3, EventKind::Problem)]).unwrap();
    assert_eq!(all(&writer).iter().map(|it| it.1).collect::<Vec<_>>(), [1, 3]);
}
