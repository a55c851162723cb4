//! Invariants of events, problems and messages: read from the API and from the receivers, and
//! judged without knowledge of the server's code.
//!
//! Problems and ends of a trigger alternate; each problem is linked to the end that follows it; one
//! without an end is open, and no other problem is. A problem with recipients has one message, and
//! its end has another one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::client::Client;
use super::sinks::Notice;
use crate::common::BenchError;

/// An event of a trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Event {
    pub(super) id: u64,
    pub(super) trigger: u64,
    pub(super) is_problem: bool,
    /// The event that ended it; 0 is none.
    pub(super) end: u64,
}

/// A problem that is open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Open {
    pub(super) id: u64,
    pub(super) trigger: u64,
    /// The problem that it is a symptom of; 0 is none.
    pub(super) cause: u64,
}

/// Events of a request.
const PER_REQUEST: u64 = 20_000;

/// All events of triggers, in order of their ids.
pub(super) fn events(client: &Client) -> Result<Vec<Event>, BenchError> {
    let newest =
        json!({"output": ["eventid"], "sortfield": "eventid", "sortorder": "DESC", "limit": 1});
    let newest = client.call("event.get", &newest)?;
    let (newest, mut first, mut events) = (number(&newest[0]["eventid"]), 1, Vec::new());
    while first <= newest {
        let till = first + PER_REQUEST - 1;
        let get = json!({"output": ["eventid", "objectid", "value", "r_eventid"], "source": 0,
            "object": 0, "eventid_from": first, "eventid_till": till, "sortfield": "eventid"});
        let rows = client.call("event.get", &get)?;
        events.extend(rows.as_array().into_iter().flatten().map(|it| Event {
            id: number(&it["eventid"]),
            trigger: number(&it["objectid"]),
            is_problem: it["value"] == "1",
            end: number(&it["r_eventid"]),
        }));
        first = till + 1;
    }
    Ok(events)
}

pub(super) fn open(client: &Client) -> Result<Vec<Open>, BenchError> {
    let get = json!({"output": ["eventid", "objectid", "cause_eventid"], "source": 0, "object": 0});
    let rows = client.call("problem.get", &get)?;
    let rows = rows.as_array().into_iter().flatten();
    let open = rows.map(|it| Open {
        id: number(&it["eventid"]),
        trigger: number(&it["objectid"]),
        cause: number(&it["cause_eventid"]),
    });
    Ok(open.collect())
}

pub(super) fn number(text: &Value) -> u64 {
    text.as_str().and_then(|it| it.parse().ok()).unwrap_or(0)
}

/// Faults of events and open problems.
pub(super) fn faults(events: &[Event], open: &[Open]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut of_triggers: BTreeMap<u64, Vec<&Event>> = BTreeMap::new();
    for event in events {
        of_triggers.entry(event.trigger).or_default().push(event);
    }
    let mut must_be_open = BTreeSet::new();
    for (trigger, events) in &of_triggers {
        for (at, event) in events.iter().enumerate() {
            let (id, next) = (event.id, events.get(at + 1));
            if event.is_problem != (at % 2 == 0) {
                faults.push(format!("trigger {trigger}: event {id} is like the one before it"));
                break;
            }
            let end = next.map_or(0, |it| it.id);
            if event.is_problem && event.end != end {
                faults.push(format!("problem {id} is ended by {}, not by {end}", event.end));
            }
            if event.is_problem && next.is_none() {
                must_be_open.insert(id);
            }
        }
    }
    let mut seen = BTreeSet::new();
    for problem in open {
        if !seen.insert(problem.id) {
            faults.push(format!("problem {} is listed twice", problem.id));
        } else if !must_be_open.remove(&problem.id) {
            faults.push(format!("problem {} is open, and has an end or no event", problem.id));
        }
    }
    faults.extend(must_be_open.iter().map(|it| format!("problem {it} has no end and is not open")));
    faults
}

/// Faults of the messages of an action that sends one at once: `must` selects the problems with a
/// message.
pub(super) fn message_faults(
    events: &[Event],
    notices: &[Notice],
    must: impl Fn(&Event) -> bool,
) -> Vec<String> {
    let mut counts: BTreeMap<Notice, usize> = BTreeMap::new();
    for notice in notices {
        *counts.entry(*notice).or_default() += 1;
    }
    let mut faults = Vec::new();
    for event in events.iter().filter(|it| it.is_problem) {
        let id = event.id;
        let mut taken = |is_end| counts.remove(&Notice { event: id, is_end }).unwrap_or(0);
        let (begins, ends) = (taken(false), taken(true));
        let begins_due = usize::from(must(event)).max(begins.min(1));
        // Recipients of the problem are notified of its end.
        let ends_due = if event.end == 0 { 0 } else { begins_due };
        for (what, n, due) in [("", begins, begins_due), ("the end of ", ends, ends_due)] {
            if n != due {
                faults.push(format!("{n} messages about {what}problem {id}, not {due}"));
            }
        }
    }
    faults.extend(counts.keys().map(|it| format!("a message about {it:?}, which there is not")));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(id: u64, trigger: u64, is_problem: bool, end: u64) -> Event {
        Event { id, trigger, is_problem, end }
    }

    fn open(id: u64) -> Open {
        Open { id, trigger: 7, cause: 0 }
    }

    #[test]
    fn problems_and_ends_that_alternate_are_right() {
        let events = [event(1, 7, true, 3), event(2, 8, true, 0), event(3, 7, false, 0)];
        assert_eq!(faults(&events, &[open(2)]), Vec::<String>::new());
    }

    #[test]
    fn stuck_lost_and_double_problems_are_faults() {
        let begins = event(1, 7, true, 3);
        let ended = [begins, event(3, 7, false, 0)];
        assert_eq!(faults(&ended, &[open(1)]), ["problem 1 is open, and has an end or no event"]);
        let running = [event(1, 7, true, 0)];
        assert_eq!(faults(&running, &[]), ["problem 1 has no end and is not open"]);
        assert_eq!(faults(&running, &[open(1), open(1)]), ["problem 1 is listed twice"]);
        let unlinked = [event(1, 7, true, 0), event(3, 7, false, 0)];
        assert_eq!(faults(&unlinked, &[]), ["problem 1 is ended by 0, not by 3"]);
        let double = [event(1, 7, true, 2), event(2, 7, true, 0)];
        assert_eq!(faults(&double, &[])[0], "trigger 7: event 2 is like the one before it");
        let alone = [event(3, 7, false, 0)];
        assert_eq!(faults(&alone, &[])[0], "trigger 7: event 3 is like the one before it");
    }

    #[test]
    fn missing_double_and_unknown_messages_are_faults() {
        let events = [event(1, 7, true, 3), event(3, 7, false, 0)];
        let notice = |event, is_end| Notice { event, is_end };
        let both = [notice(1, false), notice(1, true)];
        let none: [String; 0] = [];
        assert_eq!(message_faults(&events, &both, |_| true), none);
        assert_eq!(message_faults(&events, &[], |_| false), none);
        let missing = "0 messages about the end of problem 1, not 1";
        assert_eq!(message_faults(&events, &both[..1], |_| true), [missing]);
        assert_eq!(message_faults(&events, &both[..1], |_| false), [missing]);
        assert_eq!(message_faults(&events, &[], |_| true).len(), 2);
        let twice = [both[0], both[0], both[1]];
        assert_eq!(
            message_faults(&events, &twice, |_| true),
            ["2 messages about problem 1, not 1"]
        );
        assert_eq!(message_faults(&events, &[notice(9, false)], |_| false).len(), 1);
    }
}
