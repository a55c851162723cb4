//! Passwords that Saker makes: that of the first start, and those that an operator asks for.

/// 20 characters of an alphabet of 57 without look-alikes: 116 bits.
pub(crate) fn generate() -> Result<String, getrandom::Error> {
    const ALPHABET: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let mut password = String::with_capacity(20);
    while password.len() < 20 {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes)?;
        // Bytes beyond the last whole multiple would favour the alphabet's start.
        let n_letters = ALPHABET.len();
        let usable =
            bytes.iter().map(|it| usize::from(*it)).filter(|it| *it < 256 / n_letters * n_letters);
        let letters =
            usable.filter_map(|it| ALPHABET.get(it % n_letters)).map(|it| char::from(*it));
        password.extend(letters.take(20 - password.len()));
    }
    Ok(password)
}

#[cfg(test)]
mod tests {
    use super::generate;

    #[test]
    fn generated_passwords_are_long_and_differ() {
        let (one, two) = (generate().expect("random"), generate().expect("random"));
        assert_eq!(one.len(), 20);
        assert_ne!(one, two);
    }
}
