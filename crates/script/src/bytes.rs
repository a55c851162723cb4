//! Bytes in the arguments and results of scripts: texts, base64, authentication codes.

use base64::Engine;
use base64::alphabet;
use base64::engine::general_purpose::GeneralPurpose;
use base64::engine::{DecodePaddingMode, GeneralPurposeConfig};
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha2::Sha256;
use wire::http::codes::hex;

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// Bytes from a script: a text in UTF-8, or one character a byte.
pub(crate) fn given(is_binary: bool, text: String) -> Vec<u8> {
    if is_binary {
        text.chars().map(|it| u8::try_from(it).unwrap_or(b'?')).collect()
    } else {
        text.into_bytes()
    }
}

/// One character a byte.
pub(crate) fn as_chars(bytes: &[u8]) -> String {
    bytes.iter().map(|it| char::from(*it)).collect()
}

/// Text of a body: UTF-8, or else one character a byte.
pub(crate) fn as_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|it| as_chars(it.as_bytes()))
}

/// Decodes up to the padding; characters outside the alphabet are skipped.
pub(crate) fn decode(text: &str) -> Vec<u8> {
    let is_digit = |it: &u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
    let mut digits: Vec<u8> = text.bytes().take_while(|it| *it != b'=').filter(is_digit).collect();
    if digits.len() % 4 == 1 {
        digits.pop();
    }
    LENIENT.decode(digits).unwrap_or_default()
}

/// # Errors
/// If there is no such hash.
pub(crate) fn hmac_hex(kind: &str, key: &[u8], bytes: &[u8]) -> Result<String, String> {
    match kind {
        "md5" => code::<Hmac<Md5>>(key, bytes),
        "sha256" => code::<Hmac<Sha256>>(key, bytes),
        _ => Err("unknown hash type".to_owned()),
    }
}

fn code<M: Mac + KeyInit>(key: &[u8], bytes: &[u8]) -> Result<String, String> {
    let mut mac = <M as KeyInit>::new_from_slice(key).map_err(|it| it.to_string())?;
    mac.update(bytes);
    Ok(hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_read_as_people_write_it() {
        assert_eq!(decode("MQ\nAz"), [49, 0, 51]);
        assert_eq!(decode("dGVzdA=="), b"test");
        assert_eq!(decode("dGVzdA"), b"test");
        assert_eq!(decode("d"), b"");
        assert_eq!(decode(""), b"");
    }

    #[test]
    fn bodies_are_utf8_or_bytes() {
        assert_eq!(as_text("é".as_bytes().to_vec()), "é");
        assert_eq!(as_text(vec![0x41, 0xe9]), "Aé");
        assert_eq!(given(true, "é\u{0}".to_owned()), [0xe9, 0]);
        assert_eq!(given(false, "é".to_owned()), [0xc3, 0xa9]);
    }
}
