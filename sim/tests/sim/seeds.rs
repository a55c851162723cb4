//! Which seeds run: a few in `make test`, many in `make sim`, or those that `SAKER_SIM_SEEDS=from..until` names.

use std::env;
use std::ops::Range;

/// How many seeds run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Extent {
    /// As few as find each planted bug.
    Few,
    Many,
    /// Somebody has named them.
    Named,
}

impl Extent {
    /// The seeds of `make sim`.
    pub(crate) fn asked() -> Self {
        if env::var("SAKER_SIM").is_ok_and(|it| it == "many") { Self::Many } else { Self::Few }
    }

    /// How often something has to happen at least: so often with many seeds, once with few.
    pub(crate) fn more_than(self, n: usize) -> usize {
        if self == Self::Many { n } else { 0 }
    }
}

/// The seeds of a test.
pub(crate) fn seeds(few: Range<u64>, many: Range<u64>) -> (Range<u64>, Extent) {
    let named = env::var("SAKER_SIM_SEEDS").ok();
    let named = named.as_deref().and_then(|it| it.split_once(".."));
    if let Some((from, until)) = named {
        let number = |it: &str| it.parse().expect("a number");
        return (number(from)..number(until), Extent::Named);
    }
    match Extent::asked() {
        Extent::Many => (many, Extent::Many),
        _ => (few, Extent::Few),
    }
}
