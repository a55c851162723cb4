//! Private keys in pasted text.

use super::bytes;

/// DER of a private key in PEM, whose lines may be joined, or separated by spaces, line ends or a
/// literal `\n`.
///
/// # Errors
/// If there is no such key in the text.
pub(super) fn der(text: &str) -> Result<Vec<u8>, String> {
    let invalid = || "cannot read private key".to_owned();
    let plain = text.replace("\\r", "\n").replace("\\n", "\n");
    let (_, rest) = plain.split_once("-----BEGIN ").ok_or_else(invalid)?;
    let (label, rest) = rest.split_once("-----").ok_or_else(invalid)?;
    if !label.ends_with("PRIVATE KEY") || label.contains("ENCRYPTED") {
        return Err(invalid());
    }
    let (body, _) = rest.split_once("-----END ").ok_or_else(invalid)?;
    let der = bytes::decode(body);
    if der.is_empty() { Err(invalid()) } else { Ok(der) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_in_any_way() {
        for text in [
            "-----BEGIN PRIVATE KEY-----\nMQ\nAz\n-----END PRIVATE KEY-----\n",
            "-----BEGIN PRIVATE KEY-----MQAz-----END PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY----- MQ Az -----END PRIVATE KEY-----",
            "\"-----BEGIN PRIVATE KEY-----\\nMQ\\nAz\\n-----END PRIVATE KEY-----\"",
        ] {
            assert_eq!(der(text), Ok(vec![49, 0, 51]), "{text}");
        }
        assert!(der("invalid").is_err());
        assert!(der("-----BEGIN CERTIFICATE-----MQAz-----END CERTIFICATE-----").is_err());
    }
}
