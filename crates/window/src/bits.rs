//! Times and numbers as rings keep them.

/// Nanoseconds of a millisecond.
pub(super) const MS: i64 = 1_000_000;

/// The whole millisecond in or before which a time lies.
#[inline]
pub(super) fn to_ms(ns: i64) -> i64 {
    ns.div_euclid(MS)
}

#[expect(clippy::cast_precision_loss, reason = "Zabbix computes in doubles as well")]
#[inline]
pub(crate) fn as_f64(value: u64) -> f64 {
    value as f64
}

/// The nearest short numbers that are not more and not less.
#[expect(clippy::cast_possible_truncation, reason = "what is lost is put right")]
#[inline]
pub(super) fn round_outward(value: f64) -> [f32; 2] {
    let near = value as f32;
    let low = if value < f64::from(near) { near.next_down() } else { near };
    let high = if f64::from(near) < value { near.next_up() } else { near };
    [low, high]
}
