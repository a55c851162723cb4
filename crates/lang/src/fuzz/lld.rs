//! Rows of discovery.

use formats::fuzz::utf8;
use model::content::{FilterCondition, LldFilter, LldMacroPath, LldOperation, LldOverride, Tag};

use crate::lld::{OverrideTarget, Overrides, Paths, RowFilter, same_rows};
use crate::{tags, text};

/// Rows: the first line is a path of a macro, the second a pattern, the third a formula, the rest the
/// value.
pub fn lld(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(4, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (path, pattern, formula, value) = (line(), line(), line(), line());
    if let Ok(is_same) = same_rows(value, value) {
        assert!(is_same, "a value is what it is");
    }
    let paths = [LldMacroPath { lld_macro: "{#A}".to_owned(), path: path.to_owned() }];
    let Ok(rows) = Paths::new(&paths).unwrap_or_default().rows(value) else { return };
    let condition = |name: &str, operator, formulaid: &str| FilterCondition {
        name: name.to_owned(),
        value: pattern.to_owned(),
        operator,
        formulaid: formulaid.to_owned(),
    };
    for evaltype in 0..=3 {
        let filter = LldFilter {
            evaltype,
            formula: formula.to_owned(),
            conditions: vec![condition("{#A}", 8, "A"), condition("{#B}", 12, "B")],
        };
        if let Ok(compiled) = RowFilter::new(&filter, &mut str::to_owned, &[]) {
            rows.iter().take(100).for_each(|it| {
                let _kept = compiled.keeps(it);
            });
        }
        let operation =
            LldOperation { operator: 8, value: pattern.to_owned(), ..Default::default() };
        let one = LldOverride { filter, operations: vec![operation], ..Default::default() };
        let Ok(overrides) = Overrides::new(&[one], &mut str::to_owned, &[]) else { continue };
        for row in rows.iter().take(100) {
            let _changes =
                overrides.of_row(row).map(|it| it.changes(OverrideTarget::Item, formula));
        }
    }
    let named = |it: &str| Tag { tag: it.to_owned(), value: pattern.to_owned() };
    let _order = tags::order(&named(path), &named(formula));
    let _natural = text::natural_order(path, formula);
}
