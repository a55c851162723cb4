//! Reading small documents and writing numbers.

#![allow(clippy::unwrap_used, reason = "a benchmark: a panic is a mistake in it")]

use divan::{Bencher, black_box};
use formats::json::Doc;
use formats::jsonpath::JsonPath;
use formats::number;
use formats::regexp::Regexp;

fn main() {
    divan::main();
}

const DOC: &str =
    r#"{"status":"ok","data":{"cpu":[{"id":0,"load":1.25},{"id":1,"load":0.5}],"name":"web-1"}}"#;

#[divan::bench]
fn jsonpath_small_document(bencher: Bencher<'_, '_>) {
    let path = JsonPath::parse("$.data.cpu[1].load").unwrap();
    bencher.bench_local(|| path.query_text(black_box(DOC)).unwrap());
}

#[divan::bench]
fn json_parse_small_document() -> usize {
    let doc = Doc::parse(black_box(DOC)).unwrap();
    doc.len(doc.root())
}

#[divan::bench]
fn number_to_text(bencher: Bencher<'_, '_>) {
    let mut out = String::with_capacity(32);
    bencher.bench_local(|| {
        out.clear();
        number::write_f64(&mut out, black_box(1234.5678));
        out.len()
    });
}

#[divan::bench]
fn regex_capture(bencher: Bencher<'_, '_>) {
    let regexp = Regexp::new("load: ([0-9.]+)").unwrap();
    bencher.bench_local(|| regexp.extract(black_box("cpu load: 12.5 %"), r"\1").unwrap());
}

/// A log text that matches the beginning of a pattern often and its end never.
#[divan::bench]
fn regexp_with_many_beginnings(bencher: Bencher<'_, '_>) {
    let line = format!("ERROR {}\n", "code=1 user=a ".repeat(215));
    let text = line.repeat(20);
    let regexp = Regexp::new(r"ERROR.*code=(\d+).*user=(\w+).*done").unwrap();
    bencher.bench_local(|| regexp.is_match(black_box(&text)).unwrap());
}
