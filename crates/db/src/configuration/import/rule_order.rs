//! Discovery rules of a file in the order in which they can be made. Prototypes of rules stand in the same list and name
//! the rule above them by its key.

use model::map::Map;

use super::reader::{Node, unsupported};
use crate::error::ConfigError;

/// A rule, or the prototype of one.
pub(super) struct InOrder {
    pub(super) node: Node,
    /// Key of the rule or prototype that it belongs to, if it is a prototype.
    pub(super) parent: Option<String>,
}

/// Rules after those that they belong to; siblings stay in the order of the file.
pub(super) fn in_order(nodes: Vec<Node>) -> Result<Vec<InOrder>, ConfigError> {
    let mut rules = Vec::with_capacity(nodes.len());
    for mut node in nodes {
        let parent = match node.child("parent_discovery_rule")? {
            Some(mut parent) => {
                let key = parent.needed_text("key")?;
                parent.finish()?;
                Some(key)
            }
            None => None,
        };
        rules.push(InOrder { node, parent });
    }
    let names = rules.iter().map(|it| (it.node.peek("key"), it.parent.as_deref()));
    let Order { places, left } = order(&names.collect::<Vec<_>>(), &mut || {});
    if let Some(first) = left {
        let path = rules.get(first).map_or("", |it| it.node.path());
        return Err(unsupported(path, "circular discovery rule dependency is not allowed"));
    }
    let mut rules: Vec<Option<InOrder>> = rules.into_iter().map(Some).collect();
    Ok(places.into_iter().filter_map(|it| rules.get_mut(it)?.take()).collect())
}

/// The result of [`order`].
#[derive(Debug)]
struct Order {
    /// Places in the list, in the order in which rules can be made.
    places: Vec<usize>,
    /// The first that can't be made, since it belongs to itself.
    left: Option<usize>,
}

/// Orders rules by their keys and those of their parents, generation by generation. `look` is
/// called each time a rule is examined.
fn order(rules: &[(Option<&str>, Option<&str>)], look: &mut impl FnMut()) -> Order {
    /// The rules of a key.
    #[derive(Default)]
    struct Family {
        /// Rules of that key that are not in order yet: one, but for files that are wrong.
        n_left: usize,
        children: Vec<usize>,
    }
    let mut families: Map<&str, Family> = Map::default();
    for (key, _) in rules {
        look();
        families.entry(key.unwrap_or_default()).or_default().n_left += 1;
    }
    let mut generation = Vec::new();
    for (at, (_, parent)) in rules.iter().enumerate() {
        look();
        match parent.and_then(|it| families.get_mut(it)) {
            Some(family) => family.children.push(at),
            // A parent that is not in the file is there already, or missed where it is looked up.
            None => generation.push(at),
        }
    }
    let mut places = Vec::with_capacity(rules.len());
    let mut is_in_order = vec![false; rules.len()];
    while !generation.is_empty() {
        let mut next = Vec::new();
        for at in generation {
            look();
            places.push(at);
            let key = rules.get(at).and_then(|it| it.0).unwrap_or_default();
            if let Some(it) = is_in_order.get_mut(at) {
                *it = true;
            }
            let Some(family) = families.get_mut(key) else { continue };
            family.n_left -= 1;
            if family.n_left == 0 {
                family.children.iter().for_each(|_| look());
                next.append(&mut family.children);
            }
        }
        next.sort_unstable();
        generation = next;
    }
    Order { places, left: is_in_order.iter().position(|it| !it) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 5_000;

    fn keys() -> Vec<String> {
        (0..=N).map(|it| format!("rule[{it}]")).collect()
    }

    #[test]
    fn rules_follow_their_parents_and_else_the_file() {
        let rules = [
            (Some("c"), Some("b")),
            (Some("x"), None),
            (Some("b"), Some("a")),
            (Some("d"), Some("b")),
            (Some("a"), None),
            (Some("e"), Some("elsewhere")),
            (None, None),
        ];
        let found = order(&rules, &mut || {});
        assert_eq!((found.places, found.left), (vec![1, 4, 5, 6, 2, 0, 3], None));
    }

    #[test]
    fn first_rule_of_a_cycle_is_reported() {
        let rules = [(Some("a"), None), (Some("b"), Some("c")), (Some("c"), Some("b"))];
        let found = order(&rules, &mut || {});
        assert_eq!((found.places, found.left), (vec![0], Some(1)));
        assert_eq!(order(&[(Some("a"), Some("a"))], &mut || {}).left, Some(0));
    }

    /// Thousands of rules cost some looks at each, however they hang together.
    #[test]
    fn long_chains_and_wide_stars_cost_as_much_as_other_lists() {
        let keys = keys();
        let chain = |at: usize| keys.get(at + 1).map(String::as_str);
        // The last one of the file is the first of the chain.
        let of_chain: Vec<_> = (0..N).map(|at| (Some(keys[at].as_str()), chain(at))).collect();
        let star: Vec<_> =
            (0..N).map(|at| (Some(keys[at].as_str()), Some(keys[N].as_str()))).collect();
        let with_root = |mut it: Vec<_>| {
            it.push((Some(keys[N].as_str()), None));
            it
        };
        for rules in [with_root(of_chain), with_root(star)] {
            let mut n_looks = 0;
            let found = order(&rules, &mut || n_looks += 1);
            assert_eq!((found.places.len(), found.left), (N + 1, None));
            assert!(n_looks <= 5 * rules.len(), "{n_looks} looks");
        }
    }
}
