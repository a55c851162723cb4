//! The problems that `problem.get` finds by random filters, compared with a scan of all problems, while
//! problems, hosts, groups and permissions change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use db::Problem;
use db::events::{EventRow, object, source};
use model::content::{Severity, Tag};
use model::{EventId, HostId, Time, UserId};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};

use crate::fake::{Server, Session};
use crate::live::id;

const HOSTS: usize = 4;

#[derive(Clone, Debug)]
enum Step {
    /// This number of problems of a trigger.
    Problems {
        trigger: usize,
        n: usize,
        severity: i64,
        tag: usize,
    },
    /// Ends some of the open ones.
    Recover {
        which: usize,
        n: usize,
    },
    Acknowledge {
        which: usize,
        n: usize,
        action: u32,
        severity: u8,
        until: i64,
    },
    /// Moves a host to other groups.
    Move {
        host: usize,
        groups: usize,
    },
    /// The permission of the reader on a group.
    Rights {
        permissions: Vec<usize>,
        /// Groups with conditions of tags.
        filters: Vec<(usize, usize)>,
    },
    DeleteTrigger {
        trigger: usize,
    },
    Ask(Ask),
}

#[derive(Clone, Debug)]
struct Ask {
    is_admin: bool,
    hosts: Option<Vec<usize>>,
    groups: Option<Vec<usize>>,
    triggers: Option<Vec<usize>>,
    severities: Option<Vec<i64>>,
    acknowledged: Option<bool>,
    suppressed: Option<bool>,
    action: Option<u32>,
    recent: bool,
    tag: Option<(usize, u8)>,
    ids: (Option<u64>, Option<u64>),
    times: (Option<i64>, Option<i64>),
    order: Option<bool>,
    limit: Option<usize>,
}

fn asks() -> impl Strategy<Value = Ask> {
    let some = |n: usize| prop::option::weighted(0.3, prop::collection::vec(0..n, 0..3));
    let edge = || prop::option::weighted(0.15, 0_u64..3_000);
    (
        (
            any::<bool>(),
            some(HOSTS),
            some(3),
            prop::option::weighted(0.15, prop::collection::vec(0..6_usize, 1..3)),
        ),
        (
            prop::option::weighted(0.3, prop::collection::btree_set(0_i64..6, 1..4)),
            prop::option::weighted(0.3, any::<bool>()),
            prop::option::weighted(0.3, any::<bool>()),
            prop::option::weighted(0.1, prop_oneof![Just(2_u32), Just(8), Just(40)]),
            prop::bool::weighted(0.4),
        ),
        (
            prop::option::weighted(0.3, (0..4_usize, 0_u8..6)),
            (edge(), edge()),
            (prop::option::weighted(0.15, 0_i64..900), prop::option::weighted(0.15, 0_i64..900)),
            prop::option::of(any::<bool>()),
            prop::option::weighted(0.3, 1_usize..700),
        ),
    )
        .prop_map(
            |(
                (is_admin, hosts, groups, triggers),
                (severities, acknowledged, suppressed, action, recent),
                (tag, ids, times, order, limit),
            )| Ask {
                is_admin,
                hosts,
                groups,
                triggers,
                severities: severities.map(|it| it.into_iter().collect()),
                acknowledged,
                suppressed,
                action,
                recent,
                tag,
                ids,
                times,
                order,
                limit,
            },
        )
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_usize..6, 1_usize..400, 0_i64..6, 0_usize..4)
            .prop_map(|(trigger, n, severity, tag)| Step::Problems { trigger, n, severity, tag }),
        2 => (0_usize..4_000, 1_usize..200).prop_map(|(which, n)| Step::Recover { which, n }),
        3 => (0_usize..4_000, 1_usize..60, prop_oneof![Just(2_u32), Just(8), Just(16), Just(32), Just(64)], 0_u8..6, 0_i64..3)
            .prop_map(|(which, n, action, severity, until)| Step::Acknowledge { which, n, action, severity, until }),
        2 => (0..HOSTS, 1_usize..8).prop_map(|(host, groups)| Step::Move { host, groups }),
        2 => (prop::collection::vec(0_usize..4, 3), prop::collection::vec((0_usize..3, 0..FILTERS.len()), 0..3))
            .prop_map(|(permissions, filters)| Step::Rights { permissions, filters }),
        1 => (0_usize..6).prop_map(|trigger| Step::DeleteTrigger { trigger }),
        14 => asks().prop_map(Step::Ask),
    ];
    prop::collection::vec(step, 10..40)
}

/// The expected state of the server.
struct World<'a> {
    server: &'a Server,
    admin: &'a Session<'a>,
    reader: &'a Session<'a>,
    usergroup: String,
    groups: Vec<String>,
    hosts: Vec<String>,
    /// By place: the hosts by their places.
    triggers: Vec<(String, Vec<usize>)>,
    deleted: BTreeSet<usize>,
    /// By host: the places of its groups.
    members: Vec<BTreeSet<usize>>,
    /// By group; 1 is denied.
    permissions: Vec<usize>,
    /// Tag filters: places of groups and of conditions.
    filters: Vec<(usize, usize)>,
    /// Triggers of problems.
    of: BTreeMap<EventId, usize>,
    next_event: u64,
    start: Time,
}

/// Conditions of tag filters.
const FILTERS: [(&str, &str); 4] = [("", ""), ("scope", ""), ("scope", "net"), ("os", "linux")];

const TAGS: [&[(&str, &str)]; 4] =
    [&[], &[("scope", "Disk")], &[("scope", "net"), ("os", "Linux")], &[("os", "linux")]];

impl World<'_> {
    fn open(&self, which: usize, n: usize) -> Vec<EventId> {
        let all = self.server.db.events().problems();
        let open: Vec<EventId> =
            all.iter().filter(|it| it.is_open()).map(|it| it.eventid()).collect();
        let skip = which % open.len().max(1);
        open.into_iter().skip(skip).step_by(3).take(n).collect()
    }

    fn event(&mut self, trigger: usize) -> EventRow {
        self.next_event += 1;
        let (triggerid, hosts) = &self.triggers[trigger];
        EventRow {
            eventid: EventId(self.next_event),
            source: source::TRIGGER,
            object: object::TRIGGER,
            objectid: id(triggerid),
            time: self.start.plus_secs(-900 + (self.next_event / 5).cast_signed() % 900),
            value: 1,
            severity: Severity::Average,
            name: "k is high".to_owned(),
            opdata: String::new(),
            tags: Vec::new(),
            hosts: hosts.iter().map(|it| HostId(id(&self.hosts[*it]))).collect(),
            recovers: Vec::new(),
            userid: UserId::NONE,
        }
    }

    fn apply(&self, events: Vec<EventRow>) {
        self.server.db.events().apply(events, 1).unwrap();
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Problems { trigger, n, severity, tag } => {
                let mut events = Vec::new();
                for _ in 0..n {
                    let mut event = self.event(trigger);
                    event.severity = Severity::from_code(severity).unwrap();
                    let tags = TAGS[tag].iter();
                    event.tags = tags
                        .map(|(tag, value)| Tag {
                            tag: (*tag).to_owned(),
                            value: (*value).to_owned(),
                        })
                        .collect();
                    self.of.insert(event.eventid, trigger);
                    events.push(event);
                }
                self.apply(events);
            }
            Step::Recover { which, n } => {
                let recovers = self.open(which, n);
                // Some of them too long ago to be recent.
                let mut event = self.event(0);
                let ago = if n % 2 == 0 { -10_000 } else { -5 };
                event.time = self.start.plus_secs(ago);
                (event.value, event.recovers) = (0, recovers);
                self.apply(vec![event]);
            }
            Step::Acknowledge { which, n, action, severity, until } => {
                let until = [0, self.start.clock() - 60, self.start.clock() + 86_400]
                    [usize::try_from(until).unwrap()];
                let request = db::Acknowledgement {
                    eventids: self.open(which, n),
                    userid: UserId(1),
                    action,
                    severity: Some(severity),
                    suppress_until: until,
                    ..db::Acknowledgement::default()
                };
                self.server.db.events().acknowledge(&request, self.start).unwrap();
            }
            Step::Move { host, groups } => {
                self.members[host] = (0..3).filter(|it| groups >> it & 1 == 1).collect();
                let groups: Vec<Value> = self.members[host]
                    .iter()
                    .map(|it| json!({"groupid": self.groups[*it]}))
                    .collect();
                self.admin
                    .call("host.update", json!({"hostid": self.hosts[host], "groups": groups}));
            }
            Step::Rights { permissions, filters } => {
                let rights: Vec<Value> = permissions
                    .iter()
                    .zip(&self.groups)
                    .filter(|(it, _)| **it != 0)
                    .map(|(it, group)| {
                        let permission = [0, 0, 2, 3][*it];
                        json!({"id": group, "permission": permission})
                    })
                    .collect();
                let different: BTreeSet<_> = filters.iter().collect();
                let given: Vec<Value> = different
                    .into_iter()
                    .map(|(group, which)| {
                        let (tag, value) = FILTERS[*which];
                        json!({"groupid": self.groups[*group], "tag": tag, "value": value})
                    })
                    .collect();
                let update = json!({"usrgrpid": self.usergroup, "hostgroup_rights": rights,
                    "tag_filters": given});
                self.admin.call("usergroup.update", update);
                (self.permissions, self.filters) = (permissions, filters);
            }
            Step::DeleteTrigger { trigger } => {
                // The others go on.
                if self.deleted.len() < 2 && self.deleted.insert(trigger) {
                    self.admin.call("trigger.delete", json!([self.triggers[trigger].0]));
                }
            }
            Step::Ask(ask) => self.ask(&ask),
        }
    }

    fn may_read(&self, host: usize) -> bool {
        let rights: Vec<usize> = self.members[host]
            .iter()
            .map(|it| self.permissions[*it])
            .filter(|it| *it != 0)
            .collect();
        !rights.is_empty() && !rights.contains(&1)
    }

    /// Whether tag filters let the reader see a problem of hosts.
    fn passes(&self, hosts: &[usize], tags: &[Tag]) -> bool {
        self.filters.is_empty()
            || self.filters.iter().any(|(group, which)| {
                let (name, wanted) = FILTERS[*which];
                hosts.iter().any(|it| self.members[*it].contains(group))
                    && (name.is_empty()
                        || tags.iter().any(|Tag { tag, value }| {
                            tag == name && (wanted.is_empty() || value == wanted)
                        }))
            })
    }

    fn admits(&self, ask: &Ask, problem: &Arc<Problem>) -> bool {
        let event = &problem.event;
        let trigger = self.of[&event.eventid];
        let hosts = &self.triggers[trigger].1;
        let now = self.server.now();
        let in_groups = |wanted: &Vec<usize>| {
            hosts.iter().any(|it| wanted.iter().any(|group| self.members[*it].contains(group)))
        };
        let tag = |(which, operator): &(usize, u8)| {
            let (tag, value) = condition(*which);
            let values: Vec<&str> =
                event.tags.iter().filter(|it| it.tag == tag).map(|it| &*it.value).collect();
            let lower = value.to_lowercase();
            match operator {
                0 => values.iter().any(|it| it.to_lowercase().contains(&lower)),
                1 => values.contains(&value),
                2 => !values.iter().any(|it| it.to_lowercase().contains(&lower)),
                3 => !values.contains(&value),
                4 => !values.is_empty(),
                _ => values.is_empty(),
            }
        };
        let clock = event.time.clock() - self.start.clock() + 900;
        !self.deleted.contains(&trigger)
            && (problem.is_open() || ask.recent && now.clock() - 300 < problem.r_time.clock())
            && (ask.is_admin
                || hosts.iter().all(|it| self.may_read(*it)) && self.passes(hosts, &event.tags))
            && ask.hosts.as_ref().is_none_or(|it| hosts.iter().any(|host| it.contains(host)))
            && ask.groups.as_ref().is_none_or(in_groups)
            && ask.triggers.as_ref().is_none_or(|it| it.contains(&trigger))
            && ask.severities.as_ref().is_none_or(|it| it.contains(&problem.severity.code().into()))
            && ask.acknowledged.is_none_or(|it| it == problem.acknowledged)
            && ask.suppressed.is_none_or(|it| it == problem.is_suppressed(now))
            && ask.action.is_none_or(|it| problem.acknowledges.iter().any(|a| a.action & it == it))
            && ask.tag.as_ref().is_none_or(tag)
            && ask.ids.0.is_none_or(|it| it <= event.eventid.0)
            && ask.ids.1.is_none_or(|it| event.eventid.0 <= it)
            && ask.times.0.is_none_or(|it| it <= clock)
            && ask.times.1.is_none_or(|it| clock <= it)
    }

    fn ask(&self, ask: &Ask) {
        let all = self.server.db.events().problems();
        let mut expected: Vec<String> = all
            .iter()
            .filter(|it| self.admits(ask, it))
            .map(|it| it.eventid().to_string())
            .collect();
        let session = if ask.is_admin { self.admin } else { self.reader };
        let at = |clock: i64| clock - 900 + self.start.clock();
        let chosen = |list: &Vec<usize>, all: &[String]| -> Vec<String> {
            list.iter().map(|it| all[*it].clone()).collect()
        };
        let triggers: Vec<String> = self.triggers.iter().map(|it| it.0.clone()).collect();
        let params = json!({
            "output": ["eventid"],
            "hostids": ask.hosts.as_ref().map(|it| chosen(it, &self.hosts)),
            "groupids": ask.groups.as_ref().map(|it| chosen(it, &self.groups)),
            "objectids": ask.triggers.as_ref().map(|it| chosen(it, &triggers)),
            "severities": ask.severities,
            "acknowledged": ask.acknowledged,
            "suppressed": ask.suppressed,
            "action": ask.action,
            "recent": ask.recent,
            "tags": ask.tag.as_ref().map(|(which, operator)| {
                let (tag, value) = condition(*which);
                json!([{"tag": tag, "value": value, "operator": operator}])
            }),
            "eventid_from": ask.ids.0,
            "eventid_till": ask.ids.1,
            "time_from": ask.times.0.map(at),
            "time_till": ask.times.1.map(at),
        });
        let mut count = params.clone();
        count["countOutput"] = json!(true);
        assert_eq!(session.call("problem.get", count), expected.len().to_string(), "{params}");
        let mut list = params;
        if let Some(falls) = ask.order {
            list["sortfield"] = json!("eventid");
            list["sortorder"] = json!(if falls { "DESC" } else { "ASC" });
            if falls {
                expected.reverse();
            }
        }
        if let Some(limit) = ask.limit {
            list["limit"] = json!(limit);
            expected.truncate(limit);
        }
        let found = session.call("problem.get", list.clone());
        let found: Vec<&str> =
            found.as_array().unwrap().iter().map(|it| it["eventid"].as_str().unwrap()).collect();
        assert_eq!(found, expected, "{list}");
    }
}

fn condition(which: usize) -> (&'static str, &'static str) {
    [("scope", "disk"), ("scope", "Disk"), ("os", "Lin"), ("os", "linux")][which]
}

fn run(steps: Vec<Step>) {
    let server = Server::start();
    let admin = server.login();
    let groups: Vec<String> = (0..3)
        .map(|it| admin.create("hostgroup.create", json!({"name": format!("g{it}")})))
        .collect();
    let names: Vec<String> = (0..HOSTS).map(|it| format!("h{it}")).collect();
    let hosts: Vec<String> = names
        .iter()
        .map(|name| {
            let host = json!({"host": name, "groups": [{"groupid": groups[0]}]});
            let host = admin.create("host.create", host);
            admin.trapper(&host, "k");
            host
        })
        .collect();
    let trigger = |name: &str, expression: String| {
        admin.create("trigger.create", json!({"description": name, "expression": expression}))
    };
    let mut triggers: Vec<(String, Vec<usize>)> = names
        .iter()
        .enumerate()
        .map(|(at, it)| (trigger("one", format!("last(/{it}/k)>5")), vec![at]))
        .collect();
    for (one, other) in [(0, 1), (2, 3)] {
        let expression = format!("last(/h{one}/k)>5 and last(/h{other}/k)>5");
        triggers.push((trigger("two", expression), vec![one, other]));
    }
    let usergroup = admin.create("usergroup.create", json!({"name": "readers"}));
    let user = json!({"username": "reader", "passwd": "long-enough-9", "roleid": "1",
        "usrgrps": [{"usrgrpid": usergroup}]});
    admin.create("user.create", user);
    let reader = server.login_as("reader", "long-enough-9");
    let mut world = World {
        server: &server,
        admin: &admin,
        reader: &reader,
        usergroup,
        groups,
        hosts,
        triggers,
        deleted: BTreeSet::new(),
        members: vec![BTreeSet::from([0]); HOSTS],
        permissions: vec![0; 3],
        filters: Vec::new(),
        of: BTreeMap::new(),
        next_event: 0,
        start: server.now(),
    };
    for step in steps {
        world.step(step);
    }
}

#[test]
fn problems_found_by_index_equal_a_full_scan() {
    let config = Config { cases: 12, failure_persistence: None, ..Config::default() };
    let checked = TestRunner::new(config).run(&steps(), |steps| {
        run(steps);
        Ok(())
    });
    checked.unwrap();
}
