//! Users of SNMPv3 that may send traps in addition to those of interfaces, from a file with the
//! lines `createUser` of net-snmp's `snmptrapd.conf`:
//!
//! ```text
//! createUser [-e 0xENGINE] NAME [AUTH "passphrase" [CIPHER ["passphrase"]]]
//! ```
//!
//! Other lines belong to other programs.

use model::content::SnmpDetails;
use wire::snmp::PASSPHRASE_MIN;

/// Names that net-snmp takes, in the order of Zabbix's codes.
const AUTH: [&[&str]; 6] = [
    &["MD5"],
    &["SHA", "SHA1", "SHA-1"],
    &["SHA224", "SHA-224"],
    &["SHA256", "SHA-256"],
    &["SHA384", "SHA-384"],
    &["SHA512", "SHA-512"],
];
const CIPHERS: [&[&str]; 6] = [
    &["DES"],
    &["AES", "AES128", "AES-128"],
    &["AES192", "AES-192"],
    &["AES256", "AES-256"],
    &["AES192C", "AES-192-C"],
    &["AES256C", "AES-256-C"],
];

/// A user, and the engine that its notifications must come from, if given.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct TrapUser {
    pub(super) engine: Option<Vec<u8>>,
    pub(super) details: SnmpDetails,
}

/// The users of a text, and the numbers of unreadable lines.
pub(super) fn parse(text: &str) -> (Vec<TrapUser>, Vec<usize>) {
    let (mut users, mut unreadable) = (Vec::new(), Vec::new());
    for (line, number) in text.lines().zip(1..) {
        let words = words(line);
        let Some((first, rest)) = words.split_first() else { continue };
        if first.eq_ignore_ascii_case("createUser") {
            match user(rest) {
                Some(user) => users.push(user),
                None => unreadable.push(number),
            }
        }
    }
    (users, unreadable)
}

fn user(words: &[String]) -> Option<TrapUser> {
    let (engine, words) = match words {
        [option, id, rest @ ..] if option == "-e" => (Some(unhex(id)?), rest),
        _ => (None, words),
    };
    let (name, words) = words.split_first()?;
    let mut details = SnmpDetails {
        version: 3,
        securityname: name.clone(),
        securitylevel: 0,
        ..SnmpDetails::default()
    };
    if name.starts_with('-') {
        return None;
    }
    let [auth, passphrase, words @ ..] = words else {
        return words.is_empty().then_some(TrapUser { engine, details });
    };
    details.securitylevel = 1;
    details.authprotocol = code(&AUTH, auth)?;
    details.authpassphrase = long_enough(passphrase)?;
    if let Some((cipher, words)) = words.split_first() {
        details.securitylevel = 2;
        details.privprotocol = code(&CIPHERS, cipher)?;
        details.privpassphrase = match words {
            // As in net-snmp: the same for both.
            [] => passphrase.clone(),
            [own] => long_enough(own)?,
            _ => return None,
        };
    }
    Some(TrapUser { engine, details })
}

fn long_enough(passphrase: &str) -> Option<String> {
    (PASSPHRASE_MIN <= passphrase.len()).then(|| passphrase.to_owned())
}

fn code(names: &[&[&str]], name: &str) -> Option<i64> {
    let is_it = |it: &&[&str]| it.iter().any(|it| it.eq_ignore_ascii_case(name));
    i64::try_from(names.iter().position(is_it)?).ok()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?.as_bytes();
    let byte = |it: &[u8]| u8::from_str_radix(str::from_utf8(it).ok()?, 16).ok();
    let bytes: Option<Vec<u8>> = digits.chunks(2).map(byte).collect();
    bytes.filter(|it| !it.is_empty() && digits.len().is_multiple_of(2))
}

/// Words of a line, up to a `#`. Quotes of either kind keep blanks, and a backslash keeps the next
/// character.
fn words(line: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            it if Some(it) == quote => quote = None,
            '"' | '\'' if quote.is_none() => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            '\\' if quote.is_some() => word.get_or_insert_default().extend(letters.next()),
            '#' if quote.is_none() && word.is_none() => break,
            it if it.is_whitespace() && quote.is_none() => words.extend(word.take()),
            it => word.get_or_insert_default().push(it),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_snmptrapd_are_read() {
        let text = "\
# users
authCommunity log public
createUser open
  createUser -e 0x8000000001020304 signed SHA-256 \"a long \\\"one\\\"\"  # why
createUser both MD5 'pass phrase' aes
createUser two SHA authentication AES-256-C privacy1
";
        let (users, unreadable) = parse(text);
        assert!(unreadable.is_empty(), "{unreadable:?}");
        let read: Vec<_> = users
            .iter()
            .map(|TrapUser { engine, details: it }| {
                (
                    (engine.as_deref().map(<[u8]>::len), it.securityname.as_str()),
                    (it.securitylevel, it.authprotocol, it.authpassphrase.as_str()),
                    (it.privprotocol, it.privpassphrase.as_str()),
                )
            })
            .collect();
        assert_eq!(
            read,
            [
                ((None, "open"), (0, 0, ""), (0, "")),
                ((Some(8), "signed"), (1, 3, "a long \"one\""), (0, "")),
                ((None, "both"), (2, 0, "pass phrase"), (1, "pass phrase")),
                ((None, "two"), (2, 1, "authentication"), (5, "privacy1")),
            ]
        );
    }

    #[test]
    fn unreadable_line_is_reported_with_its_number() {
        let text = "createUser\n\ncreateUser a SHA\ncreateUser a SHA short\ncreateUser a ROT13 longenough\n\
                    createUser a SHA longenough ROT13\ncreateUser -e 12 a\ncreateUser -m a\n\
                    createUser a SHA longenough AES longenough more\n";
        let (users, unreadable) = parse(text);
        assert!(users.is_empty());
        assert_eq!(unreadable, [1, 3, 4, 5, 6, 7, 8, 9]);
    }
}
