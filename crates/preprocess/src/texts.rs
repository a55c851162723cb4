//! Steps over texts.

use std::borrow::Cow;

use super::data::Data;
use super::error::StepError;
use formats::regexp::Regexp;

/// Longest text that a replacement makes. A longer one is an error.
const TEXT_BYTES_MAX: usize = 16 << 20;

pub(super) fn trim<'a>(data: Data<'a>, chars: &str, left: bool, right: bool) -> Data<'a> {
    let is_trimmed = |it: char| chars.contains(it);
    match data.into_text() {
        Cow::Borrowed(mut text) => {
            if left {
                text = text.trim_start_matches(is_trimmed);
            }
            if right {
                text = text.trim_end_matches(is_trimmed);
            }
            Data::text(text)
        }
        Cow::Owned(mut text) => {
            if right {
                text.truncate(text.trim_end_matches(is_trimmed).len());
            }
            if left {
                let cut = text.len() - text.trim_start_matches(is_trimmed).len();
                text.drain(..cut);
            }
            Data::text(text)
        }
    }
}

pub(super) fn regex(
    data: &Data<'_>,
    regexp: &Regexp,
    template: &str,
) -> Result<Data<'static>, StepError> {
    let failed = |why: &str| {
        // A number is a text by then.
        StepError::Value(format!(
            "cannot perform regular expression \"{}\" match for value of type \"string\": {why}",
            regexp.pattern(),
        ))
    };
    match regexp.extract(&data.as_text(), template) {
        Ok(Some(text)) => Ok(Data::text(text)),
        Ok(None) => Err(failed("pattern does not match")),
        Err(error) => Err(failed(&error.to_string())),
    }
}

pub(super) fn check_match(
    data: &Data<'_>,
    regexp: &Regexp,
    expected: bool,
) -> Result<(), StepError> {
    let why = match regexp.is_match(&data.as_text()) {
        Ok(found) if found == expected => return Ok(()),
        Ok(true) => "value matches regular expression".to_owned(),
        Ok(false) => "value does not match regular expression".to_owned(),
        Err(error) => error.to_string(),
    };
    Err(StepError::Value(format!(
        "cannot perform regular expression \"{}\" validation for value of type \"{}\": {why}",
        regexp.pattern(),
        data.kind_name(),
    )))
}

pub(super) fn replace<'a>(
    data: Data<'a>,
    search: &str,
    replacement: &str,
) -> Result<Data<'a>, StepError> {
    let text = data.into_text();
    let n_found = text.matches(search).count();
    if n_found == 0 {
        return Ok(Data::Text(text));
    }
    if text.len() + n_found.saturating_mul(replacement.len()) > TEXT_BYTES_MAX {
        return Err(StepError::Value("text is too long after replacement".to_owned()));
    }
    Ok(Data::text(text.replace(search, replacement)))
}
