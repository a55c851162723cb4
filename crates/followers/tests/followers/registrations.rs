use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use collect::ports::Registrations as _;
use followers::autoregistration::{self, RegistrationParts, RegistrationPort};

use crate::poison::{detail, said};
use crate::{FakeLog, Poison, Scene};

/// Adds the worker that makes events of registrations.
pub(crate) fn registrations_open(scene: &mut Scene, log: &Arc<FakeLog>) -> RegistrationPort {
    let (port, registrar) = autoregistration::open(RegistrationParts {
        db: scene.db.clone(),
        events: Arc::clone(log) as _,
        clock: scene.clock.clone(),
        registry: scene.registry.clone(),
        health: scene.health.clone(),
    });
    scene.group.add(autoregistration::ROW, |wake| registrar.woken_by(wake));
    scene.run();
    port
}

fn open(scene: &mut Scene) -> (RegistrationPort, Arc<FakeLog>) {
    let log = FakeLog::new(Poison::Error, |_| false);
    let port = registrations_open(scene, &log);
    (port, log)
}

#[test]
fn an_agent_is_not_forgotten_when_the_clock_is_set_back() {
    let mut scene = Scene::new();
    let (port, log) = open(&mut scene);
    let from: IpAddr = "192.0.2.1".parse().unwrap();
    port.asked(said("web"), from);
    for name in ["first", "second", "third"] {
        scene.run();
        let wall = scene.clock.wall();
        scene.clock.set_wall(wall.plus_secs(-1_000));
        port.asked(said(name), from);
    }
    scene.run();
    // It says nothing new.
    port.asked(said("web"), from);
    scene.run();
    let hosts: Vec<String> = log.written().iter().map(|it| detail(it, "host").to_owned()).collect();
    assert_eq!(hosts, ["web", "first", "second", "third"]);
}

#[test]
fn registrations_left_out_are_reported_for_minutes_although_the_clock_is_set_back() {
    let mut scene = Scene::new();
    let (port, log) = open(&mut scene);
    let from: IpAddr = "192.0.2.1".parse().unwrap();
    for n in 0..501 {
        port.asked(said(&format!("made up {n}")), from);
    }
    scene.run();
    assert_eq!(log.written().len(), 500);
    assert_ne!(scene.issue("autoregistration"), None);
    let wall = scene.clock.wall();
    scene.clock.set_wall(wall.plus_secs(-86_400));
    for _ in 0..2 {
        scene.clock.advance(Duration::from_secs(600));
        scene.run();
    }
    assert_eq!(scene.issue("autoregistration"), None);
}
