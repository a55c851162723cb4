//! Addresses of e-mail as users write them: `a@example.com` or `Name <a@example.com>`.

/// The address in a user's text, with the name in front of it if there is one.
#[must_use]
pub fn parse(text: &str) -> Option<(Option<&str>, &str)> {
    let text = text.trim();
    let (name, address) = match text.strip_suffix('>') {
        Some(rest) => {
            let (name, address) = rest.rsplit_once('<')?;
            let name = name.trim().trim_matches('"');
            ((!name.is_empty()).then_some(name), address)
        }
        None => (None, text),
    };
    is_address(address).then_some((name, address))
}

/// Whether a text is an address, perhaps with a name.
#[must_use]
pub fn is_mailbox(text: &str) -> bool {
    parse(text).is_some()
}

fn is_address(text: &str) -> bool {
    let Some((local, domain)) = text.rsplit_once('@') else { return false };
    let is_plain =
        |it: char| !it.is_whitespace() && !it.is_control() && !"<>()[],;:\\\"@".contains(it);
    let is_label = |it: &str| {
        !it.is_empty()
            && !it.starts_with('-')
            && !it.ends_with('-')
            && it.chars().all(|it| it.is_alphanumeric() || it == '-')
    };
    let is_local = !local.is_empty()
        && local.chars().count() <= 64
        && local.chars().all(is_plain)
        && !local.starts_with('.')
        && !local.ends_with('.')
        && !local.contains("..");
    let labels: Vec<&str> = domain.split('.').collect();
    is_local && 1 < labels.len() && domain.len() <= 255 && labels.iter().all(|it| is_label(it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_distinguished_from_other_texts() {
        let good = [
            ("a@example.com", None, "a@example.com"),
            (
                "Zoë O'Neil <zoe.x+y@mail.example.com>",
                Some("Zoë O'Neil"),
                "zoe.x+y@mail.example.com",
            ),
            ("\"Ops, night\" <ops@example.com>", Some("Ops, night"), "ops@example.com"),
            ("<ops@exämple.com>", None, "ops@exämple.com"),
        ];
        for (text, name, address) in good {
            assert_eq!(parse(text), Some((name, address)), "{text}");
        }
        for text in [
            "",
            "a",
            "a@b",
            "@example.com",
            "a@@example.com",
            "a b@example.com",
            "a@example..com",
            ".a@example.com",
            "a@-example.com",
            "a@example.com>",
            "a@example.com, b@example.com",
            "a@exa mple.com",
            "a\r\nX: y@example.com",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
