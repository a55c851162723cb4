//! The server's answer to values: written by the server, read by agents and senders.

use std::fmt;

use serde::Deserialize;

use super::text::write_json_string;
use crate::lenient;

/// The counts of an answer. Its `Display` is the text that sender tools parse: keep it to the
/// letter. Counts that Zabbix does not have come after its own, where no tool looks, and only if
/// they are not zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Info {
    pub processed: u64,
    pub failed: u64,
    pub total: u64,
    /// Processed values that their items could not use.
    pub unsupported: u64,
    /// Processed texts that were kept in part.
    pub cut: u64,
    /// Microseconds from request to answer.
    pub spent_us: u64,
}

impl fmt::Display for Info {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "processed: {}; failed: {}; total: {}; seconds spent: {}.{:06}",
            self.processed,
            self.failed,
            self.total,
            self.spent_us / 1_000_000,
            self.spent_us % 1_000_000
        )?;
        for (name, n) in [("unsupported", self.unsupported), ("cut", self.cut)] {
            if n != 0 {
                write!(f, "; {name}: {n}")?;
            }
        }
        Ok(())
    }
}

impl Info {
    /// Reads the text of [`Info`]'s `Display`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut info = Self::default();
        for part in text.split(';') {
            let (name, value) = part.split_once(':')?;
            let value = value.trim();
            match name.trim() {
                "processed" => info.processed = value.parse().ok()?,
                "failed" => info.failed = value.parse().ok()?,
                "total" => info.total = value.parse().ok()?,
                "unsupported" => info.unsupported = value.parse().ok()?,
                "cut" => info.cut = value.parse().ok()?,
                "seconds spent" => {
                    let (seconds, fraction) = value.split_once('.')?;
                    let micros = fraction.get(..6)?.parse::<u64>().ok()?;
                    info.spent_us =
                        seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?.checked_add(micros)?;
                }
                _ => {}
            }
        }
        Some(info)
    }
}

/// The address that a peer of a proxy group has to use.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct Redirect {
    /// Revision of the group's assignments; redirects older than the newest are outdated.
    #[serde(default, deserialize_with = "lenient::whole_or_zero")]
    pub revision: u64,
    /// `host` or `host:port`.
    #[serde(default)]
    pub address: Option<String>,
    /// Return to the configured address.
    #[serde(default)]
    pub reset: bool,
}

/// `{"response":"success","info":"processed: …"}`
#[must_use]
pub fn encode_success(info: &Info) -> Vec<u8> {
    format!(r#"{{"response":"success","info":"{info}"}}"#).into_bytes()
}

/// `{"response":"failed","info":"…"}`
#[must_use]
pub fn encode_failed(info: &str) -> Vec<u8> {
    let mut out = br#"{"response":"failed","info":"#.to_vec();
    write_json_string(info, &mut out);
    out.push(b'}');
    out
}

/// `{"response":"failed","redirect":{…}}`
#[must_use]
pub fn encode_redirect(redirect: &Redirect) -> Vec<u8> {
    let mut out = br#"{"response":"failed","redirect":{"#.to_vec();
    if redirect.reset {
        out.extend_from_slice(br#""reset":true"#);
    } else {
        out.extend_from_slice(format!(r#""revision":{},"address":"#, redirect.revision).as_bytes());
        write_json_string(redirect.address.as_deref().unwrap_or_default(), &mut out);
    }
    out.extend_from_slice(b"}}");
    out
}

/// An answer for a sender or an agent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SenderAnswer {
    pub success: bool,
    /// Its text, whatever it says.
    pub info: Option<String>,
    /// The text's counts, if it is of that form.
    pub counts: Option<Info>,
    /// The server asks to hold values back for now.
    pub upload_disabled: bool,
    pub redirect: Option<Redirect>,
}

impl SenderAnswer {
    /// # Errors
    /// When the payload is no JSON object with a `response`.
    pub fn parse(payload: &[u8]) -> Result<Self, serde_json::Error> {
        #[derive(Deserialize)]
        struct Shape {
            response: String,
            info: Option<String>,
            upload: Option<String>,
            redirect: Option<Redirect>,
        }
        let shape: Shape = lenient::parse_object(payload)?;
        Ok(Self {
            success: shape.response == "success",
            counts: shape.info.as_deref().and_then(Info::parse),
            info: shape.info,
            upload_disabled: shape.upload.as_deref() == Some("disabled"),
            redirect: shape.redirect,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn success_is_to_the_letter() {
        let info = Info { processed: 1, total: 1, spent_us: 45, ..Info::default() };
        let expected = r#"{"response":"success","info":"processed: 1; failed: 0; total: 1; seconds spent: 0.000045"}"#;
        assert_eq!(String::from_utf8(encode_success(&info)).unwrap(), expected);
        let answer = SenderAnswer::parse(expected.as_bytes()).unwrap();
        assert!(answer.success);
        assert_eq!(answer.counts, Some(info));
        let slow = Info { processed: 7, failed: 3, total: 10, spent_us: 12_345_678, ..info };
        assert_eq!(Info::parse(&slow.to_string()), Some(slow));
    }

    #[test]
    fn own_counts_come_after_those_of_zabbix() {
        let cut = Info { processed: 9, failed: 1, total: 10, cut: 2, ..Info::default() };
        let text = "processed: 9; failed: 1; total: 10; seconds spent: 0.000000; cut: 2";
        assert_eq!(cut.to_string(), text);
        let both = Info { unsupported: 3, ..cut };
        assert!(both.to_string().ends_with("seconds spent: 0.000000; unsupported: 3; cut: 2"));
        assert_eq!(Info::parse(&both.to_string()), Some(both));
    }

    #[test]
    fn failure_and_redirect_survive_the_way() {
        let failed = SenderAnswer::parse(&encode_failed("host [\"a\\b\"] not found")).unwrap();
        assert!(!failed.success);
        assert_eq!(failed.info.as_deref(), Some("host [\"a\\b\"] not found"));
        assert_eq!(failed.counts, None);

        let redirect =
            Redirect { revision: 4, address: Some("proxy2:10051".to_owned()), reset: false };
        let answer = SenderAnswer::parse(&encode_redirect(&redirect)).unwrap();
        assert_eq!(answer.redirect, Some(redirect));
        let reset = Redirect { reset: true, ..Redirect::default() };
        let answer = SenderAnswer::parse(&encode_redirect(&reset)).unwrap();
        assert_eq!(answer.redirect, Some(reset));
    }

    #[test]
    fn upload_disabled_is_understood_and_nonsense_refused() {
        let answer = SenderAnswer::parse(br#"{"upload":"disabled","response":"success"}"#).unwrap();
        assert!(answer.success && answer.upload_disabled);
        for nonsense in ["", "{}", "[]", "ZBX_NOTSUPPORTED", r#"{"response":5}"#] {
            assert!(SenderAnswer::parse(nonsense.as_bytes()).is_err(), "{nonsense}");
        }
        assert_eq!(Info::parse("processed: x; failed: 0"), None);
        assert_eq!(Info::parse("processed: 1; seconds spent: 0.01"), None);
    }
}
