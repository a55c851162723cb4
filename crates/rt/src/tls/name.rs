//! Distinguished names as text.

use std::fmt::Write as _;

use openssl::x509::X509NameRef;

/// As RFC 4514 writes it: the last part first, between commas. Zabbix compares issuer and subject in this form.
pub(super) fn rfc4514(name: &X509NameRef) -> String {
    let mut parts: Vec<String> = name
        .entries()
        .map(|it| {
            let kind = it.object().nid().short_name().unwrap_or("UNDEF");
            let value = it.data().to_string().unwrap_or_default();
            format!("{kind}={}", escaped(&value))
        })
        .collect();
    parts.reverse();
    parts.join(",")
}

fn escaped(value: &str) -> String {
    let last = value.chars().count().saturating_sub(1);
    let mut text = String::with_capacity(value.len());
    for (at, it) in value.chars().enumerate() {
        match it {
            '"' | '+' | ',' | ';' | '<' | '>' | '\\' => text.extend(['\\', it]),
            '#' if at == 0 => text.push_str("\\#"),
            ' ' if at == 0 || at == last => text.push_str("\\ "),
            _ if it.is_control() => {
                for byte in it.to_string().bytes() {
                    write!(text, "\\{byte:02X}").expect("writing to memory does not fail");
                }
            }
            _ => text.push(it),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use openssl::x509::X509NameBuilder;

    use super::rfc4514;

    #[test]
    fn the_last_part_stands_first_and_signs_are_escaped() {
        let mut name = X509NameBuilder::new().unwrap();
        name.append_entry_by_text("DC", "com").unwrap();
        name.append_entry_by_text("O", "Größe, Inc. ").unwrap();
        name.append_entry_by_text("CN", "#1 <a+b>").unwrap();
        assert_eq!(rfc4514(&name.build()), r"CN=\#1 \<a\+b\>,O=Größe\, Inc.\ ,DC=com");
    }
}
