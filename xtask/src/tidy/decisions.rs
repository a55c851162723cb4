//! The index of decisions: each record has one row, and each row is whole.

use std::collections::BTreeMap;

use crate::source::Tree;

const FOLDER: &str = "docs/decisions/";
const INDEX: &str = "docs/decisions/README.md";

pub(super) fn index(tree: &Tree) -> Vec<String> {
    let records = tree.texts(&[".md"]).filter_map(|(path, _)| path.strip_prefix(FOLDER));
    errors_of(records.filter(|it| *it != "README.md"), tree.text(INDEX).unwrap_or_default())
}

fn errors_of<'a>(records: impl Iterator<Item = &'a str>, index: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let mut listed = BTreeMap::<&str, u32>::new();
    for row in index.lines().filter_map(|line| line.strip_prefix("| [")) {
        match file_of(row) {
            Ok(file) => *listed.entry(file).or_default() += 1,
            Err(error) => errors.push(format!("{INDEX}: | [{row}: {error}")),
        }
    }
    for file in records {
        match listed.get(file) {
            Some(1) => {}
            Some(_) => errors.push(format!("{INDEX}: {file} has more than one row")),
            None => errors.push(format!("{INDEX}: no row for {file}")),
        }
    }
    errors
}

/// The file of `7](0007-x.md) | title | date | status | choice |`. That it exists is a rule of links.
fn file_of(row: &str) -> Result<&str, &'static str> {
    let cells: Vec<&str> = row.trim_end_matches([' ', '|']).split(" | ").collect();
    let [link, title, date, status, choice] = cells.as_slice() else {
        return Err("not link, title, date, status and choice");
    };
    let (number, file) = link
        .split_once("](")
        .and_then(|(number, file)| Some((number, file.strip_suffix(')')?)))
        .ok_or("no link to a record")?;
    let named = file.split('-').next().and_then(|it| it.parse::<u32>().ok());
    if number.parse().ok() != named {
        return Err("its number is not that of the file");
    }
    let is_date = date.len() == 10 && date.split('-').all(|it| it.parse::<u32>().is_ok());
    let is_status = *status == "in force"
        || status.starts_with("amended by [")
        || status.starts_with("replaced by [");
    if title.is_empty() || choice.is_empty() || !is_date {
        return Err("no title, date or choice");
    }
    if is_status { Ok(file) } else { Err("its status is none of the three") }
}

#[cfg(test)]
mod tests {
    use super::{errors_of, file_of};

    #[test]
    fn record_without_row_is_refused() {
        let row = "| [7](0007-a.md) | A | 2026-11-22 | in force | Reads |\n";
        let errors = |index: &str| errors_of(["0007-a.md"].into_iter(), index);
        assert!(errors(row).is_empty());
        assert_eq!(errors(""), ["docs/decisions/README.md: no row for 0007-a.md"]);
        assert!(errors(&row.repeat(2))[0].contains("more than one row"));
    }

    #[test]
    fn rows_are_whole() {
        let amended = "7](0007-a.md) | A | 2026-11-22 | amended by [15](0015-b.md) | Reads |";
        assert_eq!(file_of(amended), Ok("0007-a.md"));
        for (row, error) in [
            ("7](0007-a.md) | A | 2026-11-22 | in force |", "not link"),
            ("8](0007-a.md) | A | 2026-11-22 | in force | Reads |", "its number"),
            ("7](0007-a.md) | A | soon | in force | Reads |", "no title"),
            ("7](0007-a.md) | A | 2026-11-22 | valid | Reads |", "its status"),
        ] {
            assert!(file_of(row).is_err_and(|it| it.starts_with(error)), "{row}");
        }
    }
}
