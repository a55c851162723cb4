//! Values of items that an event keeps for its operational data: `{ITEM.VALUE}` is the value at that time,
//! whenever it is expanded.

/// Characters of one value.
const VALUE_MAX: usize = 2_048;

/// The numbers of the functions whose items' values `{ITEM.VALUE<N>}` of a text names.
pub fn value_macros(text: &str) -> impl Iterator<Item = usize> {
    let names = move |n: usize| match n {
        1 => text.contains("{ITEM.VALUE}") || text.contains("{ITEM.VALUE1}"),
        n => text.contains(&format!("{{ITEM.VALUE{n}}}")),
    };
    let has_any = text.contains("{ITEM.VALUE");
    (1..=9).filter(move |n| has_any && names(*n))
}

/// Values by number as text; "" without any.
#[must_use]
pub fn write_values(values: impl Iterator<Item = (usize, String)>) -> String {
    let cut = |(n, text): (usize, String)| (n, text.chars().take(VALUE_MAX).collect::<String>());
    let values: Vec<(usize, String)> = values.map(cut).collect();
    if values.is_empty() {
        return String::new();
    }
    serde_json::to_string(&values).expect("numbers and texts are JSON")
}

/// The other way round; `None`: a text of before values were kept.
#[must_use]
pub fn read_values(kept: &str) -> Option<Vec<(usize, String)>> {
    if kept.is_empty() {
        return Some(Vec::new());
    }
    serde_json::from_str(kept).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_stored_by_number() {
        let of = |text: &'static str| value_macros(text).collect::<Vec<_>>();
        assert_eq!(of("a {ITEM.VALUE} {{ITEM.VALUE3}.regsub(a,b)} {ITEM.LASTVALUE2}"), [1, 3]);
        assert_eq!(of("{ITEM.VALUETYPE} {ITEM.VALUE.AGE}"), [0; 0]);
        let values = vec![(1, "20".to_owned()), (3, "a \"b\"\nü".to_owned())];
        let kept = write_values(values.clone().into_iter());
        assert_eq!(read_values(&kept), Some(values));
        assert_eq!((write_values([].into_iter()), read_values("")), (String::new(), Some(vec![])));
        assert_eq!(read_values("now 5"), None);
        assert_eq!(read_values("5"), None);
    }
}
