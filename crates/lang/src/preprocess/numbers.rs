//! Steps over numbers.

use model::ValueType;

use super::data::Data;
use super::error::StepError;
use crate::number;

/// Texts that mean 1, and texts that mean 0.
const TRUE: &[&str] =
    &["true", "t", "yes", "y", "on", "up", "running", "enabled", "available", "ok", "master"];
const FALSE: &[&str] =
    &["false", "f", "no", "n", "off", "down", "unused", "disabled", "unavailable", "err", "slave"];

pub(super) fn multiply(
    data: &Data<'_>,
    (factor, whole): (f64, Option<u64>),
    value_type: ValueType,
) -> Result<Data<'static>, StepError> {
    let Some(value) = data.to_number() else {
        return Err(StepError::Value(format!(
            "cannot apply multiplier \"{}\" to value of type \"{}\": cannot convert value to numeric type",
            number::format_f64(factor),
            data.kind_name(),
        )));
    };
    // Unsigned items count in whole numbers from the start.
    let value = match &value {
        Data::Float(it) if value_type == ValueType::Unsigned => {
            number::f64_to_u64(it.trunc()).map(Data::Unsigned).ok_or_else(|| {
                StepError::Value("cannot convert value to unsigned number".to_owned())
            })?
        }
        _ => value,
    };
    if let (Data::Unsigned(value), Some(whole)) = (&value, whole)
        && value_type != ValueType::Float
        && let Some(product) = value.checked_mul(whole)
    {
        return Ok(Data::Unsigned(product));
    }
    let product = value.to_f64().unwrap_or(f64::NAN) * factor;
    if !product.is_finite() {
        return Err(StepError::Value("value is out of range after multiplication".to_owned()));
    }
    // Whole numbers stay whole unless the item stores fractions.
    Ok(match value {
        Data::Unsigned(_) if value_type != ValueType::Float => {
            number::f64_to_u64(product.trunc()).map_or(Data::Float(product), Data::Unsigned)
        }
        _ => Data::Float(product),
    })
}

pub(super) fn to_bool(data: &Data<'_>) -> Result<Data<'static>, StepError> {
    let text = data.as_text();
    let trimmed = digits_of(&text).to_ascii_lowercase();
    if let Some(number) = number::parse_f64(&trimmed) {
        return Ok(Data::Unsigned(u64::from(number != 0.0)));
    }
    if TRUE.contains(&trimmed.as_str()) {
        Ok(Data::Unsigned(1))
    } else if FALSE.contains(&trimmed.as_str()) {
        Ok(Data::Unsigned(0))
    } else {
        Err(StepError::Value("cannot convert value from boolean format".to_owned()))
    }
}

/// What is left of a text without quotes, spaces and line ends around it.
fn digits_of(text: &str) -> &str {
    text.trim_start_matches([' ', '"']).trim_end_matches([' ', '"', '\n', '\r'])
}

/// Octets of two hexadecimal digits each, apart by spaces or line breaks: `FF 0A`.
fn is_octets(text: &str) -> bool {
    let mut octets = text.split([' ', '\n']).filter(|it| !it.is_empty());
    octets.all(|it| it.len() == 2 && it.bytes().all(|it| it.is_ascii_hexdigit()))
}

pub(super) fn from_radix(data: &Data<'_>, radix: u32) -> Result<Data<'static>, StepError> {
    let text = data.as_text();
    let mut digits = digits_of(&text).to_owned();
    if radix == 16 && is_octets(&digits) {
        digits.retain(|it| !matches!(it, ' ' | '\n'));
    }
    let is_number = !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix));
    let value = if is_number { u64::from_str_radix(&digits, radix).ok() } else { None };
    let name = if radix == 16 { "hexadecimal" } else { "octal" };
    value
        .map(Data::Unsigned)
        .ok_or_else(|| StepError::Value(format!("cannot convert value from {name} format")))
}

pub(super) fn in_range(
    data: &Data<'_>,
    min: Option<f64>,
    max: Option<f64>,
) -> Result<(), StepError> {
    let Some(value) = data.to_f64() else {
        return Err(StepError::Value("cannot convert value to numeric type".to_owned()));
    };
    if let Some(min) = min
        && value < min
    {
        return Err(StepError::Value(
            format!("value is less than {} ", number::format_f64(min)).trim_end().to_owned(),
        ));
    }
    if let Some(max) = max
        && value > max
    {
        return Err(StepError::Value(format!("value is greater than {}", number::format_f64(max))));
    }
    Ok(())
}
