//! Words of a private dialect that the product once was written in, and the field's word for each.
//!
//! A word may stand as often as its row says: a few places where it is the right one. A row is
//! lowered when places go, and raised for nothing but a text that clients of Zabbix match.

use crate::source::Tree;

struct Word {
    word: &'static str,
    instead: &'static str,
    /// The most places in `crates`, `apps`, `sim`, `bench`, `xtask` and `tests`.
    code: usize,
    /// The most in the pages and their tests.
    pages: usize,
    /// The most in the guide and the other documents.
    documents: usize,
}

const fn word(word: &'static str, instead: &'static str, most: [usize; 3]) -> Word {
    Word { word, instead, code: most[0], pages: most[1], documents: most[2] }
}

const WORDS: &[Word] = &[
    word("told", "reported, notified, returned, shown", [3, 2, 0]),
    word("tell", "report, notify, show", [0, 1, 0]),
    word("tells", "reports, notifies, shows", [0, 4, 0]),
    word("whoever", "the caller, client, user", [0, 0, 1]),
    word("anew", "again, from scratch", [1, 2, 0]),
    word("beside", "alongside, next to, in addition to, while", [1, 3, 1]),
    word("trouble", "health issue", [0, 2, 0]),
    word("troubles", "health issues", [3, 0, 1]),
    word("heir", "inherited object", [0, 0, 0]),
    word("heirs", "inherited objects", [0, 0, 0]),
    word("chores", "jobs", [0, 0, 0]),
    word("sight", "visibility", [0, 0, 0]),
    word("news", "changes", [2, 2, 2]),
    word("dearest", "costliest", [0, 0, 0]),
    word("calm", "stable", [0, 0, 0]),
    word("thing", "the noun", [0, 0, 0]),
    word("things", "the noun", [0, 0, 0]),
    word("apart", "separately", [4, 0, 1]),
    word("passed over", "skipped", [0, 0, 0]),
    word("pass over", "skip", [3, 0, 1]),
    word("yardstick", "baseline", [0, 0, 0]),
];

/// Decisions are records of their day; fragments and the changelog tell of former names.
const LEFT_OUT: &[&str] = &[
    "docs/decisions/",
    "changelog.d/",
    "CHANGELOG.md",
    "docs/style.md",
    "xtask/src/tidy/words.rs",
    "docs/api.md",
];

pub(super) fn words(tree: &Tree) -> Vec<String> {
    let mut errors = Vec::new();
    for row in WORDS {
        for (area, n_most, endings) in [
            ("code", row.code, &[".rs", ".py", ".sql", ".toml"][..]),
            ("pages", row.pages, &[".ts", ".tsx", ".css"][..]),
            ("documents", row.documents, &[".md"][..]),
        ] {
            let texts = tree.texts(endings).filter(|(path, _)| is_looked_at(path));
            let places: Vec<(&str, usize)> = texts
                .map(|(path, text)| (path, count(text, row.word)))
                .filter(|(_, n)| 0 < *n)
                .collect();
            let n: usize = places.iter().map(|(_, n)| n).sum();
            if n_most < n {
                let paths: Vec<&str> = places.iter().take(8).map(|(path, _)| *path).collect();
                errors.push(format!(
                    "\"{}\" stands {n} times in {area}, at most {n_most}: say {} (docs/style.md); {}",
                    row.word,
                    row.instead,
                    paths.join(", ")
                ));
            }
        }
    }
    errors
}

fn is_looked_at(path: &str) -> bool {
    !LEFT_OUT.iter().any(|it| path.starts_with(it)) && !path.contains("/generated/")
}

/// How often the text has the word, whatever its case, between what is no part of a name.
fn count(text: &str, word: &str) -> usize {
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let lower = text.to_lowercase();
    lower
        .match_indices(word)
        .filter(|(at, _)| {
            let before = lower.get(..*at).and_then(|it| it.chars().next_back());
            let after = lower.get(at + word.len()..).and_then(|it| it.chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
        .count()
}

#[cfg(test)]
mod tests {
    use super::count;

    #[test]
    fn words_are_whole_and_of_any_case() {
        for (text, n) in [
            ("Told, told: told.", 3),
            ("is_told untold tolder", 0),
            ("«told»", 1),
            ("", 0),
            ("told", 1),
        ] {
            assert_eq!(count(text, "told"), n, "{text}");
        }
    }
}
