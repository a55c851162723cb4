//! Identities of objects that were made without one.

use sha2::{Digest, Sha256};

/// The uuid that an object has, or one that is the same at each export as long as its names are.
/// Files need one of version 4 for all that belongs to templates.
pub(super) fn or_made(uuid: &str, names: &[&str]) -> String {
    if !uuid.is_empty() {
        return uuid.to_owned();
    }
    let mut hash = Sha256::new();
    for name in names {
        hash.update(name.as_bytes());
        hash.update([0]);
    }
    let digest = hash.finalize();
    let mut hex: Vec<char> = digest
        .iter()
        .take(16)
        .flat_map(|it| format!("{it:02x}").chars().collect::<Vec<_>>())
        .collect();
    if let Some(version) = hex.get_mut(12) {
        *version = '4';
    }
    if let Some(variant) = hex.get_mut(16) {
        let digit = variant.to_digit(16).unwrap_or_default();
        *variant = char::from_digit(8 | (digit & 3), 16).unwrap_or('8');
    }
    hex.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::or_made;

    #[test]
    fn uuids_are_kept_or_made_of_names() {
        assert_eq!(or_made("x", &["a"]), "x");
        let made = or_made("", &["a", "b"]);
        assert_eq!(made, or_made("", &["a", "b"]));
        assert_ne!(made, or_made("", &["ab"]));
        assert_eq!((made.len(), made.chars().nth(12)), (32, Some('4')));
        assert!(made.chars().nth(16).is_some_and(|it| "89ab".contains(it)));
    }
}
