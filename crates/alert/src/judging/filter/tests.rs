use std::collections::BTreeSet;

use model::content::{Severity, Tag};
use proptest::prelude::*;

use super::*;
use crate::EventSource;
use crate::judging::{
    AutoregistrationFacts, ConditionOperator, DiscoveryFacts, EventFacts, InternalKind,
};

/// An event by its facts.
struct Said {
    event: EventFacts,
    /// The objects that exist, and whether the event is linked with them.
    links: Vec<(ObjectLink, u64, bool)>,
    hour_is_within: bool,
}

impl ConditionFacts for Said {
    fn event(&self) -> &EventFacts {
        &self.event
    }

    fn is_linked(&self, link: ObjectLink, id: u64) -> Option<bool> {
        self.links.iter().find(|it| it.0 == link && it.1 == id).map(|it| it.2)
    }

    fn is_within(&self, period: &str) -> Option<bool> {
        (period != "?").then_some(self.hour_is_within)
    }
}

fn tag(tag: &str, value: &str) -> Tag {
    Tag { tag: tag.to_owned(), value: value.to_owned() }
}

fn event(source: EventSource) -> Said {
    let mut event = EventFacts::new(source);
    event.name = "CPU load is high on db1".to_owned();
    event.severity = Severity::Average;
    event.tags = vec![tag("service", "mysql"), tag("service", "web"), tag("team", "")];
    match source {
        EventSource::Trigger => {}
        EventSource::Discovery => {
            event.discovery = Some(DiscoveryFacts {
                object: 2,
                status: 2,
                addresses: vec!["192.0.2.10".parse().expect("an address")],
                lasts_s: 600,
                service_types: vec![9],
                ports: vec![10_050],
                values: vec!["Linux db1".to_owned()],
            });
        }
        EventSource::Autoregistration => {
            event.autoregistration = Some(AutoregistrationFacts {
                host: "db1.example.com".to_owned(),
                metadata: "Linux 6.1".to_owned(),
            });
        }
        EventSource::Internal => event.internal = Some(InternalKind::ItemNotSupported),
        EventSource::Service => event.service = Some("Shop".to_owned()),
    }
    let all = [
        ObjectLink::HostGroup,
        ObjectLink::Host,
        ObjectLink::Trigger,
        ObjectLink::Template,
        ObjectLink::Proxy,
        ObjectLink::DiscoveryRule,
        ObjectLink::DiscoveryCheck,
        ObjectLink::Service,
    ];
    let links = all.into_iter().flat_map(|it| [(it, 1, true), (it, 2, false)]).collect();
    Said { event, links, hour_is_within: true }
}

fn condition(kind: u8, operator: u8, value: &str, of: &str) -> Result<Condition, String> {
    let kind = ConditionKind::from_code(kind).expect("a kind");
    let operator = ConditionOperator::from_code(operator).expect("an operator");
    Condition::new(kind, operator, (value, of), &[])
}

/// Letters, condition type, operator, value.
type Given = &'static [(&'static str, u8, u8, &'static str)];

fn filter(evaltype: EvalType, formula: &str, list: &[(&str, u8, u8, &str)]) -> ActionFilter {
    let conditions = list.iter().map(|(letters, kind, operator, value)| {
        ((*letters).to_owned(), condition(*kind, *operator, value, "service"))
    });
    ActionFilter::new(evaltype, formula, conditions.collect())
}

/// Source, condition type, operator, value, second value, whether it is met.
type Case = (EventSource, u8, u8, &'static str, &'static str, bool);

const CASES: &[Case] = {
    use EventSource::{Autoregistration, Discovery, Internal, Service, Trigger};
    &[
        (Trigger, 0, 0, "1", "", true),
        (Trigger, 0, 0, "2", "", false),
        (Trigger, 0, 1, "1", "", false),
        (Trigger, 0, 1, "2", "", true),
        (Trigger, 1, 0, "1", "", true),
        (Trigger, 1, 1, "2", "", true),
        (Trigger, 2, 0, "1", "", true),
        (Trigger, 2, 1, "1", "", false),
        (Trigger, 3, 2, "load is", "", true),
        (Trigger, 3, 2, "Load is", "", false),
        (Trigger, 3, 3, "disk", "", true),
        (Trigger, 4, 0, "3", "", true),
        (Trigger, 4, 1, "3", "", false),
        (Trigger, 4, 5, "3", "", true),
        (Trigger, 4, 5, "4", "", false),
        (Trigger, 4, 6, "3", "", true),
        (Trigger, 4, 6, "2", "", false),
        (Trigger, 6, 4, "1-7,00:00-24:00", "", true),
        (Trigger, 6, 7, "1-7,00:00-24:00", "", false),
        // A malformed period has neither an inside nor an outside.
        (Trigger, 6, 4, "?", "", false),
        (Trigger, 6, 7, "?", "", false),
        (Trigger, 13, 0, "1", "", true),
        (Trigger, 13, 1, "1", "", false),
        (Trigger, 16, 10, "", "", false),
        (Trigger, 16, 11, "", "", true),
        (Trigger, 25, 0, "service", "", true),
        (Trigger, 25, 0, "serv", "", false),
        (Trigger, 25, 1, "service", "", false),
        (Trigger, 25, 1, "rack", "", true),
        (Trigger, 25, 2, "serv", "", true),
        (Trigger, 25, 3, "serv", "", false),
        (Trigger, 26, 0, "mysql", "service", true),
        (Trigger, 26, 0, "mysql", "team", false),
        (Trigger, 26, 0, "", "team", true),
        // One of two values of a tag is enough, and enough for its negation to fail.
        (Trigger, 26, 1, "mysql", "service", false),
        (Trigger, 26, 1, "oracle", "service", true),
        (Trigger, 26, 1, "mysql", "rack", true),
        (Trigger, 26, 2, "sql", "service", true),
        (Trigger, 26, 3, "sql", "service", false),
        (Discovery, 7, 0, "192.0.2.1-20", "", true),
        (Discovery, 7, 1, "192.0.2.0/24", "", false),
        (Discovery, 7, 1, "198.51.100.1", "", true),
        (Discovery, 8, 0, "9", "", true),
        (Discovery, 8, 1, "9", "", false),
        (Discovery, 9, 0, "10000-10100", "", true),
        (Discovery, 9, 1, "22", "", true),
        (Discovery, 10, 0, "2", "", true),
        (Discovery, 10, 0, "0", "", false),
        (Discovery, 11, 5, "600", "", true),
        (Discovery, 11, 5, "601", "", false),
        (Discovery, 11, 6, "600", "", true),
        (Discovery, 12, 0, "Linux db1", "", true),
        (Discovery, 12, 2, "Linux", "", true),
        (Discovery, 12, 3, "Linux", "", false),
        (Discovery, 12, 1, "Linux", "", true),
        (Discovery, 12, 5, "Linux", "", true),
        (Discovery, 12, 6, "Linux", "", false),
        (Discovery, 18, 0, "1", "", true),
        (Discovery, 19, 0, "2", "", false),
        (Discovery, 20, 1, "1", "", false),
        (Discovery, 21, 0, "2", "", true),
        (Discovery, 21, 0, "1", "", false),
        (Autoregistration, 20, 0, "1", "", true),
        (Autoregistration, 22, 2, "example", "", true),
        (Autoregistration, 22, 3, "example", "", false),
        (Autoregistration, 22, 8, "^db[0-9]+\\.", "", true),
        (Autoregistration, 22, 9, "^db[0-9]+\\.", "", false),
        (Autoregistration, 24, 8, "^Windows", "", false),
        (Autoregistration, 24, 2, "Linux", "", true),
        (Internal, 0, 0, "1", "", true),
        (Internal, 13, 0, "2", "", false),
        (Internal, 23, 0, "0", "", true),
        (Internal, 23, 0, "4", "", false),
        (Internal, 26, 2, "sql", "service", true),
        (Service, 27, 0, "1", "", true),
        (Service, 27, 1, "1", "", false),
        (Service, 28, 2, "Sho", "", true),
        (Service, 28, 3, "Sho", "", false),
        (Service, 25, 0, "team", "", true),
    ]
};

#[test]
fn device_meets_no_condition_on_services() {
    let mut device = event(EventSource::Discovery);
    if let Some(of) = &mut device.event.discovery {
        of.object = 1;
        (of.service_types, of.ports, of.values) = (Vec::new(), Vec::new(), Vec::new());
    }
    for (kind, operator, value, expected) in [
        (8, 0, "9", false),
        (8, 1, "9", false),
        (9, 1, "22", false),
        (12, 3, "Linux", false),
        (19, 0, "1", false),
        (19, 1, "2", false),
        (18, 0, "1", true),
        (18, 1, "2", true),
        (7, 0, "192.0.2.10", true),
        (21, 0, "1", true),
    ] {
        let condition = condition(kind, operator, value, "").expect("readable");
        let filter = ActionFilter::new(EvalType::And, "", vec![(String::new(), Ok(condition))]);
        assert_eq!(filter.judge(&device).is_met, expected, "{kind} {operator} {value}");
    }
}

#[test]
fn each_condition_of_each_source_is_met_as_in_zabbix() {
    let mut seen = BTreeSet::new();
    for (source, kind, operator, value, value2, expected) in CASES {
        let of = ConditionKind::from_code(*kind).expect("a kind");
        assert!(ConditionKind::all_of(*source).any(|it| it == of), "{source:?} has {kind}");
        seen.insert((source.code(), *kind));
        let condition = condition(*kind, *operator, value, value2).expect("readable");
        let filter = ActionFilter::new(EvalType::And, "", vec![(String::new(), Ok(condition))]);
        let verdict = filter.judge(&event(*source));
        assert_eq!(verdict.fault, None);
        assert_eq!(verdict.is_met, *expected, "{source:?} {kind} {operator} {value} {value2}");
    }
    let all: BTreeSet<(u8, u8)> = EventSource::ALL
        .into_iter()
        .flat_map(|it| ConditionKind::all_of(it).map(move |kind| (it.code(), kind.code())))
        .collect();
    let unseen: Vec<_> = all.difference(&seen).collect();
    // Host, host group, template and tags are asked alike in each source that has them.
    assert_eq!(unseen, [&(3, 1), &(3, 25), &(4, 26)]);
}

#[test]
fn conditions_are_joined_by_kind_or_as_the_formula_says() {
    let list =
        &[("A", 26, 0, "mysql"), ("B", 26, 0, "oracle"), ("C", 4, 5, "4"), ("D", 3, 2, "CPU")];
    let judged = |evaltype, formula| {
        let verdict = filter(evaltype, formula, list).judge(&event(EventSource::Trigger));
        assert_eq!(verdict.fault, None);
        verdict.is_met
    };
    assert!(!judged(EvalType::AndOr, ""));
    assert!(!judged(EvalType::And, ""));
    assert!(judged(EvalType::Or, ""));
    assert!(judged(EvalType::Custom, "A and not B and not C and D"));
    assert!(!judged(EvalType::Custom, "(A or B) and C and D"));
    let three = &list[..2].iter().chain(&list[3..]).copied().collect::<Vec<_>>();
    assert!(filter(EvalType::AndOr, "", three).judge(&event(EventSource::Trigger)).is_met);
    assert!(filter(EvalType::AndOr, "", &[]).judge(&event(EventSource::Trigger)).is_met);
}

#[test]
fn the_formula_of_and_or_groups_by_kind() {
    use ConditionKind::{Host, Tag, TagValue};
    let text = |evaltype: EvalType, kinds: &[ConditionKind]| {
        let formula = evaltype.formula(kinds)?;
        let named = formula.map(&|at: &usize| Ok::<_, ()>(letter(*at))).expect("named");
        Some(named.to_string())
    };
    assert_eq!(text(EvalType::AndOr, &[]), None);
    assert_eq!(text(EvalType::AndOr, &[Tag]).as_deref(), Some("A"));
    assert_eq!(
        text(EvalType::AndOr, &[Tag, Host, Tag, TagValue]).as_deref(),
        Some("(A or C) and B and D")
    );
    assert_eq!(text(EvalType::AndOr, &[Tag, Tag]).as_deref(), Some("A or B"));
    assert_eq!(text(EvalType::And, &[Tag, Tag]).as_deref(), Some("A and B"));
    assert_eq!(text(EvalType::Or, &[Tag, Host]).as_deref(), Some("A or B"));
}

#[test]
fn verdict_has_the_values_of_each_condition() {
    let list = &[("A", 26, 2, "sql"), ("B", 4, 5, "4")];
    let verdict = filter(EvalType::And, "", list).judge(&event(EventSource::Trigger));
    let result = |is_met, value: &str| ConditionResult { is_met, value: value.to_owned() };
    assert_eq!(
        verdict.conditions,
        [("A".to_owned(), result(true, "mysql, web")), ("B".to_owned(), result(false, "3"))]
    );
    assert!(!verdict.is_met);
}

#[test]
fn faults_match_no_event_and_have_a_reason() {
    let cases: &[(EvalType, &str, Given, &str)] = &[
        (
            EvalType::Custom,
            "A and",
            &[("A", 4, 5, "0")],
            "the formula of its conditions is wrong: check expression starting from \"\"",
        ),
        (
            EvalType::Custom,
            "A or B",
            &[("A", 4, 5, "0")],
            "its formula names condition B, which does not exist",
        ),
        (
            EvalType::Or,
            "",
            &[("", 4, 5, "0"), ("", 1, 0, "77")],
            "condition B: there is no host with id 77 any more",
        ),
        // Not even the negation passes.
        (
            EvalType::And,
            "",
            &[("", 0, 1, "77")],
            "condition A: there is no host group with id 77 any more",
        ),
        (EvalType::Or, "", &[("", 4, 5, "x")], "condition A: \"x\" is no number"),
        (
            EvalType::Or,
            "",
            &[("", 4, 2, "1")],
            "condition A: a condition on severity has no such operator",
        ),
    ];
    for (evaltype, formula, list, fault) in cases {
        let verdict = filter(*evaltype, formula, list).judge(&event(EventSource::Trigger));
        assert!(!verdict.is_met);
        assert_eq!(verdict.fault.map(|it| it.to_string()).as_deref(), Some(*fault));
    }
    let pattern = condition(22, 8, "(", "").expect_err("no pattern");
    assert!(pattern.contains("invalid regular expression"), "{pattern}");
    let global = condition(24, 8, "@nowhere", "").expect_err("no such expression");
    assert!(global.contains("does not exist"), "{global}");
}

proptest! {
    /// And/Or follows from the sets of met and unmet kinds, in any order.
    #[test]
    fn and_or_needs_each_kind_once(
        mut list in prop::collection::vec((0_u8..3, any::<bool>()), 0..8), seed in any::<u64>(),
    ) {
        let make = |list: &[(u8, bool)]| {
            let of = |(kind, is_met): &(u8, bool)| match (kind, is_met) {
                (0, true) => ("", 4, 0, "3"),
                (0, false) => ("", 4, 0, "1"),
                (1, true) => ("", 25, 0, "service"),
                (1, false) => ("", 25, 0, "x"),
                (_, true) => ("", 26, 0, "mysql"),
                (_, false) => ("", 26, 0, "x"),
            };
            filter(EvalType::AndOr, "", &list.iter().map(of).collect::<Vec<_>>())
        };
        let expected = (0..3_u8).all(|kind| {
            let same: Vec<bool> =
                list.iter().filter(|it| it.0 == kind).map(|it| it.1).collect();
            same.is_empty() || same.contains(&true)
        });
        let said = event(EventSource::Trigger);
        prop_assert_eq!(make(&list).judge(&said).is_met, expected);
        if !list.is_empty() {
            let by = usize::try_from(seed % 8).unwrap_or(0) % list.len();
            list.rotate_left(by);
        }
        prop_assert_eq!(make(&list).judge(&said).is_met, expected);
    }
}
