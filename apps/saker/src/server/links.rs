//! The key by which links in messages are signed: a file in the data directory, made at the first start.
//!
//! It is no part of backups: after a restore there is a new one, and earlier links are invalid.
//!
//! The file is one line: the key in 64 hexadecimal digits and, unless the file is of an early version, a space and the key's
//! CRC-32C in 8: a key whose bits turned over would refuse all links without a word.

use std::fs;
use std::io::ErrorKind;

use ::alerting::acknowledge_links::{AcknowledgeLinks, KEY_BYTES};
use tracing::warn;

use super::ServerError;
use data_dir::{DataDir, DataDirError, LINKS_KEY};

/// Creates and checks links, which are valid for so many hours.
///
/// # Errors
/// The file cannot be read or made.
pub(super) fn open(data_dir: &DataDir, valid_hours: u32) -> Result<AcknowledgeLinks, ServerError> {
    let path = data_dir.path().join(LINKS_KEY);
    let known = match fs::read_to_string(&path) {
        Ok(text) => {
            let key = key_of(&text);
            if key.is_none() {
                warn!(path = %path.display(), "the key of links is damaged: links that were sent are invalid");
            }
            key
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(source) => return Err(DataDirError::Read { path, source }.into()),
    };
    let key = match known {
        Some(it) => it,
        None => {
            let mut key = [0_u8; KEY_BYTES];
            getrandom::fill(&mut key).map_err(ServerError::Randomness)?;
            data_dir.write_private(LINKS_KEY, text_of(&key).as_bytes())?;
            key
        }
    };
    Ok(AcknowledgeLinks::new(key, i64::from(valid_hours) * 3_600))
}

fn text_of(key: &[u8; KEY_BYTES]) -> String {
    let text: String = key.iter().map(|it| format!("{it:02x}")).collect();
    format!("{text} {:08x}\n", crc32c::crc32c(key))
}

fn key_of(line: &str) -> Option<[u8; KEY_BYTES]> {
    let (text, sum) = match line.trim_end().split_once(' ') {
        Some((text, sum)) => (text, Some(u32::from_str_radix(sum, 16).ok()?)),
        None => (line.trim_end(), None),
    };
    let is_key = text.len() == 2 * KEY_BYTES && text.bytes().all(|it| it.is_ascii_hexdigit());
    let byte = |at: usize| u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok();
    let bytes: Option<Vec<u8>> = (0..KEY_BYTES).map(byte).collect();
    let key: [u8; KEY_BYTES] = bytes.filter(|_| is_key)?.try_into().ok()?;
    let is_whole = sum.is_none_or(|it| it == crc32c::crc32c(&key));
    is_whole.then_some(key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_kept_for_the_owner_alone_and_a_damaged_one_replaced() {
        use std::os::unix::fs::PermissionsExt;

        let dir = tempfile::tempdir().unwrap();
        let data_dir = DataDir::open(&dir.path().join("data")).unwrap();
        let path = data_dir.path().join(LINKS_KEY);
        open(&data_dir, 1).unwrap();
        let first = fs::read_to_string(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        open(&data_dir, 1).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), first);
        fs::write(&path, "short").unwrap();
        open(&data_dir, 1).unwrap();
        let second = fs::read_to_string(&path).unwrap();
        assert!(second != first && key_of(&second).is_some());
    }

    #[test]
    fn a_key_none_of_whose_bits_turned_over_is_taken_and_one_of_the_first_files() {
        let key = [0xa5; KEY_BYTES];
        let text = text_of(&key);
        assert_eq!(key_of(&text), Some(key));
        let early = text.split(' ').next().unwrap();
        assert_eq!(key_of(&format!("{early}\n")), Some(key));
        for at in 0..text.len() {
            for bit in 0..7 {
                let mut damaged = text.clone().into_bytes();
                damaged[at] ^= 1 << bit;
                let found = String::from_utf8(damaged).ok().and_then(|it| key_of(&it));
                // A letter in upper case and another space are the same key.
                assert!(found.is_none_or(|it| it == key), "bit {bit} of byte {at}");
            }
        }
    }
}
