//! `cargo xtask tidy`: the rules that the compiler cannot hold.
//!
//! Each rule is one function that lists violations. Documentation of settings is not among them: a
//! setting without doc comment does not compile, and a test of `saker` compares the pages.

mod circles;
mod crates;
mod decisions;
mod entry_points;
mod texts;
mod words;

use crate::source::Tree;
use crate::{changelog, metrics};

pub(crate) fn check(tree: &Tree) -> Vec<String> {
    let rules: &[fn(&Tree) -> Vec<String>] = &[
        crates::edges,
        crates::purity,
        crates::lints,
        circles::circles,
        texts::lengths,
        texts::open_ends,
        texts::ignored_tests,
        texts::machine_paths,
        texts::format_pages,
        texts::links,
        words::words,
        decisions::index,
        entry_points::entry_points,
        changelog::names,
        metrics_page,
    ];
    rules.iter().flat_map(|rule| rule(tree)).collect()
}

fn metrics_page(tree: &Tree) -> Vec<String> {
    let (page, mut errors) = metrics::page(tree);
    if tree.text(metrics::PAGE) != Some(&page) {
        errors.push(format!("{}: stale; run `cargo xtask docs`", metrics::PAGE));
    }
    errors
}
