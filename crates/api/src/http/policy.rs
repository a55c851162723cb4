//! The content security policy: scripts, styles and everything else come from this server alone, except the
//! tiles of geographical maps, which come from the one origin that the settings name.

use axum::http::HeaderValue;
use db::objects::SINGLE;
use model::snapshot::Snapshot;

/// Dashboards frame other pages, in a sandbox.
const BEFORE_IMAGES: &str =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:";
const BEHIND_IMAGES: &str = "; font-src 'self'; connect-src 'self'; manifest-src 'self'; \
     worker-src 'self'; frame-src http: https:; base-uri 'none'; form-action 'self'; \
     frame-ancestors 'none'";

/// As the settings are at this moment.
pub(super) fn policy(snapshot: &Snapshot) -> HeaderValue {
    let source = tile_source(snapshot).map_or_else(String::new, |it| format!(" {it}"));
    let text = format!("{BEFORE_IMAGES}{source}{BEHIND_IMAGES}");
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("default-src 'none'"))
}

/// The origin of tiles, as the policy writes it. None for a named provider, which is Zabbix's default: an
/// administrator decides to use others.
fn tile_source(snapshot: &Snapshot) -> Option<String> {
    let settings = snapshot.documents.get("settings", SINGLE)?;
    if !settings.text("geomaps_tile_provider").is_empty() {
        return None;
    }
    source_of(settings.text("geomaps_tile_url"))
}

/// Scheme, host and port of an address; `{s}.` in front of the host means several of them. `None` of a text
/// that is no such address, or would be read as more than one source.
fn source_of(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    if scheme != "http" && scheme != "https" {
        return None;
    }
    let host = rest.split(['/', '?', '#']).next()?;
    let (before, host) = match host.strip_prefix("{s}.") {
        Some(host) => ("*.", host),
        None => ("", host),
    };
    let is_plain =
        |it: char| it.is_ascii_alphanumeric() || matches!(it, '.' | '-' | ':' | '[' | ']');
    (!host.is_empty() && host.chars().all(is_plain)).then(|| format!("{scheme}://{before}{host}"))
}

#[cfg(test)]
mod tests {
    use super::source_of;

    #[test]
    fn only_the_origin_of_tiles_is_added_to_the_policy() {
        let of = |url: &str| source_of(url).unwrap_or_default();
        assert_eq!(of("https://tile.example.org/{z}/{x}/{y}.png"), "https://tile.example.org");
        assert_eq!(of("http://10.0.0.1:8080/{z}/{x}/{y}.png?a=b"), "http://10.0.0.1:8080");
        assert_eq!(
            of("https://{s}.tile.example.org/{z}/{x}/{y}.png"),
            "https://*.tile.example.org"
        );
        assert_eq!(of("http://[::1]:80/{z}"), "http://[::1]:80");
        for wrong in [
            "",
            "/tiles/{z}/{x}/{y}.png",
            "ftp://host/{z}",
            "https:///{z}",
            "https://{s}./x",
            "https://*/x",
            "https://user@host/x",
            "https://host;script-src *",
            "https://host other/x",
            "https://host'self'/x",
            "https://тайлы.рф/x",
            "javascript://x",
        ] {
            assert_eq!(of(wrong), "", "{wrong}");
        }
    }
}
