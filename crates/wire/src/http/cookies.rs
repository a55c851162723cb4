//! Cookies of one client: answers set them, later requests send them to the same host.

/// Cookies kept; further ones are ignored.
const COOKIES_MAX: usize = 100;

/// Cookies that answers have set.
#[derive(Debug, Default)]
pub struct Jar(Vec<Cookie>);

#[derive(Debug)]
struct Cookie {
    host: String,
    name: String,
    value: String,
    is_secure: bool,
}

impl Jar {
    /// Takes a `Set-Cookie` header of an answer of `host`.
    pub(super) fn set(&mut self, host: &str, header: &str) {
        let mut parts = header.split(';').map(str::trim);
        let Some((name, value)) = parts.next().and_then(|it| it.split_once('=')) else { return };
        let (mut is_secure, mut is_over) = (false, false);
        for part in parts {
            let (attribute, value) = part.split_once('=').unwrap_or((part, ""));
            if attribute.eq_ignore_ascii_case("secure") {
                is_secure = true;
            } else if attribute.eq_ignore_ascii_case("max-age") {
                is_over = value.trim().parse::<i64>().is_ok_and(|it| it <= 0);
            }
        }
        self.0.retain(|it| it.host != host || it.name != name);
        if !is_over && self.0.len() < COOKIES_MAX {
            let (host, name, value) = (host.to_owned(), name.to_owned(), value.to_owned());
            self.0.push(Cookie { host, name, value, is_secure });
        }
    }

    /// Value of the `Cookie` header of a request, if there is one.
    pub(super) fn header(&self, host: &str, is_tls: bool) -> Option<String> {
        let fitting = self.0.iter().filter(|it| it.host == host && (is_tls || !it.is_secure));
        let pairs: Vec<String> = fitting.map(|it| format!("{}={}", it.name, it.value)).collect();
        (!pairs.is_empty()).then(|| pairs.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_go_back_to_their_host() {
        let mut jar = Jar::default();
        jar.set("a", "session=1; Path=/; HttpOnly");
        jar.set("a", "key=2; Secure");
        jar.set("b", "other=3");
        jar.set("a", "session=4");
        assert_eq!(jar.header("a", true).as_deref(), Some("key=2; session=4"));
        assert_eq!(jar.header("a", false).as_deref(), Some("session=4"));
        jar.set("a", "session=; Max-Age=0");
        assert_eq!(jar.header("a", false), None);
        jar.set("a", "nonsense");
    }
}
