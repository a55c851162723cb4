//! Series of pings as text for the transcript of an item test.

use std::net::IpAddr;

use super::key::{Series, Tally};
use super::pinger::ExpectedReply;
use crate::transcript::{LineKind, Transcript};

pub(super) fn start(transcript: &Transcript, target: IpAddr, series: &Series) {
    let Series { packets, size, timeout_ms, interval_ms, .. } = series;
    let how = match series.retry_growth {
        Some(1_000) => "the next one if none is answered".to_owned(),
        Some(growth) => {
            let growth = f64::from(growth) / 1_000.0;
            format!("the next one if none is answered, with {growth} times the time")
        }
        None => format!("one each {interval_ms} ms"),
    };
    let asked = format!(
        "ICMP to {target}: at most {packets} echo requests of {size} bytes, {how}, \
         {timeout_ms} ms for an answer"
    );
    transcript.push(LineKind::Sent, &asked, b"");
}

pub(super) fn answer(transcript: &Transcript, from: IpAddr, reply: &ExpectedReply) {
    let ExpectedReply { number, time_ns, counts } = reply;
    let late = if *counts { "" } else { ", which does not count" };
    // Nanoseconds would be more precise than the measurement.
    let time_ms = std::time::Duration::from_nanos(*time_ns).as_secs_f64() * 1e3;
    let text = format!("answer {} from {from} after {time_ms:.3} ms{late}", number + 1);
    transcript.push(LineKind::Received, &text, b"");
}

pub(super) fn end(transcript: &Transcript, tally: &Tally) {
    let lost = tally.sent.saturating_sub(tally.received);
    let note = format!("{} sent, {} answered, {lost} lost", tally.sent, tally.received);
    transcript.push(LineKind::Note, &note, b"");
}
