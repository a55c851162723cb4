//! Value maps: the first mapping that fits names the value.

use model::Value;
use model::content::ValueMapping;

use formats::number;
use formats::regexp::Regexp;

/// Kinds of mappings.
const EQUAL: i64 = 0;
const AT_LEAST: i64 = 1;
const AT_MOST: i64 = 2;
const IN_RANGE: i64 = 3;
const REGEXP: i64 = 4;
const DEFAULT: i64 = 5;

/// The name of a value, if the map has one. Ranges and limits are for numbers, regular expressions
/// for texts.
#[must_use]
pub fn mapped<'m>(value: &Value, map: &'m [ValueMapping]) -> Option<&'m str> {
    let matches = |it: &&ValueMapping| match (value.as_f64(), value.as_text()) {
        (Some(number), _) => number_matches(it, number),
        (None, Some(text)) => text_matches(it, text),
        (None, None) => false,
    };
    map.iter().find(matches).map(|it| it.newvalue.as_str())
}

/// As [`mapped`], but the default applies where no other mapping does, in any position.
#[must_use]
pub(super) fn mapped_at_last<'m>(value: &Value, map: &'m [ValueMapping]) -> Option<&'m str> {
    let own = map.iter().filter(|it| it.kind != DEFAULT);
    let own = own.map(|it| mapped(value, std::slice::from_ref(it))).find(Option::is_some);
    let default = || map.iter().rev().find(|it| it.kind == DEFAULT);
    own.flatten().or_else(|| default().map(|it| it.newvalue.as_str()))
}

fn number_matches(mapping: &ValueMapping, value: f64) -> bool {
    let limit = || number::parse_suffixed(&mapping.value);
    match mapping.kind {
        EQUAL => limit().is_some_and(|it| number::same(it, value)),
        AT_LEAST => limit().is_some_and(|it| value >= it),
        AT_MOST => limit().is_some_and(|it| value <= it),
        IN_RANGE => mapping.value.split(',').any(|it| range_has(it.trim(), value)),
        DEFAULT => true,
        _ => false,
    }
}

fn text_matches(mapping: &ValueMapping, value: &str) -> bool {
    match mapping.kind {
        EQUAL => mapping.value == value,
        REGEXP => Regexp::new(&mapping.value).and_then(|it| it.is_match(value)).unwrap_or(false),
        DEFAULT => true,
        _ => false,
    }
}

/// `5`, `5-7`, `-10--5`, `4 - 6`.
fn range_has(range: &str, value: f64) -> bool {
    let bytes = range.as_bytes();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let mut end = sign + number::decimal_len(&bytes[sign..]);
    if bytes.get(end).is_some_and(|it| number::suffix_factor(*it).is_some()) {
        end += 1;
    }
    let Some(first) = range.get(..end).and_then(number::parse_suffixed) else { return false };
    let rest = range.get(end..).unwrap_or("").trim_start();
    if rest.is_empty() {
        return number::same(first, value);
    }
    let last = rest.strip_prefix('-').map(str::trim).and_then(number::parse_suffixed);
    last.is_some_and(|last| value >= first && value <= last)
}
