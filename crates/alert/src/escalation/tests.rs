//! Escalations over a small world of actions and problems.

mod crashes;
mod world;

use model::{EventId, UserId};
use serde_json::{Value as Json, json};

use self::world::Play;
use super::*;

/// An action of which each operation sends to one user.
fn action(steps: &Json, others: &Json) -> Json {
    let mut body = json!({
        "name": "On call", "eventsource": "0", "status": "0", "esc_period": "10m",
        "pause_suppressed": "1", "pause_symptoms": "1", "notify_if_canceled": "1",
        "operations": steps, "recovery_operations": [], "update_operations": [],
    });
    let all = body.as_object_mut().expect("an object");
    all.extend(others.as_object().cloned().unwrap_or_default());
    body
}

/// To a user, at steps.
fn to(user: u64, from: u32, until: u32, change: &Json) -> Json {
    let mut operation = json!({
        "operationtype": "0", "esc_period": "0",
        "esc_step_from": from.to_string(), "esc_step_to": until.to_string(),
        "opmessage": {"default_msg": "1", "mediatypeid": "0"},
        "opmessage_usr": [{"userid": user.to_string()}], "opmessage_grp": [],
    });
    let all = operation.as_object_mut().expect("an object");
    all.extend(change.as_object().cloned().unwrap_or_default());
    operation
}

fn none() -> Json {
    json!({})
}

#[test]
fn steps_are_made_at_their_times() {
    let mut play = Play::new(&[action(
        &json!([
            to(1, 1, 1, &none()),
            to(2, 2, 3, &json!({"esc_period": "5m"})),
            to(3, 3, 0, &none())
        ]),
        &none(),
    )]);
    play.problem(1);
    play.until(4_000);
    assert_eq!(
        play.sent(),
        [
            "0 step 1 to 1",
            "600 step 2 to 2",
            // The step before lasts as long as its operation says.
            // Of two operations the last one goes first, as in Zabbix.
            "900 step 3 to 3",
            "900 step 3 to 2",
            // The shortest period of a step counts; without an end the escalation continues.
            "1200 step 4 to 3",
            "1800 step 5 to 3",
            "2400 step 6 to 3",
            "3000 step 7 to 3",
            "3600 step 8 to 3",
        ]
    );
}

#[test]
fn behind_the_last_step_it_sleeps_until_the_recovery() {
    let mut play = Play::new(&[action(
        &json!([to(1, 1, 1, &none())]),
        &json!({"recovery_operations": [{"operationtype": "11", "opmessage": {}},
            {"operationtype": "0", "opmessage": {}, "opmessage_usr": [{"userid": "9"}]}]}),
    )]);
    play.problem(1);
    play.until(100_000);
    assert_eq!((play.sent(), play.running().next_due()), (vec!["0 step 1 to 1".to_owned()], None));
    play.clear();
    play.recovery(1, 2);
    assert_eq!(play.sent(), ["100000 recovery 2 to 9", "100000 recovery 2 to 1"]);
    assert!(play.running().is_empty());
}

#[test]
fn recovery_goes_only_to_recipients_of_the_problem() {
    let mut play = Play::new(&[action(
        &json!([to(1, 2, 2, &none())]),
        &json!({"recovery_operations": [{"operationtype": "11", "opmessage": {}}]}),
    )]);
    play.problem(1);
    play.until(599);
    play.recovery(1, 2);
    play.until(2_000);
    assert_eq!(play.sent(), Vec::<String>::new());
    assert!(play.running().is_empty());
}

#[test]
fn suppressed_problem_waits_and_has_no_recovery_message() {
    let mut play = Play::new(&[action(
        &json!([to(1, 1, 2, &none())]),
        &json!({"recovery_operations": [
            {"operationtype": "0", "opmessage": {}, "opmessage_usr": [{"userid": "9"}]}]}),
    )]);
    play.world.suppressed.insert(EventId(1));
    play.world.suppressed.insert(EventId(2));
    play.problem(1);
    play.problem(2);
    play.until(1_000);
    play.recovery(2, 3);
    assert_eq!(play.sent(), Vec::<String>::new());
    play.world.suppressed.clear();
    play.until(1_700);
    assert_eq!(play.sent(), ["1010 step 1 to 1", "1610 step 2 to 1"]);
    // A problem with a message before the suppression has its recovery message during it.
    play.world.suppressed.insert(EventId(1));
    play.recovery(1, 4);
    assert_eq!(play.sent().last().map(String::as_str), Some("1700 recovery 4 to 9"));
}

#[test]
fn operations_ask_whether_the_problem_is_acknowledged() {
    let not_yet = json!({"opconditions": [{"conditiontype": "14", "value": "0"}]});
    let both = json!({"evaltype": "1", "opconditions": [
        {"conditiontype": "14", "value": "0"}, {"conditiontype": "14", "value": "1"}]});
    let mut play =
        Play::new(&[action(&json!([to(1, 1, 0, &not_yet), to(2, 1, 0, &both)]), &none())]);
    play.problem(1);
    play.until(700);
    play.world.acknowledged.insert(EventId(1));
    play.until(5_000);
    assert_eq!(play.sent(), ["0 step 1 to 1", "600 step 2 to 1"]);
}

/// On the host of the event and another one.
fn command(from: u32, until: u32) -> Json {
    json!({"operationtype": "1", "esc_period": "0",
        "esc_step_from": from.to_string(), "esc_step_to": until.to_string(),
        "opcommand": {"scriptid": "4"}, "opcommand_hst": [{"hostid": "0"}, {"hostid": "7"}]})
}

#[test]
fn commands_are_steps_and_nobody_is_involved_by_them() {
    let all = json!({"operationtype": "11", "opmessage": {}});
    let to_all = json!({"operationtype": "12", "opmessage": {}});
    let mut play = Play::new(&[action(
        &json!([command(1, 2), to(1, 2, 2, &none())]),
        &json!({"recovery_operations": [command(0, 0), all], "update_operations": [command(0, 0), to_all]}),
    )]);
    play.problem(1);
    play.until(599);
    play.update(UpdateEntry {
        acknowledge: 5,
        event: EventId(1),
        author: UserId(2),
        authors: Vec::new(),
    });
    play.until(700);
    play.recovery(1, 2);
    assert_eq!(
        play.sent(),
        [
            "0 step 1 on 0",
            "0 step 1 on 7",
            "599 update 5 on 0",
            "599 update 5 on 7",
            "600 step 2 on 0",
            "600 step 2 on 7",
            "600 step 2 to 1",
            "700 recovery 2 on 0",
            "700 recovery 2 on 7",
            "700 recovery 2 to 1",
        ]
    );
}

#[test]
fn hosts_of_registrations_are_changed_at_once_and_in_order() {
    let registration = json!({"eventsource": "2"});
    let mut play = Play::new(&[action(
        &json!([{"operationtype": "2"}, {"operationtype": "4", "opgroup": [{"groupid": "2"}]},
            command(1, 1), {"operationtype": "9"}]),
        &registration,
    )]);
    play.problem(1);
    assert_eq!(play.world.of_hosts, ["1: add host, add to host group, disable host"]);
    assert_eq!(play.sent(), ["0 step 1 on 0", "0 step 1 on 7"]);
    assert!(play.running().is_empty());
}

#[test]
fn updates_go_to_all_involved_but_their_author() {
    let mut play = Play::new(&[action(
        &json!([to(1, 1, 1, &none()), to(2, 1, 1, &none())]),
        &json!({"update_operations": [{"operationtype": "12", "opmessage": {}}]}),
    )]);
    play.problem(1);
    play.commit();
    play.update(UpdateEntry {
        acknowledge: 5,
        event: EventId(1),
        author: UserId(2),
        authors: vec![UserId(3), UserId(2)],
    });
    assert_eq!(play.sent()[2..], ["0 update 5 to 3".to_owned(), "0 update 5 to 1".to_owned()]);
}

#[test]
fn disabled_action_is_canceled_and_recipients_are_notified() {
    let escalating = action(&json!([to(1, 1, 0, &none())]), &none());
    let mut play = Play::new(std::slice::from_ref(&escalating));
    play.problem(1);
    play.until(100);
    play.world.canceled = Some("host \"db1\" disabled.".to_owned());
    play.sweep();
    assert_eq!(play.sent()[1..], ["100 canceled host \"db1\" disabled. to 1".to_owned()]);
    assert!(play.running().is_empty());

    // No message was sent, or the notice is off.
    let quiet = action(&json!([to(1, 1, 0, &none())]), &json!({"notify_if_canceled": "0"}));
    let later = action(&json!([to(1, 2, 0, &none())]), &none());
    let mut play = Play::new(&[quiet, later]);
    play.problem(1);
    play.world.canceled = Some("x".to_owned());
    play.sweep();
    assert_eq!(play.sent(), ["0 step 1 to 1"]);
    assert!(play.running().is_empty());

    let mut play = Play::new(&[escalating]);
    play.problem(1);
    play.world.actions.clear();
    play.until(10_000);
    assert_eq!((play.sent().len(), play.running().len()), (1, 0));
}

#[test]
fn one_message_of_two_operations_goes_once() {
    let mut play =
        Play::new(&[action(&json!([to(1, 1, 1, &none()), to(1, 1, 1, &none())]), &none())]);
    play.problem(1);
    assert_eq!(play.sent(), ["0 step 1 to 1"]);
}

#[test]
fn macros_stand_for_periods_and_have_a_least_length() {
    let period = |it: &str| json!({ "esc_period": it });
    let mut play = Play::new(&[
        action(&json!([to(1, 1, 0, &period("{$STEP}"))]), &none()),
        action(&json!([to(2, 1, 2, &period("{$SHORT}"))]), &none()),
        action(&json!([to(3, 1, 2, &period("{$NOWHERE}"))]), &period("{$NOWHERE}")),
    ]);
    play.world.macros.insert("{$STEP}".to_owned(), 2_000);
    play.world.macros.insert("{$SHORT}".to_owned(), -5);
    play.problem(1);
    play.until(4_000);
    assert_eq!(
        play.sent()[3..],
        ["1 step 2 to 2", "2000 step 2 to 1", "3600 step 2 to 3", "4000 step 3 to 1"]
    );
}

#[test]
fn ten_thousand_cost_what_is_due() {
    let mut play = Play::new(&[action(&json!([to(1, 1, 0, &none())]), &none())]);
    for event in 1..=10_000 {
        play.problem(event);
    }
    play.clear();
    play.world.n_asked = 0;
    for second in 1..600 {
        play.at(second);
    }
    assert_eq!(play.world.n_asked, 0, "nothing is due, nothing is asked");
    play.at(600);
    assert_eq!((play.sent().len(), play.world.n_asked), (10_000, 10_000));
}

#[test]
fn saved_state_is_read_back() {
    let escalation = Escalation {
        step: 7,
        involved: vec![Involved { user: UserId(3), media_type: 4 }],
        ..Escalation::new(1, 2, EventId(3), 99)
    };
    let read = Escalation::read((1, 2, EventId(3)), 99, &escalation.body()).expect("as written");
    assert_eq!(read, escalation);
    assert!(Escalation::read((1, 2, EventId(3)), 99, "{").is_err());
}
