//! Prometheus remote write 1.0: `prometheus.WriteRequest` of protobuf, in a block of snappy.
//!
//! ```text
//! message WriteRequest { repeated TimeSeries timeseries = 1; }
//! message TimeSeries   { repeated Label labels = 1; repeated Sample samples = 2; }
//! message Label        { string name = 1; string value = 2; }
//! message Sample       { double value = 1; int64 timestamp = 2; }   // milliseconds
//! ```
//!
//! The labels of an item are written once and copied into each request.

use std::collections::BTreeMap;

use prost::encoding::{WireType, double, encode_key, encode_varint, int64, string};

use crate::labels::Described;

/// The NaN that ends a series: "stale".
pub const STALE: u64 = 0x7ff0_0000_0000_0002;

/// A value at a time, in milliseconds.
#[derive(Clone, Copy, Debug)]
pub struct SeriesSample {
    pub ms: i64,
    pub value: f64,
}

/// A name of a metric: the item's key without its parameters, in the letters that such names may have.
#[must_use]
pub fn metric_name(prefix: &str, key: &str) -> String {
    let name = key.split_once('[').map_or(key, |it| it.0);
    let mut out = prefix.to_owned();
    out.extend(
        name.chars().map(|it| if it.is_ascii_alphanumeric() || it == '_' { it } else { '_' }),
    );
    if out.is_empty() || out.starts_with(|it: char| it.is_ascii_digit()) {
        out.insert(0, '_');
    }
    out
}

/// A name of a label of a tag.
fn tag_label(tag: &str) -> String {
    let tag = tag.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' });
    "tag_".chars().chain(tag).collect()
}

/// The labels of an item in order of their names, as fields of `TimeSeries`.
#[must_use]
pub fn label(prefix: &str, of: &Described<'_>) -> Vec<u8> {
    let key = of.item.key();
    let mut tags: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for it in of.tags.iter() {
        tags.entry(tag_label(&it.tag)).or_default().push(&it.value);
    }
    let mut labels: BTreeMap<&str, String> = BTreeMap::new();
    for (name, values) in &mut tags {
        // One label has one value: those of tags of one name stand side by side.
        values.sort_unstable();
        values.dedup();
        labels.insert(name, values.join(","));
    }
    labels.insert("__name__", metric_name(prefix, &key));
    labels.insert("host", of.host.host.to_string());
    labels.insert("key", key.into_owned());
    let mut out = Vec::with_capacity(256);
    for (name, value) in &labels {
        // An empty one is the same as none.
        if value.is_empty() {
            continue;
        }
        let name = (*name).to_owned();
        let n = string::encoded_len(1, &name) + string::encoded_len(2, value);
        encode_key(1, WireType::LengthDelimited, &mut out);
        encode_varint(n as u64, &mut out);
        string::encode(1, &name, &mut out);
        string::encode(2, value, &mut out);
    }
    out
}

/// Appends a series to a `WriteRequest`.
pub fn put_series(out: &mut Vec<u8>, labels: &[u8], samples: &[SeriesSample]) {
    let lengths = samples.iter().map(|it| {
        let n = sample_len(*it);
        prost::length_delimiter_len(n) + 1 + n
    });
    let n = labels.len() + lengths.sum::<usize>();
    encode_key(1, WireType::LengthDelimited, out);
    encode_varint(n as u64, out);
    out.extend_from_slice(labels);
    for it in samples {
        encode_key(2, WireType::LengthDelimited, out);
        encode_varint(sample_len(*it) as u64, out);
        double::encode(1, &it.value, out);
        int64::encode(2, &it.ms, out);
    }
}

fn sample_len(of: SeriesSample) -> usize {
    double::encoded_len(1, &of.value) + int64::encoded_len(2, &of.ms)
}

/// The body of a request.
///
/// # Errors
/// It is longer than 4 GiB.
pub fn compress(request: &[u8]) -> Result<Vec<u8>, snap::Error> {
    snap::raw::Encoder::new().compress_vec(request)
}

#[cfg(test)]
pub(crate) mod tests {
    use prost::Message;

    use super::*;
    use crate::labels::{LabelCache, LabelLookup};
    use crate::testing::{Fixed, ITEM, configuration};

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct WriteRequest {
        #[prost(message, repeated, tag = "1")]
        pub(crate) timeseries: Vec<TimeSeries>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct TimeSeries {
        #[prost(message, repeated, tag = "1")]
        pub(crate) labels: Vec<Label>,
        #[prost(message, repeated, tag = "2")]
        pub(crate) samples: Vec<ReadSample>,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct Label {
        #[prost(string, tag = "1")]
        pub(crate) name: String,
        #[prost(string, tag = "2")]
        pub(crate) value: String,
    }

    #[derive(Clone, PartialEq, Message)]
    pub(crate) struct ReadSample {
        #[prost(double, tag = "1")]
        pub(crate) value: f64,
        #[prost(int64, tag = "2")]
        pub(crate) timestamp: i64,
    }

    pub(crate) fn read(body: &[u8]) -> WriteRequest {
        let plain = snap::raw::Decoder::new().decompress_vec(body).expect("a block of snappy");
        WriteRequest::decode(&*plain).expect("a write request")
    }

    #[test]
    fn output_is_read_by_another_implementation() {
        let mut labels = LabelCache::new(Fixed::new(configuration()));
        let LabelLookup::Label(label) = labels.of(ITEM, |it| Some(label("zabbix_", it))) else {
            panic!("no label")
        };
        let samples = [
            SeriesSample { ms: -5, value: 0.25 },
            SeriesSample { ms: 1_519_304_285_123, value: 0.0 },
            SeriesSample { ms: 1_519_304_286_123, value: f64::from_bits(STALE) },
        ];
        let mut out = Vec::new();
        put_series(&mut out, label, &samples);
        put_series(&mut out, label, samples.get(..1).expect("one"));
        let read = read(&compress(&out).expect("short"));
        assert_eq!(read.timeseries.len(), 2);
        let series = read.timeseries.first().expect("two");
        let labels: Vec<(&str, &str)> =
            series.labels.iter().map(|it| (it.name.as_str(), it.value.as_str())).collect();
        assert_eq!(
            labels,
            [
                ("__name__", "zabbix_system_cpu_util"),
                ("host", "web1"),
                ("key", "system.cpu.util[,idle]"),
                ("tag_component", "cpu"),
            ]
        );
        let read: Vec<(u64, i64)> =
            series.samples.iter().map(|it| (it.value.to_bits(), it.timestamp)).collect();
        let written: Vec<(u64, i64)> =
            samples.iter().map(|it| (it.value.to_bits(), it.ms)).collect();
        assert_eq!(read, written);
    }

    #[test]
    fn names_have_only_the_letters_that_are_allowed() {
        let cases = [
            ("zabbix_", "system.cpu.util[,idle]", "zabbix_system_cpu_util"),
            ("", "vfs.fs.size", "vfs_fs_size"),
            ("", "1.2é", "_1_2_"),
            ("", "", "_"),
        ];
        for (prefix, key, name) in cases {
            assert_eq!(metric_name(prefix, key), name, "{key}");
        }
        assert_eq!(tag_label("Größe (GB)"), "tag_Gr__e__GB_");
    }
}
