//! Events that rules close, by hand and against a scan of all problems.

use proptest::prelude::*;

use super::*;

#[derive(Debug)]
struct Old(Vec<Tag>);

impl Tagged for Old {
    fn tags(&self) -> &[Tag] {
        &self.0
    }
}

fn tags(pairs: &[(&str, &str)]) -> Vec<Tag> {
    pairs.iter().map(|(tag, value)| Tag { tag: (*tag).into(), value: (*value).into() }).collect()
}

fn all(
    conditions: Vec<CorrelationCondition>,
    (closes_old, closes_new): (bool, bool),
) -> CorrelationRule {
    let formula = Formula::And((0..conditions.len()).map(Formula::Condition).collect());
    CorrelationRule { id: 7, conditions, formula, closes_old, closes_new }
}

fn pair() -> CorrelationCondition {
    CorrelationCondition::Pair { old: "link".into(), new: "link".into() }
}

/// Opens a problem and judges it; returns the events that it closes.
fn open(of: &mut Correlator<Old>, id: u64, pairs: &[(&str, &str)]) -> Vec<u64> {
    let tags = tags(pairs);
    of.put(EventId(id), Arc::new(Old(tags.clone())));
    let groups = BTreeSet::from([4]);
    let closes = of.judge(&NewProblem { id: EventId(id), tags: &tags, groups: &groups });
    assert!(closes.iter().all(|it| (it.rule, it.by) == (7, EventId(id))));
    closes.iter().map(|it| it.problem.0).collect()
}

#[test]
fn a_new_problem_closes_old_ones_with_the_same_value_and_itself_once() {
    let mut of = Correlator::new(vec![all(vec![pair()], (true, true))]);
    assert_eq!(open(&mut of, 1, &[("link", "a")]), [0; 0]);
    assert_eq!(open(&mut of, 2, &[("link", "b")]), [0; 0]);
    assert_eq!(open(&mut of, 3, &[("link", "a"), ("link", "b")]), [3, 1, 2]);
    // All are closed: nothing is left to be closed again.
    assert_eq!(open(&mut of, 4, &[("link", "a")]), [0; 0]);
}

#[test]
fn a_rule_on_new_events_alone_closes_the_new_one_without_any_old() {
    let group =
        |is_negation| CorrelationCondition::NewGroup { groups: BTreeSet::from([4]), is_negation };
    let mut of = Correlator::new(vec![all(vec![group(false)], (false, true))]);
    assert_eq!(open(&mut of, 1, &[]), [1]);
    let mut of = Correlator::new(vec![all(vec![group(true)], (false, true))]);
    assert_eq!(open(&mut of, 1, &[]), [0; 0]);
}

#[test]
fn negations_of_old_values_hold_without_the_tag_and_of_new_ones_do_not() {
    let (tag, value, compare) = ("a".to_owned(), "x".to_owned(), TagComparison::NotEqual);
    let old = CorrelationCondition::OldValue { tag: tag.clone(), value: value.clone(), compare };
    let mut of = Correlator::new(vec![all(vec![old], (true, false))]);
    assert_eq!(open(&mut of, 1, &[]), [0; 0]);
    assert_eq!(open(&mut of, 2, &[("a", "x")]), [1]);
    let new = CorrelationCondition::NewValue { tag, value, compare };
    let mut of = Correlator::new(vec![all(vec![new], (false, true))]);
    assert_eq!(open(&mut of, 1, &[]), [0; 0]);
    assert_eq!(open(&mut of, 2, &[("a", "x")]), [0; 0]);
    assert_eq!(open(&mut of, 3, &[("a", "y")]), [3]);
}

#[test]
fn a_hundred_thousand_open_problems_are_not_walked_over() {
    let mut of = Correlator::new(vec![all(vec![pair()], (true, false))]);
    for id in 1..=100_000 {
        let value = format!("v{id}");
        of.put(EventId(id), Arc::new(Old(tags(&[("link", &value)]))));
    }
    let rule = of.rules[0].clone();
    let (tags, groups) = (tags(&[("link", "v9")]), BTreeSet::new());
    let new = NewProblem { id: EventId(200_000), tags: &tags, groups: &groups };
    assert_eq!(of.size(&rule, &rule.formula, &new), Some(1), "one look-up");
    assert_eq!(of.judge(&new)[0].problem, EventId(9));
}

#[test]
fn a_rule_of_negations_is_asked_once_of_all_that_are_alike() {
    let old = |value: &str| CorrelationCondition::OldValue {
        tag: "class".to_owned(),
        value: value.to_owned(),
        compare: TagComparison::NotEqual,
    };
    let mut of = Correlator::new(vec![all(vec![old("a")], (false, true))]);
    for id in 1..=100_000 {
        let (class, own) = (if id == 77_777 { "b" } else { "a" }, format!("own{id}"));
        of.put(EventId(id), Arc::new(Old(tags(&[("class", class), ("own", &own)]))));
    }
    // All that rules name of them is one of two values.
    assert_eq!(of.alike.len(), 2);
    assert_eq!(open(&mut of, 200_000, &[]), [200_000]);
    assert!(of.remove(EventId(77_777)));
    assert_eq!(open(&mut of, 200_001, &[]), [0; 0]);
    assert_eq!(of.alike.len(), 2, "the new one has no class");
}

fn some_tags() -> impl Strategy<Value = Vec<Tag>> {
    let tag = (0_usize..3, 0_usize..3);
    let make = |(tag, value): (usize, usize)| Tag {
        tag: ["a", "b", "c"][tag].to_owned(),
        value: ["x", "xy", ""][value].to_owned(),
    };
    prop::collection::vec(tag.prop_map(make), 0..4)
}

fn conditions() -> impl Strategy<Value = CorrelationCondition> {
    let tag = || (0_usize..3).prop_map(|it| ["a", "b", "c"][it].to_owned());
    let value = || (0_usize..2).prop_map(|it| ["x", "y"][it].to_owned());
    let compare = || (0_u8..4).prop_map(|it| TagComparison::from_code(it).expect("one of four"));
    prop_oneof![
        tag().prop_map(CorrelationCondition::OldTag),
        tag().prop_map(CorrelationCondition::NewTag),
        (tag(), tag()).prop_map(|(old, new)| CorrelationCondition::Pair { old, new }),
        (tag(), value(), compare()).prop_map(|(tag, value, compare)| {
            CorrelationCondition::OldValue { tag, value, compare }
        }),
        (tag(), value(), compare()).prop_map(|(tag, value, compare)| {
            CorrelationCondition::NewValue { tag, value, compare }
        }),
    ]
}

fn formulas() -> impl Strategy<Value = Formula<usize>> {
    let leaf = (0_usize..4).prop_map(Formula::Condition);
    leaf.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            inner.clone().prop_map(|it| Formula::Not(Box::new(it))),
            prop::collection::vec(inner.clone(), 1..4).prop_map(Formula::And),
            prop::collection::vec(inner, 1..4).prop_map(Formula::Or),
        ]
    })
}

proptest! {
    #[test]
    fn the_index_finds_what_a_walk_over_all_finds(
        conditions in prop::collection::vec(conditions(), 4),
        formula in formulas(),
        events in prop::collection::vec(some_tags(), 1..12),
    ) {
        let rule = CorrelationRule { id: 7, conditions, formula, closes_old: true, closes_new: false };
        let mut of = Correlator::new(vec![rule.clone()]);
        let mut open: Vec<(u64, Vec<Tag>)> = Vec::new();
        let groups = BTreeSet::new();
        for (id, tags) in (1..).zip(events) {
            let new = NewProblem { id: EventId(id), tags: &tags, groups: &groups };
            let expected: Vec<u64> =
                open.extract_if(.., |it| rule.is_met(&new, &it.1)).map(|it| it.0).collect();
            of.put(EventId(id), Arc::new(Old(tags.clone())));
            let closed: Vec<u64> = of.judge(&new).iter().map(|it| it.problem.0).collect();
            prop_assert_eq!(closed, expected);
            open.push((id, tags));
        }
    }
}
