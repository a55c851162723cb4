//! Rules about texts: sources, scripts and documents.

use std::collections::BTreeSet;
use std::path::{Component, Path};

use crate::source::Tree;

/// Longer files need a line in `LONG_FILES`, with the reason.
const FILE_LINES_MAX: usize = 800;
const LONG_FILES: &[(&str, &str)] = &[];

const SOURCES: &[&str] = &[".rs", ".ts", ".tsx", ".css", ".mjs", ".py", ".sh", ".sql"];

pub(super) fn lengths(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    let is_written_by_hand = |path: &str| !path.contains("/generated/");
    for (path, text) in tree.texts(SOURCES).filter(|(path, _)| is_written_by_hand(path)) {
        let n_lines = text.lines().count();
        let is_excused = LONG_FILES.iter().any(|(name, _)| *name == path);
        if FILE_LINES_MAX < n_lines && !is_excused {
            errors.push(format!("{path}: {n_lines} lines, at most {FILE_LINES_MAX}"));
        }
    }
    for (path, _) in LONG_FILES.iter().filter(|(path, _)| !tree.has(path)) {
        errors.push(format!("{path}: has an exception for its length, but is gone"));
    }
    errors
}

/// A mark of unfinished work names its issue: `(#12)` after the mark.
pub(super) fn open_ends(tree: &Tree) -> Vec<String> {
    // In two parts each, so that this file does not break its own rule.
    let with_issue = concat!("TO", "DO");
    let never = [concat!("FIX", "ME"), concat!("XX", "X:"), concat!("HA", "CK:")];
    find_lines(tree, SOURCES, |line| {
        let open = line.split(with_issue).skip(1).any(|rest| !has_issue(rest));
        let is_word = |it: &&&str| line.contains(**it);
        if open {
            Some(format!("{with_issue} without an issue, as in {with_issue}(#12)"))
        } else {
            never.iter().find(is_word).map(|it| format!("{it} in merged code"))
        }
    })
}

fn has_issue(rest: &str) -> bool {
    let number = rest.strip_prefix("(#").and_then(|it| it.split_once(')'));
    number.is_some_and(|(it, _)| it.parse::<u32>().is_ok())
}

/// A test that is not run promises nothing.
pub(super) fn ignored_tests(tree: &Tree) -> Vec<String> {
    let marks = [
        concat!("#[ign", "ore"),
        concat!("it.sk", "ip("),
        concat!("test.on", "ly("),
        concat!("it.on", "ly("),
        concat!("describe.sk", "ip("),
        concat!("describe.on", "ly("),
    ];
    find_lines(tree, &[".rs", ".ts", ".tsx"], |line| {
        marks.iter().find(|it| line.contains(**it)).map(|it| format!("{it} leaves tests out"))
    })
}

/// Paths of the machine that somebody worked on.
pub(super) fn machine_paths(tree: &Tree) -> Vec<String> {
    let marks = [concat!("/wo", "rk/"), concat!("/ro", "ot/"), concat!("/Us", "ers/")];
    find_lines(tree, &[""], |line| {
        marks.iter().find(|it| line.contains(**it)).map(|it| format!("a path of one machine, {it}"))
    })
}

/// A crate that defines a magic number on disk names the page of the format, every page that is
/// named is there, and every page is named.
pub(super) fn format_pages(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    let mut named = BTreeSet::new();
    let mut magic = Vec::new();
    for (path, text) in tree.texts(&[".rs"]).filter(|(path, _)| !path.starts_with("xtask/")) {
        for rest in text.split("docs/format/").skip(1) {
            let Some((page, _)) = rest.split_once(".md") else { continue };
            named.insert((crate_of(path), format!("docs/format/{page}.md")));
        }
        // The magic numbers of `wire` are on the wire.
        if text.lines().any(|it| it.contains("const MAGIC")) && crate_of(path) != "crates/wire" {
            magic.push(path);
        }
    }
    for path in magic {
        if !named.iter().any(|(name, _)| *name == crate_of(path)) {
            errors.push(format!("{path}: a magic number, but the crate names no docs/format page"));
        }
    }
    for (name, page) in named.iter().filter(|(_, page)| !tree.has(page)) {
        errors.push(format!("{name}: names {page}, which does not exist"));
    }
    for (path, _) in tree.texts(&[".md"]).filter(|(path, _)| path.starts_with("docs/format/")) {
        if !path.ends_with("/README.md") && !named.iter().any(|(_, page)| page == path) {
            errors.push(format!("{path}: no module names it"));
        }
    }
    errors
}

/// `crates/journal` of `crates/journal/src/frame.rs`.
fn crate_of(path: &str) -> &str {
    let end = path.match_indices('/').nth(1).map_or(path.len(), |(idx, _)| idx);
    path.get(..end).unwrap_or(path)
}

/// Links between documents lead somewhere.
pub(super) fn links(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    for (path, text) in tree.texts(&[".md"]) {
        for (number, line) in (1..).zip(text.lines()) {
            for rest in line.split("](").skip(1) {
                let target = rest.split([')', '#', ' ']).next().unwrap_or_default();
                let is_elsewhere = target.contains("://") || target.starts_with("mailto:");
                if !target.is_empty() && !is_elsewhere && !tree.has(&resolve(path, target)) {
                    errors.push(format!("{path}:{number}: link to {target}, which does not exist"));
                }
            }
        }
    }
    errors
}

/// The target of a link as a path from the root.
pub(super) fn resolve(page: &str, target: &str) -> String {
    let mut parts: Vec<&str> = page.split('/').collect();
    parts.pop();
    for component in Path::new(target).components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(part) => parts.extend(part.to_str()),
            _ => {}
        }
    }
    parts.join("/")
}

/// Lists `path:line: message` for every line that `rule` has a message for.
fn find_lines(tree: &Tree, endings: &[&str], rule: impl Fn(&str) -> Option<String>) -> Vec<String> {
    let mut errors = Vec::new();
    for (path, text) in tree.texts(endings) {
        for (number, line) in (1..).zip(text.lines()) {
            errors.extend(rule(line).map(|it| format!("{path}:{number}: {it}")));
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::{has_issue, resolve};

    #[test]
    fn issues_are_numbers_in_brackets() {
        assert!(has_issue("(#12): later"));
        for rest in ["", ": later", "(#)", "(12)", "(#x)", " (#12)"] {
            assert!(!has_issue(rest), "{rest}");
        }
    }

    #[test]
    fn links_are_relative_to_their_page() {
        for (page, target, expected) in [
            ("README.md", "docs/a.md", "docs/a.md"),
            ("docs/a.md", "../README.md", "README.md"),
            ("docs/user/a.md", "./b.md", "docs/user/b.md"),
            ("docs/a.md", "decisions/", "docs/decisions"),
        ] {
            assert_eq!(resolve(page, target), expected);
        }
    }
}
