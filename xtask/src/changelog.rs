//! `cargo xtask changelog`: unreleased fragments, and their section of `CHANGELOG.md`.
//!
//! A change adds a fragment, `changelog.d/<part>-<what>.<kind>.md`. A release moves all of them into one section, by
//! kind, then by part. Fragments are read as text, and nothing is written while one of them has an error.

use std::fs;
use std::io;

use crate::source::Tree;

const FOLDER: &str = "changelog.d/";
const README: &str = "README.md";
const PAGE: &str = "CHANGELOG.md";

/// The kinds in the order of a section, with their headings. `changelog.d/README.md` has a row for each.
const KINDS: &[(&str, &str)] = &[
    ("change", "Changes for operators"),
    ("feature", "Features"),
    ("compatibility", "Closer to Zabbix"),
    ("performance", "Performance"),
    ("security", "Security"),
    ("fix", "Fixes"),
    ("docs", "Documentation"),
];

/// A fragment, by where it stands in a section: kind, part, name.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Fragment<'a> {
    kind_idx: usize,
    part: &'a str,
    name: &'a str,
    text: &'a str,
}

impl<'a> Fragment<'a> {
    /// Reads `agent-keys.feature.md`.
    fn read(name: &'a str, text: &'a str) -> Result<Self, String> {
        let stem = name.strip_suffix(".md").ok_or("its name ends in no .md")?;
        let (subject, kind) = stem.rsplit_once('.').unwrap_or((stem, ""));
        let kind_idx = KINDS.iter().position(|(name, _)| *name == kind).ok_or_else(|| {
            let kinds: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
            format!(
                "no kind in its name; write <part>-<what>.<kind>.md with one of {}",
                kinds.join(", ")
            )
        })?;
        let part = match subject.split_once('-') {
            Some((part, what)) if !part.is_empty() && !what.is_empty() => part,
            _ => return Err("its name has no part; write <part>-<what>.<kind>.md".to_owned()),
        };
        let text = text.trim();
        if text.is_empty() || text.starts_with(['-', '#']) {
            return Err("it begins with a sentence, without a heading or a dash".to_owned());
        }
        Ok(Self { kind_idx, part, name, text })
    }

    /// One point of a list. Links lead from the folder of the fragments; the page stands one level higher.
    fn point(&self) -> String {
        let text = self.text.replace("](../", "](");
        let mut point = format!("- **{}**: ", self.part);
        for (idx, line) in text.lines().enumerate() {
            if idx != 0 {
                point.push_str(if line.is_empty() { "\n" } else { "\n  " });
            }
            point.push_str(line);
        }
        point.push('\n');
        point
    }
}

/// The fragments of the tree in the order of a section, and the errors of the others.
fn fragments(tree: &Tree) -> (Vec<Fragment<'_>>, Vec<String>) {
    let mut fragments = Vec::new();
    let mut errors = Vec::new();
    for file in &tree.files {
        let Some(name) = file.path.strip_prefix(FOLDER).filter(|it| *it != README) else {
            continue;
        };
        match Fragment::read(name, file.text.as_deref().unwrap_or_default()) {
            Ok(fragment) => fragments.push(fragment),
            Err(error) => errors.push(format!("{FOLDER}{name}: {error}")),
        }
    }
    fragments.sort();
    (fragments, errors)
}

/// A rule of `tidy`.
pub(crate) fn names(tree: &Tree) -> Vec<String> {
    fragments(tree).1
}

/// Points under the headings of their kinds; kinds without any are left out.
fn section(fragments: &[Fragment<'_>]) -> String {
    let mut section = String::new();
    for (kind_idx, (_, heading)) in KINDS.iter().enumerate() {
        let points: Vec<String> =
            fragments.iter().filter(|it| it.kind_idx == kind_idx).map(Fragment::point).collect();
        if !points.is_empty() {
            section.push_str(&format!("\n### {heading}\n\n{}", points.concat()));
        }
    }
    section
}

/// The page with one more section on top of the others.
fn page_with(page: &str, release: Release<'_>, section: &str) -> Result<String, String> {
    let newest_at = page.find("\n## ").map_or(page.len(), |it| it + 1);
    let (intro, sections) = page.split_at(newest_at);
    if let Some(newest) = sections.lines().next() {
        let newest = newest.strip_prefix("## ").and_then(Release::read);
        let newest = newest.ok_or("its newest section has no version and date")?;
        if release.numbers() <= newest.numbers() || release.date < newest.date {
            return Err(format!(
                "{} of {} is not after {} of {}",
                release.version, release.date, newest.version, newest.date
            ));
        }
    }
    let (version, date) = (release.version, release.date);
    let gap = if sections.is_empty() { "" } else { "\n" };
    Ok(format!("{}\n\n## {version} ({date})\n{section}{gap}{sections}", intro.trim_end()))
}

/// `0.2.0` and `2026-11-24`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Release<'a> {
    version: &'a str,
    date: &'a str,
}

impl<'a> Release<'a> {
    fn new(version: &'a str, date: &'a str) -> Option<Self> {
        let release = Self { version, date };
        let is_date = date.len() == 10 && numbers_of(date, '-').is_some_and(|it| it.len() == 3);
        (release.numbers().is_some_and(|it| it.len() == 3) && is_date).then_some(release)
    }

    /// `0.2.0 (2026-11-24)`
    fn read(heading: &'a str) -> Option<Self> {
        let (version, date) = heading.split_once(" (")?;
        Self::new(version, date.strip_suffix(')')?)
    }

    fn numbers(self) -> Option<Vec<u32>> {
        numbers_of(self.version, '.')
    }
}

fn numbers_of(text: &str, separator: char) -> Option<Vec<u32>> {
    text.split(separator).map(|it| it.parse().ok()).collect()
}

/// Without arguments the unreleased changes are printed; `release VERSION DATE` moves them into `CHANGELOG.md`.
pub(crate) fn run(tree: &Tree, arguments: &[String]) -> Vec<String> {
    let (fragments, errors) = fragments(tree);
    if !errors.is_empty() {
        return errors;
    }
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        [] => {
            println!("## Unreleased\n{}", section(&fragments).trim_end());
            Vec::new()
        }
        ["release", version, date] => match Release::new(version, date) {
            Some(release) => release_of(tree, &fragments, release).err().into_iter().collect(),
            None => vec![format!("{version} {date}: no version and date as in 0.2.0 2026-11-24")],
        },
        _ => vec!["usage: cargo xtask changelog [release VERSION DATE]".to_owned()],
    }
}

fn release_of(tree: &Tree, fragments: &[Fragment<'_>], release: Release<'_>) -> Result<(), String> {
    if fragments.is_empty() {
        return Err(format!("{FOLDER}: nothing to release"));
    }
    let page = tree.text(PAGE).ok_or_else(|| format!("{PAGE}: is not there"))?;
    let page =
        page_with(page, release, &section(fragments)).map_err(|it| format!("{PAGE}: {it}"))?;
    let failed = |path: &str, error: io::Error| format!("{path}: {error}");
    fs::write(tree.root.join(PAGE), page).map_err(|error| failed(PAGE, error))?;
    // Deleted last: a run that ends before leaves fragments, never a gap.
    for fragment in fragments {
        let path = format!("{FOLDER}{}", fragment.name);
        fs::remove_file(tree.root.join(&path)).map_err(|error| failed(&path, error))?;
    }
    println!("{PAGE}: {} with {} changes", release.version, fragments.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Fragment, KINDS, Release, page_with, section};

    fn fragment(name: &'static str, text: &'static str) -> Fragment<'static> {
        Fragment::read(name, text).expect("a fragment")
    }

    #[test]
    fn names_state_part_and_kind() {
        assert_eq!(fragment("agent-new-keys.feature.md", "New.\n").part, "agent");
        for (name, text, error) in [
            ("agent-keys.md", "New.", "no kind in its name"),
            ("agent-keys.features.md", "New.", "no kind in its name"),
            ("keys.fix.md", "New.", "no part"),
            ("-keys.fix.md", "New.", "no part"),
            ("agent-keys.txt", "New.", "no .md"),
            ("agent-keys.fix.md", " \n", "begins with a sentence"),
            ("agent-keys.fix.md", "- New.", "begins with a sentence"),
        ] {
            let found = Fragment::read(name, text).expect_err(name);
            assert!(found.contains(error), "{name}: {found}");
        }
    }

    #[test]
    fn kinds_stand_in_the_readme() {
        let readme = include_str!("../../changelog.d/README.md");
        for (kind, heading) in KINDS {
            let row = readme.lines().find(|it| it.starts_with(&format!("| `{kind}` |")));
            assert!(row.is_some_and(|it| it.ends_with(&format!("| {heading} |"))), "{kind}");
        }
    }

    #[test]
    fn sections_are_by_kind_then_part() {
        let mut all = vec![
            fragment("ui-lists.fix.md", "Lists are shown."),
            fragment("agent-keys.feature.md", "Keys, [more](../docs/a.md):\n\n- one\n"),
            fragment("agent-logs.fix.md", "Logs\nare read."),
        ];
        all.sort();
        let expected = "\n### Features\n\n- **agent**: Keys, [more](docs/a.md):\n\n  - one\n\
                        \n### Fixes\n\n- **agent**: Logs\n  are read.\n- **ui**: Lists are shown.\n";
        assert_eq!(section(&all), expected);
    }

    #[test]
    fn release_is_above_the_older_ones() {
        let release = |version, date| Release::new(version, date).expect("a release");
        let first =
            page_with("# Changelog\n\nReleases.\n", release("0.1.0", "2026-11-22"), "\na\n");
        let first = first.expect("the first");
        assert_eq!(first, "# Changelog\n\nReleases.\n\n## 0.1.0 (2026-11-22)\n\na\n");
        let second = page_with(&first, release("0.10.0", "2026-11-24"), "\nb\n").expect("a second");
        assert_eq!(
            second,
            "# Changelog\n\nReleases.\n\n## 0.10.0 (2026-11-24)\n\nb\n\n## 0.1.0 (2026-11-22)\n\na\n"
        );
        for (version, date) in [("0.9.0", "2026-11-25"), ("0.11.0", "2026-11-23")] {
            let error = page_with(&second, release(version, date), "").expect_err(version);
            assert!(error.contains("is not after 0.10.0"), "{error}");
        }
    }

    #[test]
    fn versions_and_dates_are_numbers() {
        for (version, date) in [("0.1", "2026-11-22"), ("0.1.x", "2026-11-22"), ("0.1.0", "22.11.")]
        {
            assert_eq!(Release::new(version, date), None, "{version} {date}");
        }
    }
}
