//! Update intervals as users write them.

use crate::error::ApiError;

/// # Errors
/// If the text is no interval. Macros may stand anywhere; what they stand for shows at run time.
pub(crate) fn check(delay: &str, path: &str) -> Result<(), ApiError> {
    if delay.is_empty() {
        return Err(ApiError::field(path, "cannot be empty"));
    }
    // "0" alone: no polling; whether the type of check may do without is checked elsewhere.
    if delay == "0" || delay == "0s" {
        return Ok(());
    }
    lang::interval::validate(delay).map_err(|error| ApiError::field(path, &error.to_string()))
}
