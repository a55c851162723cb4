//! Items that take messages: `syslog[<regexp>,<facility>,<severity>]`, and `syslog.fallback` for those that
//! no other item of the host takes.
//!
//! `regexp` is a regular expression or `@name` of a global one, for the text; `facility` names one
//! or several (`"auth,authpriv"`, also by number); `severity` is the least severe one that is
//! taken. An omitted parameter takes all.

use std::net::IpAddr;

use lang::global_regexp::TextPattern;
use model::ItemId;
use model::content::{GlobalRegexp, ItemContent, ItemType};
use model::key::ItemKey;
use model::snapshot::{ItemRow, Snapshot};
use wire::syslog::{FACILITIES, SEVERITIES, SyslogMessage};

use crate::allowed::peer_is_allowed;

const NAME: &str = "syslog";
const FALLBACK: &str = "syslog.fallback";

/// An item, read.
#[derive(Debug)]
pub(super) struct SyslogItem {
    pub(super) id: ItemId,
    pub(super) is_fallback: bool,
    wanted: Wanted,
    /// Allowed senders; empty: any.
    pub(super) allowed: String,
}

/// The parameters of a key.
#[derive(Debug)]
pub(crate) struct Wanted {
    is_fallback: bool,
    pattern: Option<TextPattern>,
    /// A bit for each facility.
    facilities: u32,
    severity_max: u8,
}

/// Whether an item is of this kind.
pub(crate) fn is_syslog(content: &ItemContent) -> bool {
    let name = content.key_.split('[').next().unwrap_or_default();
    content.kind == ItemType::Trapper && matches!(name, NAME | FALLBACK)
}

/// Why an item gets no messages as it is configured.
pub(crate) fn refusal(snapshot: &Snapshot, row: &ItemRow) -> Option<String> {
    let key = row.key();
    // The receiver checks the values of macros.
    if key.contains("{$") {
        return None;
    }
    Wanted::read(&key, &snapshot.globals.regexps).err()
}

impl Wanted {
    /// Reads a key in which macros are replaced.
    ///
    /// # Errors
    /// The mistake in it, for the user.
    pub(crate) fn read(key: &str, regexps: &[GlobalRegexp]) -> Result<Self, String> {
        let key = ItemKey::parse(key).map_err(|_position| "Invalid item key format.".to_owned())?;
        if (key.name == FALLBACK && !key.params.is_empty()) || 3 < key.params.len() {
            return Err("Too many parameters.".to_owned());
        }
        let pattern = match key.param(0) {
            "" => None,
            it => Some(TextPattern::new(it, regexps).map_err(|error| error.to_string())?),
        };
        Ok(Self {
            is_fallback: key.name == FALLBACK,
            pattern,
            facilities: facilities(key.param(1))?,
            severity_max: severity(key.param(2))?,
        })
    }

    fn takes(&self, message: &SyslogMessage<'_>) -> bool {
        let is_of_facility = self.facilities & (1 << message.facility) != 0;
        let is_text = |it: &TextPattern| it.is_match(&message.text).unwrap_or(false);
        is_of_facility
            && message.severity <= self.severity_max
            && self.pattern.as_ref().is_none_or(is_text)
    }
}

impl SyslogItem {
    pub(super) fn new(id: ItemId, wanted: Wanted, allowed: String) -> Self {
        Self { id, is_fallback: wanted.is_fallback, wanted, allowed }
    }

    pub(super) fn takes(&self, message: &SyslogMessage<'_>, from: IpAddr) -> bool {
        // Names are not resolved for each message: they cover no sender.
        let is_allowed =
            self.allowed.is_empty() || peer_is_allowed(&self.allowed, from, &mut |_name| false);
        is_allowed && self.wanted.takes(message)
    }
}

fn facilities(written: &str) -> Result<u32, String> {
    if written.trim().is_empty() {
        return Ok(u32::MAX);
    }
    let mut all = 0;
    for name in written.split([',', '|']).map(str::trim) {
        let number = FACILITIES.iter().position(|it| it.eq_ignore_ascii_case(name));
        let number = number.or_else(|| name.parse().ok()).filter(|it| *it < FACILITIES.len());
        let number = number.ok_or_else(|| format!("Unknown facility \"{name}\"."))?;
        all |= 1_u32 << number;
    }
    Ok(all)
}

fn severity(written: &str) -> Result<u8, String> {
    let name = written.trim();
    if name.is_empty() {
        return Ok(u8::MAX);
    }
    let named = match name.to_ascii_lowercase().as_str() {
        "emergency" | "panic" => Some(0),
        "critical" => Some(2),
        "error" => Some(3),
        "warn" => Some(4),
        "information" | "informational" => Some(6),
        other => SEVERITIES.iter().position(|it| *it == other),
    };
    let number = named.or_else(|| name.parse().ok()).filter(|it| *it < SEVERITIES.len());
    let number = number.ok_or_else(|| format!("Unknown severity \"{name}\"."))?;
    Ok(u8::try_from(number).unwrap_or(u8::MAX))
}

#[cfg(test)]
mod tests {
    use wire::syslog::parse;

    use super::*;

    #[test]
    fn keys_choose_messages() {
        for (key, message, takes) in [
            ("syslog", "<34>su: failed", true),
            ("syslog[]", "<34>su: failed", true),
            ("syslog[fail(ed|ure)]", "<34>su: failed", true),
            ("syslog[^ok]", "<34>su: failed", false),
            ("syslog[,auth]", "<34>su: failed", true),
            ("syslog[,\"kern, AUTH\"]", "<34>su: failed", true),
            ("syslog[,4]", "<34>su: failed", true),
            ("syslog[,kern|mail]", "<34>su: failed", false),
            ("syslog[,,crit]", "<34>su: failed", true),
            ("syslog[,,2]", "<34>su: failed", true),
            ("syslog[,,alert]", "<34>su: failed", false),
            ("syslog[,,Error]", "<35>su: failed", true),
            ("syslog.fallback", "anything", true),
        ] {
            let wanted = Wanted::read(key, &[]).expect(key);
            assert_eq!(wanted.takes(&parse(message)), takes, "{key} {message}");
        }
    }

    #[test]
    fn keys_that_make_no_sense_are_refused() {
        for (key, why) in [
            ("syslog[,nobody]", "Unknown facility \"nobody\"."),
            ("syslog[,24]", "Unknown facility \"24\"."),
            ("syslog[,,8]", "Unknown severity \"8\"."),
            ("syslog[,,,x]", "Too many parameters."),
            ("syslog.fallback[x]", "Too many parameters."),
            ("syslog[", "Invalid item key format."),
        ] {
            assert_eq!(Wanted::read(key, &[]).err().as_deref(), Some(why), "{key}");
        }
        assert!(Wanted::read("syslog[(]", &[]).is_err());
    }
}
