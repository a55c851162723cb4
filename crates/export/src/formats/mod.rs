//! How rows are written.

pub mod bulk;
pub mod ndjson;
pub mod remote_write;

/// Appends a JSON string.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    // Writing a text to memory cannot fail.
    _ = serde_json::to_writer(out, text);
}

/// Appends a number; numbers that JSON does not have are null.
pub(crate) fn put_float(out: &mut Vec<u8>, value: f64) {
    let start = out.len();
    _ = serde_json::to_writer(&mut *out, &value);
    // Whole ones as Zabbix writes them.
    if out.get(start..).is_some_and(|it| it.ends_with(b".0")) {
        out.truncate(out.len() - 2);
    }
}

pub(crate) fn put_int(out: &mut Vec<u8>, value: impl std::fmt::Display) {
    use std::io::Write as _;
    _ = write!(out, "{value}");
}

/// Appends `[{"tag":…,"value":…},…]`.
pub(crate) fn put_tags(out: &mut Vec<u8>, tags: &[model::content::Tag]) {
    out.push(b'[');
    for (at, it) in tags.iter().enumerate() {
        out.extend_from_slice(if at == 0 { b"{\"tag\":" } else { b",{\"tag\":" });
        put_text(out, &it.tag);
        out.extend_from_slice(b",\"value\":");
        put_text(out, &it.value);
        out.push(b'}');
    }
    out.push(b']');
}

/// Appends `{"host":…,"name":…}`.
pub(crate) fn put_host(out: &mut Vec<u8>, host: &model::snapshot::Host) {
    out.extend_from_slice(b"{\"host\":");
    put_text(out, &host.host);
    out.extend_from_slice(b",\"name\":");
    put_text(out, &host.name);
    out.push(b'}');
}

/// Appends `["…",…]`.
pub(crate) fn put_texts<'a>(out: &mut Vec<u8>, texts: impl Iterator<Item = &'a str>) {
    out.push(b'[');
    for (at, it) in texts.enumerate() {
        if at != 0 {
            out.push(b',');
        }
        put_text(out, it);
    }
    out.push(b']');
}
