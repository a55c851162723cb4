use std::time::Duration;

use model::document::Document;
use serde_json::json;

use super::*;
use crate::registry::LagLimits;
use crate::testing::{Bench, MemPlace, Receiver, answer, configuration, workers};

/// All targets have one place.
struct OnePlace(MemPlace);

impl ExportPlaces for OnePlace {
    fn place(&self, _: &str) -> Box<dyn PlaceStore> {
        Box::new(self.0.clone())
    }
}

fn with_connector() -> Snapshot {
    let body = json!({
        "status": "1", "url": "http://192.0.2.1/", "timeout": "5s", "attempt_interval": "0s",
        "max_attempts": "1", "max_senders": "1", "item_value_type": "31",
    });
    let body = body.as_object().unwrap().clone();
    let mut snapshot = configuration();
    snapshot.documents.put(CONNECTOR, Document { id: 7, key: "c".into(), body });
    snapshot
}

#[test]
fn a_connector_that_was_removed_leaves_no_worker_behind() {
    let (bench, place) = (Bench::new(LagLimits::default()), MemPlace::default());
    bench.configuration.set(with_connector());
    let context = workers(&bench);
    let parts = RunnerParts {
        exports: bench.exports.clone(),
        configuration: Arc::clone(&bench.configuration) as _,
        http: Receiver::new(|_| answer(200, "")),
        places: Arc::new(OnePlace(place.clone())),
        workers: context.clone(),
    };
    let connectors = start(parts, SetTargets::default()).unwrap();
    let names = || -> Vec<(String, String)> {
        let workers = context.roster.workers().into_iter();
        workers.map(|it| (it.name.to_string(), it.thread)).collect()
    };
    let name = "export-connector-7";
    assert_eq!(names(), [(name.to_owned(), name.to_owned())]);
    let label = format!("worker=\"{name}\"");
    assert!(bench.registry.render().contains(&label));
    assert_eq!(
        bench.exports.needed(bench.clock.wall()).0,
        0,
        "all is kept until its place is known"
    );

    connectors.follow(&configuration());
    let runtime = rt::task::runtime(1).unwrap();
    runtime.block_on(context.tasks.join(Duration::from_secs(60))).unwrap();
    assert_eq!(names(), []);
    assert!(!bench.registry.render().contains(&label));
    assert_eq!(bench.exports.needed(bench.clock.wall()).0, u64::MAX);
    assert!(place.0.lock().unwrap().is_none());
}
