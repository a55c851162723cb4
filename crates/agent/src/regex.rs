//! Regular expressions in parameters: PCRE, as Zabbix's users write them, with bounded work for each text.

use formats::regexp::{Regexp, RegexpError};

use crate::outcome::Refusal;
use crate::params::{Params, invalid_regex};

pub(crate) fn compile(params: &Params<'_>, idx: usize) -> Result<Regexp, Refusal> {
    Regexp::new(params.get(idx)).map_err(|error| match error {
        // Users know Zabbix's bare reason.
        RegexpError::Compile(text) => {
            invalid_regex(idx, text.rsplit_once(" (position ").map_or(text.as_str(), |it| it.0))
        }
        error @ RegexpError::Match(_) => invalid_regex(idx, &error.to_string()),
    })
}

/// None if the parameter is empty: nothing to choose by.
pub(crate) fn compile_optional(params: &Params<'_>, idx: usize) -> Result<Option<Regexp>, Refusal> {
    match params.get(idx) {
        "" => Ok(None),
        _ => compile(params, idx).map(Some),
    }
}

/// A search that reaches its limit of steps has found nothing.
pub(crate) fn is_match(regexp: &Regexp, text: &str) -> bool {
    regexp.is_match(text).unwrap_or(false)
}
