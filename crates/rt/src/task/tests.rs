use std::sync::mpsc;
use std::time::Duration;

use super::{Failure, Panicked, TaskError, Tasks};
use crate::metrics::Registry;

const LONG: Duration = Duration::from_secs(20);

#[tokio::test]
async fn shutdown_reaches_tasks_and_threads_of_all_levels() {
    let tasks = Tasks::new("test", &Registry::new());
    let group = tasks.group("part");
    let token = group.shutdown().clone();
    group.spawn("task", async move { token.cancelled().await });
    let token = tasks.shutdown().clone();
    tasks.thread("thread", move || assert!(token.wait(LONG))).unwrap();
    assert_eq!(tasks.running(), ["test/part/task", "test/thread"]);
    assert_eq!(group.running(), ["test/part/task"]);
    tasks.shutdown().cancel();
    tasks.join(LONG).await.unwrap();
    group.join(LONG).await.unwrap();
    assert!(tasks.running().is_empty());
}

#[tokio::test]
async fn part_is_stopped_alone() {
    let tasks = Tasks::new("test", &Registry::new());
    let group = tasks.group("part");
    let (token, group_token) = (tasks.shutdown().clone(), group.shutdown().clone());
    tasks.spawn("stays", async move { token.cancelled().await });
    group.spawn("goes", async move { group_token.cancelled().await });
    group.shutdown().cancel();
    group.join(LONG).await.unwrap();
    assert_eq!(tasks.running(), ["test/stays"]);
}

#[tokio::test]
async fn panics_are_reported_and_end_only_their_task() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    tasks.spawn("task", async { panic!("segment ids grow: {}", 7) });
    let failure = tasks.next_failure().await;
    let expected = Failure { task: "test/task".into(), message: "segment ids grow: 7".into() };
    assert_eq!(failure, expected);
    tasks.group("shard").thread("0", || panic!("fixed text")).unwrap();
    assert_eq!(tasks.next_failure().await.task, "test/shard/0");
    tasks.spawn_blocking("work", || panic!("third"));
    assert_eq!(tasks.next_failure().await.message, "third");
    tasks.join(LONG).await.unwrap();
    assert_eq!(registry.value("saker_runtime_task_panics_total", None), Some(3.0));
    assert_eq!(registry.value("saker_runtime_tasks_running", None), Some(0.0));
}

#[tokio::test]
async fn join_names_who_did_not_stop_and_aborts_tasks() {
    let tasks = Tasks::new("test", &Registry::new());
    tasks.spawn("deaf", std::future::pending());
    let (sender, receiver) = mpsc::channel::<()>();
    tasks.thread("stuck", move || assert!(receiver.recv().is_err())).unwrap();
    let error = tasks.join(Duration::from_millis(1)).await.unwrap_err();
    assert_eq!(error.to_string(), "still running after 1ms: test/deaf, test/stuck");
    assert!(matches!(error, TaskError::StillRunning { names, .. } if names.len() == 2));
    drop(sender);
    tasks.join(LONG).await.unwrap();
}

#[tokio::test]
async fn panic_of_a_peers_task_is_contained() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    let count = |kind: &str| registry.value("saker_runtime_contained_panics_total", Some(kind));
    tasks.spawn_contained("connection", "192.0.2.1:9", async { panic!("length: {}", 7) });
    tasks.join(LONG).await.unwrap();
    assert_eq!(
        tasks.contain("check", "item 5", async { panic!("oid") }).await,
        Err::<(), _>(Panicked)
    );
    assert_eq!(tasks.contain("check", "item 6", async { 6 }).await, Ok(6));
    let datagram: &[u8] = &[];
    let at = datagram.len();
    let first = tasks.contain_sync("datagram", "192.0.2.2:161", || datagram[at]);
    assert_eq!(first, Err(Panicked));
    assert_eq!(["connection", "check", "datagram"].map(count), [Some(1.0); 3]);
    assert_eq!(registry.value("saker_runtime_tasks_running", None), Some(0.0));
    // The supervisor gets the failures of the others only.
    tasks.spawn("essential", async { panic!("gone") });
    assert_eq!(tasks.next_failure().await.task, "test/essential");
    assert_eq!(registry.value("saker_runtime_task_panics_total", None), Some(1.0));
}

#[tokio::test]
async fn work_on_other_threads_panics_where_it_is_awaited() {
    let registry = Registry::new();
    let tasks = Tasks::new("test", &registry);
    assert_eq!(tasks.offload("sum", || 2 + 2).await, 4);
    let of_work = tasks.clone();
    let parsed = tasks.contain("packet", "192.0.2.1:9", async move {
        of_work.offload("parse", || panic!("no such row")).await
    });
    assert_eq!(parsed.await, Err(Panicked));
    tasks.join(LONG).await.unwrap();
    assert_eq!(registry.value("saker_runtime_contained_panics_total", Some("packet")), Some(1.0));
}
