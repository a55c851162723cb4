use super::super::Measure;
use super::*;

/// The same numbers each time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }
}

fn tags(list: &[(&str, &str)]) -> Vec<Tag> {
    list.iter().map(|(tag, value)| Tag { tag: (*tag).into(), value: (*value).into() }).collect()
}

fn condition(tag: &str, value: &str) -> ServiceProblemTag {
    ServiceProblemTag { tag: tag.into(), operator: ServiceTagOperator::Equal, value: value.into() }
}

fn leaf(value: &str, parents: &[u64]) -> ServiceDefinition {
    ServiceDefinition {
        problem_tags: vec![condition("of", value)],
        parents: parents.to_vec(),
        ..ServiceDefinition::default()
    }
}

fn worst(parents: &[u64]) -> ServiceDefinition {
    ServiceDefinition {
        algorithm: Algorithm::MostCriticalOfAny,
        parents: parents.to_vec(),
        ..ServiceDefinition::default()
    }
}

fn counted(severity: Severity) -> ProblemState {
    ProblemState { severity, counts: true }
}

#[test]
fn a_problem_goes_up_to_the_root_and_back() {
    let mut live = Live::default();
    // The child before its parents, as a start may have it.
    live.put_services(vec![
        (3, Some(leaf("a", &[2]))),
        (2, Some(worst(&[1]))),
        (1, Some(worst(&[]))),
    ]);
    assert_eq!(live.evaluate_due(), []);
    live.put_problem(7, counted(Severity::High), tags(&[("x", ""), ("of", "a")]));
    let change = |service, from, to| StatusChange { service, from, to };
    let high = Some(Severity::High);
    assert_eq!(live.evaluate_due(), [3, 2, 1].map(|it| change(it, None, high)));
    assert_eq!(live.root_cause(1), [(7, Severity::High)]);
    live.put_problem(7, ProblemState { counts: false, ..counted(Severity::High) }, Vec::new());
    assert_eq!(live.evaluate_due().len(), 3);
    assert_eq!(live.root_cause(1), []);
    live.put_problem(7, counted(Severity::Warning), Vec::new());
    assert_eq!(live.evaluate_due().len(), 3);
    live.remove_problem(7);
    assert_eq!(live.evaluate_due(), [3, 2, 1].map(|it| change(it, Some(Severity::Warning), None)));
}

#[test]
fn a_service_reached_by_two_paths_changes_once() {
    let mut live = Live::default();
    live.put_services(vec![
        (1, Some(worst(&[]))),
        (2, Some(worst(&[1]))),
        (3, Some(worst(&[2]))),
        (4, Some(leaf("a", &[3, 1]))),
    ]);
    live.evaluate_due();
    live.put_problem(9, counted(Severity::Average), tags(&[("of", "a")]));
    let order: Vec<u64> = live.evaluate_due().iter().map(|it| it.service).collect();
    assert_eq!(order, [4, 3, 2, 1]);
}

#[test]
fn services_that_change_places_are_no_circle_in_between() {
    let mut live: Live<Vec<Tag>> = Live::default();
    live.put_services(vec![(1, Some(worst(&[]))), (2, Some(leaf("a", &[1])))]);
    live.put_services(vec![(1, Some(worst(&[2]))), (2, Some(worst(&[])))]);
    live.evaluate_due();
    assert_eq!((live.nodes[&1].definition.parents[0], live.children.len()), (2, 1));
}

/// Everything from the beginning, as a start does it.
fn from_scratch(
    services: &[(u64, ServiceDefinition)],
    problems: &[(u64, ProblemState, Vec<Tag>)],
) -> Live<Vec<Tag>> {
    let mut live = Live::default();
    for (id, state, tags) in problems {
        live.put_problem(*id, *state, tags.clone());
    }
    live.put_services(services.iter().map(|(id, it)| (*id, Some(it.clone()))).collect());
    live.evaluate_due();
    live
}

fn severity(n: u64) -> Severity {
    Severity::from_code(i64::try_from(n).expect("small")).expect("one of six")
}

fn random_definition(random: &mut Random, parents: BTreeSet<u64>) -> ServiceDefinition {
    let rule = StatusRule {
        measure: [Measure::Count, Measure::Percent, Measure::Weight, Measure::WeightPercent]
            [usize::try_from(random.below(4)).expect("small")],
        is_less: random.below(2) == 0,
        limit: Some(severity(random.below(6))),
        value: random.below(4),
        status: Some(severity(random.below(6))),
    };
    ServiceDefinition {
        algorithm: [Algorithm::Ok, Algorithm::MostCriticalIfAll, Algorithm::MostCriticalOfAny]
            [usize::try_from(random.below(3)).expect("small")],
        rules: if random.below(2) == 0 { vec![rule] } else { Vec::new() },
        propagation: [Propagation::AsIs, Propagation::Increase(1), Propagation::Ignore]
            [usize::try_from(random.below(3)).expect("small")],
        weight: u32::try_from(random.below(3)).expect("small"),
        problem_tags: vec![ServiceProblemTag {
            operator: if random.below(3) == 0 {
                ServiceTagOperator::Like
            } else {
                ServiceTagOperator::Equal
            },
            ..condition("of", &random.below(4).to_string())
        }],
        parents: parents.into_iter().collect(),
    }
}

#[test]
fn change_by_change_it_becomes_what_it_is_from_scratch() {
    let severity =
        |n: u64| Severity::from_code(i64::try_from(n).expect("small")).expect("one of six");
    for seed in 0..40 {
        let mut random = Random(seed);
        let mut live = Live::default();
        let mut services: BTreeMap<u64, ServiceDefinition> = BTreeMap::new();
        let mut problems: BTreeMap<u64, (ProblemState, Vec<Tag>)> = BTreeMap::new();
        for step in 0..200 {
            match random.below(8) {
                0..=2 => {
                    // Parents have smaller ids: no circles.
                    let id = 1 + random.below(12);
                    let parents: BTreeSet<u64> = (0..random.below(3))
                        .map(|_| 1 + random.below(id))
                        .filter(|it| *it < id)
                        .collect();
                    let definition = random_definition(&mut random, parents);
                    services.insert(id, definition.clone());
                    live.put_services(vec![(id, Some(definition))]);
                }
                3 => {
                    let id = 1 + random.below(12);
                    // As the editor does it: children lose the parent with it.
                    let mut changed = vec![(id, None)];
                    services.remove(&id);
                    for (child, it) in
                        services.iter_mut().filter(|(_, it)| it.parents.contains(&id))
                    {
                        it.parents.retain(|it| *it != id);
                        changed.push((*child, Some(it.clone())));
                    }
                    live.put_services(changed);
                }
                4..=6 => {
                    let id = random.below(10);
                    let state = ProblemState {
                        severity: severity(random.below(6)),
                        counts: random.below(4) != 0,
                    };
                    let new = tags(&[("of", &random.below(14).to_string())]);
                    let known = problems.entry(id).or_insert((state, new));
                    known.0 = state;
                    live.put_problem(id, state, known.1.clone());
                }
                _ => {
                    let id = random.below(10);
                    problems.remove(&id);
                    live.remove_problem(id);
                }
            }
            live.evaluate_due();
            let list: Vec<(u64, ServiceDefinition)> =
                services.iter().map(|(id, it)| (*id, it.clone())).collect();
            let open: Vec<_> =
                problems.iter().map(|(id, (state, tags))| (*id, *state, tags.clone())).collect();
            let expected = from_scratch(&list, &open);
            for id in 1..=12 {
                let at = format!("seed {seed}, step {step}, service {id}");
                assert_eq!(live.status(id), expected.status(id), "{at}");
                assert_eq!(live.root_cause(id), expected.root_cause(id), "{at}");
                let children = |it: &Live<Vec<Tag>>| it.nodes.get(&id).map(|it| it.children);
                assert_eq!(children(&live), children(&expected), "{at}");
            }
        }
    }
}
