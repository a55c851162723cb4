//! The workers of the server, as super admins see them.

use api::ports::WorkerState;
use model::Time;
use rt::worker::{OnPanic, WorkerRow};
use serde_json::json;

use crate::fake::Server;

const ROW: WorkerRow = WorkerRow {
    name: "ranks",
    job: "ranks problems by the parents of their hosts",
    woken_by: "changes of the configuration",
    waits: "ranks of problems are old",
    on_panic: OnPanic::Reload,
};

#[test]
fn super_admins_get_the_workers_and_others_are_refused() {
    let server = Server::start();
    let admin = server.login();
    let worker = WorkerState {
        name: "ranks".into(),
        row: ROW,
        thread: "timers".to_owned(),
        n_turns: 7,
        n_failures: 2,
        last_turn: Some(Time::from_clock(1_000, 0)),
        failing: Some((Time::from_clock(900, 0), "the database is away".to_owned())),
        n_put_aside: 1,
    };
    *server.world.workers.lock().unwrap() = vec![worker];
    let bearer = format!("Bearer {}", admin.id);
    let answer = server.get("/api/v1/workers", &[("Authorization", &bearer)]).json();
    assert_eq!(answer["clock"], server.now().clock());
    let want = json!([{
        "name": "ranks", "job": "ranks problems by the parents of their hosts",
        "woken_by": "changes of the configuration", "thread": "timers", "turns": 7, "last_turn": 1_000,
        "failures": 2, "put_aside": 1,
        "failing": { "since": 900, "message": "the database is away" },
    }]);
    assert_eq!(answer["workers"], want);
    let group = admin.create("usergroup.create", json!({ "name": "readers" }));
    admin.create(
        "user.create",
        json!({ "username": "reader", "passwd": "long-enough-1", "roleid": "2",
            "usrgrps": [{ "usrgrpid": group }] }),
    );
    let reader = server.login_as("reader", "long-enough-1");
    let bearer = format!("Bearer {}", reader.id);
    assert_eq!(server.get("/api/v1/workers", &[("Authorization", &bearer)]).status, 403);
    assert_eq!(server.get("/api/v1/workers", &[]).status, 401);
}
