//! Preprocessing steps, regular expressions, rows of discovery.

use model::content::{
    FilterCondition, LldFilter, LldMacroPath, LldOperation, LldOverride, OnFail, PreprocStep,
    Step as Code, Tag,
};
use model::{Time, ValueType};

use super::utf8;
use crate::lld::{Filter, Object, Overrides, Paths, same_rows};
use crate::preprocess::{
    Context, Data, NoScripts, Outcome, Progress, Shared, Step, StepState, Trail, resume, run_light,
    run_with_scripts,
};
use crate::regexp::{Regexp, expand};
use crate::{tags, text, wildcard};

/// Steps: the first line is the type's code, the second how many lines of parameters follow, the rest
/// the value. In one go, and stopping at heavy steps with a shared value, it is the same.
pub fn step(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (code, n_lines, rest) = (line(), line(), line());
    let code = code.parse().ok().and_then(Code::from_code);
    // Scripts have a target of their own.
    let Some(kind) = code.filter(|it| *it != Code::JavaScript) else { return };
    let n_lines = n_lines.parse().unwrap_or(1_usize);
    let end = match n_lines {
        0 => 0,
        n => rest.match_indices('\n').nth(n - 1).map_or(rest.len(), |it| it.0),
    };
    let (params, value) = rest.split_at(end);
    let value = if n_lines == 0 { value } else { value.strip_prefix('\n').unwrap_or("") };
    let step = PreprocStep {
        kind,
        params: params.to_owned(),
        error_handler: OnFail::Default,
        error_handler_params: String::new(),
    };
    let steps = [Step::compile(&step)];
    let _dispatched = steps[0].dispatch().map(|it| it.split(value));
    for value_type in [ValueType::Text, ValueType::Float, ValueType::Unsigned] {
        both_ways(&steps, value, value_type);
    }
}

fn both_ways(steps: &[Step; 1], value: &str, value_type: ValueType) {
    let mut whole = [StepState::default()];
    let mut light = [StepState::default()];
    let mut shared = Shared::new(value);
    // The second value, as a number if it is one, meets what the first left behind.
    let second = Data::text(value).to_number().unwrap_or_else(|| Data::text(value));
    for (at, data) in [Data::text(value), second].into_iter().enumerate() {
        let secs = i32::try_from(at).unwrap_or(0) * 7;
        let context =
            Context { time: Time::from_clock(1_700_000_000 + i64::from(secs), 0), value_type };
        let expected =
            run_with_scripts(steps, &mut whole, Ok(data.clone()), context, &mut NoScripts);
        let progress = run_light(steps, &mut light, (0, Ok(data)), context, Some(&mut shared));
        let got = match progress {
            Progress::Done(it) => it,
            Progress::Rows { value, .. } => Outcome::Value(value),
            Progress::Heavy { step, value, trail } => {
                let result = steps[step].apply_heavy(value.clone(), context, &mut NoScripts, None);
                let trail = trail.map_or_else(|| Trail::of(step, &value), |it| *it);
                match resume(steps, &mut light, (step, trail), result, context) {
                    Progress::Done(it) => it,
                    // There is one step.
                    Progress::Heavy { .. } | Progress::Rows { .. } => return,
                }
            }
        };
        assert_eq!(got, expected, "light and heavy are the same");
        if let Outcome::Value(Data::Float(it)) = got {
            assert!(!it.is_nan(), "a result is a number");
        }
    }
}

/// Regular expressions: the first line is the pattern, the second a template, the rest the text.
pub fn regexp(bytes: &[u8]) {
    let Some(text) = utf8(bytes) else { return };
    let mut lines = text.splitn(3, '\n');
    let mut line = || lines.next().unwrap_or("");
    let (pattern, template, text) = (line(), line(), line());
    let _matches = wildcard::matches(pattern, text);
    for regexp in [Regexp::new(pattern), Regexp::new_caseless(pattern)].into_iter().flatten() {
        assert_eq!(regexp.pattern(), pattern);
        let (Ok(is_match), Ok(groups)) = (regexp.is_match(text), regexp.groups(text)) else {
            continue;
        };
        assert_eq!(is_match, groups.is_some(), "a match has groups");
        let Some(groups) = groups else { continue };
        let (start, end) = groups.span();
        // `\K` in a look-ahead lets a match begin behind its end.
        if start <= end {
            assert!(text.get(start..end).is_some(), "a match ends between characters");
        }
        let _expanded = expand(template, &groups);
        let _extracted = regexp.extract(text, template);
    }
}

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
        if let Ok(compiled) = Filter::new(&filter, &mut str::to_owned, &[]) {
            rows.iter().take(100).for_each(|it| {
                let _kept = compiled.keeps(it);
            });
        }
        let operation =
            LldOperation { operator: 8, value: pattern.to_owned(), ..Default::default() };
        let one = LldOverride { filter, operations: vec![operation], ..Default::default() };
        let Ok(overrides) = Overrides::new(&[one], &mut str::to_owned, &[]) else { continue };
        for row in rows.iter().take(100) {
            let _changes = overrides.of_row(row).map(|it| it.changes(Object::Item, formula));
        }
    }
    let named = |it: &str| Tag { tag: it.to_owned(), value: pattern.to_owned() };
    let _order = tags::order(&named(path), &named(formula));
    let _natural = text::natural_order(path, formula);
}
