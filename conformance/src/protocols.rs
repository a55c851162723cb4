//! Bytes of connections and output of other programs.

use serde_json::json;
use wire::zbxd::{Decoder, FrameLimits, Plain};

use crate::case::{Answer, Case, Topics, from_hex, to_hex};

/// The topics of this file.
pub(crate) const TOPICS: Topics = &[
    ("comms/receive", receive),
    ("comms/receive_raw", receive_raw),
    ("icmp/fping_line", fping_line),
];

/// The limit of the cases.
const BYTES_MAX: u64 = 128 << 20;

/// Feeds the fragments; returns the payload after the peer has closed, and its size in bytes. An
/// empty payload if it sent nothing.
fn received(case: &Case<'_>, limits: FrameLimits) -> Result<(Vec<u8>, u64), String> {
    let mut decoder = Decoder::new(limits);
    for fragment in case.list("fragments_hex") {
        decoder.feed(&from_hex(fragment.as_str().unwrap()));
        decoder.poll().map_err(|it| it.to_string())?;
    }
    let frame = decoder.close().map_err(|it| it.to_string())?;
    Ok(frame.map(|it| (it.payload.to_vec(), it.wire_bytes)).unwrap_or_default())
}

fn receive(case: &Case<'_>) -> Answer {
    let expected = case.out();
    let received = received(case, FrameLimits::with_max(BYTES_MAX));
    let payload = received.as_ref().map(|it| to_hex(&it.0)).unwrap_or_default();
    let mut out = json!({"ok": received.is_ok(), "payload_hex": payload});
    // How much was on the wire and the header belong to the original's own counting.
    for name in ["bytes_on_wire_as_counted", "expected_stream_hex"] {
        out[name] = expected[name].clone();
    }
    Answer::Out(out)
}

fn receive_raw(case: &Case<'_>) -> Answer {
    let limits = FrameLimits { plain: Plain::UntilClose, ..FrameLimits::with_max(BYTES_MAX) };
    Answer::Out(match received(case, limits) {
        Ok((_, len)) => json!({"ok": true, "bytes_on_wire_as_counted": len}),
        Err(_) => json!({"ok": false}),
    })
}

fn fping_line(_case: &Case<'_>) -> Answer {
    Answer::Skip("Saker sends its own pings and never reads what fping prints")
}
