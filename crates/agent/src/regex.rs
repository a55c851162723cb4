//! Regular expressions in parameters: PCRE, as Zabbix's users write them.

use pcre2::bytes::{Regex, RegexBuilder};

use crate::outcome::Refusal;
use crate::params::{Params, invalid_regex};

pub(crate) fn compile(params: &Params<'_>, idx: usize) -> Result<Regex, Refusal> {
    let mut builder = RegexBuilder::new();
    builder.utf(true).multi_line(true).jit_if_available(true);
    builder.build(params.get(idx)).map_err(|source| {
        // The library prefixes what it was doing; users know Zabbix's bare reason.
        let text = source.to_string();
        let reason = text.rsplit_once(": ").map_or(text.as_str(), |it| it.1);
        invalid_regex(idx, reason)
    })
}

/// None if the parameter is empty: nothing to choose by.
pub(crate) fn compile_optional(params: &Params<'_>, idx: usize) -> Result<Option<Regex>, Refusal> {
    match params.get(idx) {
        "" => Ok(None),
        _ => compile(params, idx).map(Some),
    }
}

/// A search that gives up (its limit of steps reached) has found nothing.
pub(crate) fn is_match(regex: &Regex, text: &str) -> bool {
    regex.is_match(text.as_bytes()).unwrap_or(false)
}
