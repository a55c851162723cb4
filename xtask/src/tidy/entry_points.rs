//! The pages of the architecture name functions and types behind the file that has them:
//! ``[`shard/commit.rs`](…) `commit`, `publish` ``. The file has to define each of them.

use super::texts::resolve;
use crate::source::Tree;

const PAGES: &str = "docs/architecture";
const DEFINITIONS: &[&str] = &["fn ", "struct ", "enum ", "trait ", "type ", "const ", "function "];

pub(super) fn entry_points(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    for (page, text) in tree.texts(&[".md"]).filter(|(path, _)| path.starts_with(PAGES)) {
        for (number, line) in (1..).zip(text.lines()) {
            for (target, names) in named(line) {
                // A folder has no text; that the file is there is a rule of links.
                let path = resolve(page, target);
                let Some(source) = tree.text(&path) else { continue };
                for name in names.iter().filter(|it| !is_defined(it, source)) {
                    errors.push(format!("{page}:{number}: {path} defines no {name}"));
                }
            }
        }
    }
    errors
}

/// Targets of links, each with the names right behind it.
fn named(line: &str) -> Vec<(&str, Vec<&str>)> {
    let links = line.split("](").skip(1).filter_map(|it| it.split_once(')'));
    links.map(|(target, behind)| (target, names(behind))).collect()
}

/// `commit` and `publish` of `` `commit`, `Head::publish` → …``; none where other words come first.
fn names(mut behind: &str) -> Vec<&str> {
    let mut names = Vec::new();
    while let Some((name, rest)) = behind.strip_prefix(" `").and_then(|it| it.split_once('`')) {
        names.push(name.rsplit("::").next().unwrap_or(name));
        match rest.strip_prefix(',') {
            Some(more) => behind = more,
            None => break,
        }
    }
    names
}

fn is_defined(name: &str, source: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let (before, rest) = source.split_at(at);
        let ends = rest.get(name.len()..).and_then(|it| it.chars().next());
        let is_whole = ends.is_none_or(|it| !it.is_alphanumeric() && it != '_');
        is_whole && DEFINITIONS.iter().any(|it| before.ends_with(it))
    })
}

#[cfg(test)]
mod tests {
    use super::{is_defined, named};

    #[test]
    fn names_follow_their_file() {
        let line = "| [`a.rs`](../a.rs) `run`, `Shard::step` → [`b.rs`](b.rs) is `not` one |";
        assert_eq!(named(line), [("../a.rs", vec!["run", "step"]), ("b.rs", vec![])]);
    }

    #[test]
    fn definitions_are_whole_names() {
        let source = "pub(crate) async fn run() {}\npub struct Shard<T>;\nfn runs() { step(); }";
        assert!(is_defined("run", source) && is_defined("Shard", source));
        assert!(!is_defined("step", source) && !is_defined("Shar", source));
    }
}
