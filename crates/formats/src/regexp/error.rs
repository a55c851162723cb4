//! Why a regular expression gives no answer, in the words of PCRE2.

use thiserror::Error;

/// Why a regular expression gives no answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RegexpError {
    /// The pattern does not compile.
    #[error("{0}")]
    Compile(String),
    /// The pattern was too expensive for this text.
    #[error("error occurred during regular expression matching: {0}")]
    Match(String),
}

pub(super) fn compile_error(error: &pcre2::Error, prefix_len: usize) -> RegexpError {
    let text = error.to_string();
    let offset = error.offset().map_or(0, |it| it.saturating_sub(prefix_len));
    let reason = text.rsplit(": ").next().unwrap_or(&text).to_owned();
    RegexpError::Compile(format!("{reason} (position {offset})"))
}

pub(super) fn match_error(error: &pcre2::Error) -> RegexpError {
    RegexpError::Match(error.to_string().trim_start_matches("PCRE2: ").to_owned())
}
