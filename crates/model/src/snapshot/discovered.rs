//! What discovery adds to a row: its origin, and the macro values that identify it.
//!
//! There are millions of discovered objects, so only data that cannot be derived are kept. Key and name are
//! the prototype's with the row's values: they are expanded on request, and kept only where that gives
//! another text (a value that is quoted in the key, a macro with a function, a lost object whose row has
//! changed since). Marks of lost objects are shared by objects that were lost together.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use memchr::memchr;
use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, SerializeSeq as _, Serializer};

use crate::ItemId;
use crate::map::Set;

/// Where a discovered object comes from.
#[derive(Clone, Debug)]
pub struct Discovered {
    /// The prototype on the same holder: an item or trigger id by the kind of row.
    pub prototype: u64,
    /// The rule on the same holder.
    pub rule: ItemId,
    /// Macro values of the row that made it. Change it by [`Self::moved_to`] where texts stay.
    pub row: Arc<LldRow>,
    /// `None` for most.
    rare: Option<Arc<Rare>>,
}

/// The time since when an object is lost, and when it is disabled and deleted; in seconds since 1970.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// When the rule last named it; 0 = it does now.
    pub since: i64,
    /// 0 = not planned.
    pub delete_at: i64,
    pub disable_at: i64,
}

/// Fields that only some objects have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Rare {
    lost: Lost,
    /// Where they differ from the expanded patterns.
    key: Option<Box<str>>,
    name: Option<Box<str>>,
}

/// The patterns of key and name: the texts of the content, with LLD macros.
#[derive(Clone, Copy, Debug)]
pub struct Patterns<'a> {
    /// Empty for triggers, which have none.
    pub key: &'a str,
    pub name: &'a str,
}

impl Discovered {
    /// An object that is not lost, with the texts that its patterns give.
    #[must_use]
    pub fn new(prototype: u64, rule: ItemId, row: Arc<LldRow>) -> Self {
        Self { prototype, rule, row, rare: None }
    }

    /// The key, by the pattern of its content.
    #[must_use]
    pub fn key<'a>(&'a self, pattern: &'a str) -> Cow<'a, str> {
        match self.kept_key() {
            Some(it) => Cow::Borrowed(it),
            None => self.row.fill(pattern),
        }
    }

    /// Whether that is the key, without putting it together.
    #[inline]
    #[must_use]
    pub fn has_key(&self, pattern: &str, key: &str) -> bool {
        match self.kept_key() {
            Some(it) => it == key,
            None => self.row.gives(pattern, key),
        }
    }

    /// The name, by the pattern of its content.
    #[must_use]
    pub fn name<'a>(&'a self, pattern: &'a str) -> Cow<'a, str> {
        match self.kept_name() {
            Some(it) => Cow::Borrowed(it),
            None => self.row.fill(pattern),
        }
    }

    /// Whether that is the name, without putting it together.
    #[must_use]
    pub fn has_name(&self, pattern: &str, name: &str) -> bool {
        match self.kept_name() {
            Some(it) => it == name,
            None => self.row.gives(pattern, name),
        }
    }

    fn kept_key(&self) -> Option<&str> {
        self.rare.as_ref()?.key.as_deref()
    }

    fn kept_name(&self) -> Option<&str> {
        self.rare.as_ref()?.name.as_deref()
    }

    /// Gives it these texts, whatever the patterns give.
    pub fn set_texts(&mut self, patterns: Patterns<'_>, key: &str, name: &str) {
        let differs = |pattern, text| (!self.row.gives(pattern, text)).then(|| Box::from(text));
        let kept_key = if patterns.key.is_empty() { None } else { differs(patterns.key, key) };
        let kept_name = differs(patterns.name, name);
        self.change(|it| (it.key, it.name) = (kept_key, kept_name));
    }

    /// The same object, key and name with another row.
    #[must_use]
    pub fn moved_to(&self, row: Arc<LldRow>, patterns: Patterns<'_>) -> Self {
        let mut moved = Self { row, ..self.clone() };
        moved.set_texts(patterns, &self.key(patterns.key), &self.name(patterns.name));
        moved
    }

    #[must_use]
    pub fn lost(&self) -> Lost {
        self.rare.as_ref().map(|it| it.lost).unwrap_or_default()
    }

    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost().since != 0
    }

    pub fn set_lost(&mut self, lost: Lost) {
        if self.lost() != lost {
            self.change(|it| it.lost = lost);
        }
    }

    /// Whether the row that made `dependent` made this one too, when discovery named that last: a
    /// discovered object depends on such ones only.
    #[must_use]
    pub fn was_named_with(&self, dependent: &Self) -> bool {
        let (own, other) = (self.lost().since, dependent.lost().since);
        let was_there = own == 0 || other != 0 && other <= own;
        was_there && (Arc::ptr_eq(&self.row, &dependent.row) || self.row == dependent.row)
    }

    fn change(&mut self, change: impl FnOnce(&mut Rare)) {
        let before = self.rare.as_deref();
        let mut rare = before.cloned().unwrap_or_default();
        change(&mut rare);
        if before.map_or(rare == Rare::default(), |it| *it == rare) {
            return;
        }
        self.rare = (rare != Rare::default()).then(|| Arc::new(rare));
    }

    /// Whether both say the same of objects with the same patterns.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        (self.prototype, self.rule) == (other.prototype, other.rule)
            && (Arc::ptr_eq(&self.row, &other.row) || self.row == other.row)
            && self.rare == other.rare
    }
}

/// Lets objects that were lost together share their mark.
#[derive(Debug, Default)]
pub struct LostTogether {
    last: Option<Arc<Rare>>,
}

impl LostTogether {
    pub fn share(&mut self, it: &mut Discovered) {
        let Some(rare) = &mut it.rare else { return };
        match &self.last {
            Some(last) if last == rare => *rare = Arc::clone(last),
            _ => self.last = Some(Arc::clone(rare)),
        }
    }
}

/// `{#MACRO}` and value of one row of a rule, sorted by macro. Values are in one text, and rows of a rule
/// share the names.
#[derive(Clone)]
pub struct LldRow {
    names: Names,
    /// Where each value ends in `values`.
    ends: Box<[u32]>,
    values: Box<str>,
}

type Names = Arc<[Box<str>]>;

/// Names up to which looking at each is quicker than halving.
const NAMES_FEW: usize = 12;
/// Room for values in a text that is put together: more than most have.
const VALUES_BYTES: usize = 32;

impl Default for LldRow {
    fn default() -> Self {
        Self::new::<&str, &str>([])
    }
}

impl LldRow {
    /// A row of these macros; of equal names the last counts. What does not fit into 4 GiB is empty.
    pub fn new<N: AsRef<str>, V: AsRef<str>>(macros: impl IntoIterator<Item = (N, V)>) -> Self {
        let macros: Vec<(N, V)> = macros.into_iter().collect();
        let sorted: BTreeMap<&str, &str> =
            macros.iter().map(|(name, value)| (name.as_ref(), value.as_ref())).collect();
        let mut values = String::with_capacity(sorted.values().map(|it| it.len()).sum());
        let mut ends = Vec::with_capacity(sorted.len());
        for value in sorted.values() {
            if u32::try_from(values.len() + value.len()).is_ok() {
                values.push_str(value);
            }
            ends.push(u32::try_from(values.len()).unwrap_or(u32::MAX));
        }
        Self {
            names: sorted.keys().map(|it| Box::from(*it)).collect(),
            ends: ends.into(),
            values: values.into(),
        }
    }

    /// The value of `{#NAME}`.
    #[inline]
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        // Most rows have a few macros, whose names differ by their length alone.
        let at = if self.names.len() <= NAMES_FEW {
            self.names.iter().position(|it| **it == *name)?
        } else {
            self.names.binary_search_by(|it| (**it).cmp(name)).ok()?
        };
        self.value(at)
    }

    fn value(&self, at: usize) -> Option<&str> {
        let start = if at == 0 { 0 } else { *self.ends.get(at - 1)? };
        self.values.get(start as usize..*self.ends.get(at)? as usize)
    }

    /// Macros with their values, by name.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &str)> {
        let values = (0..self.names.len()).map(|at| self.value(at).unwrap_or_default());
        self.names.iter().map(AsRef::as_ref).zip(values)
    }

    /// A text with this row's values in place of its macros, as they are; other macros stay.
    fn fill<'a>(&self, pattern: &'a str) -> Cow<'a, str> {
        let mut rest = pattern;
        let mut filled = None;
        while let Some((literal, value, behind)) = self.cut(rest) {
            let filled =
                filled.get_or_insert_with(|| String::with_capacity(pattern.len() + VALUES_BYTES));
            filled.push_str(literal);
            filled.push_str(value);
            rest = behind;
        }
        let Some(mut filled) = filled else { return Cow::Borrowed(pattern) };
        filled.push_str(rest);
        Cow::Owned(filled)
    }

    /// Whether [`Self::fill`] makes `text` of it.
    #[inline]
    fn gives(&self, pattern: &str, text: &str) -> bool {
        let (mut rest, mut left) = (pattern, text);
        while let Some((literal, value, behind)) = self.cut(rest) {
            let Some(it) = left.strip_prefix(literal).and_then(|it| it.strip_prefix(value)) else {
                return false;
            };
            (rest, left) = (behind, it);
        }
        rest == left
    }

    /// The text before the first macro that the row has, the macro's value, and the text after it.
    #[inline]
    fn cut<'a>(&'a self, pattern: &'a str) -> Option<(&'a str, &'a str, &'a str)> {
        let bytes = pattern.as_bytes();
        let mut from = 0;
        loop {
            let start = from + memchr(b'{', bytes.get(from..)?)?;
            from = start + 1;
            if bytes.get(from) != Some(&b'#') {
                continue;
            }
            let end = start + memchr(b'}', bytes.get(start..)?)? + 1;
            if let Some(value) = self.get(pattern.get(start..end)?) {
                return Some((pattern.get(..start)?, value, pattern.get(end..)?));
            }
        }
    }
}

/// Counts of comparisons of rows on this thread, and of copies of hosts and templates: tests bound the work
/// for many rows by them. Release builds do not count.
pub mod comparisons {
    use std::cell::Cell;

    thread_local! {
        static COUNT: Cell<u64> = const { Cell::new(0) };
        static COPIES: Cell<u64> = const { Cell::new(0) };
    }

    /// Counts a comparison.
    #[inline]
    pub fn count() {
        if cfg!(debug_assertions) {
            COUNT.with(|it| it.set(it.get() + 1));
        }
    }

    #[inline]
    pub(crate) fn count_copy() {
        if cfg!(debug_assertions) {
            COPIES.with(|it| it.set(it.get() + 1));
        }
    }

    /// The result of a call, and the copies of hosts and templates that it made.
    pub fn copies_of<T>(call: impl FnOnce() -> T) -> (T, u64) {
        let before = COPIES.with(Cell::get);
        let given = call();
        (given, COPIES.with(Cell::get) - before)
    }

    /// The result of a call, and the comparisons that it made.
    pub fn of<T>(call: impl FnOnce() -> T) -> (T, u64) {
        let before = COUNT.with(Cell::get);
        let given = call();
        (given, COUNT.with(Cell::get) - before)
    }
}

impl fmt::Debug for LldRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl PartialEq for LldRow {
    fn eq(&self, other: &Self) -> bool {
        comparisons::count();
        self.ends == other.ends
            && self.values == other.values
            && (Arc::ptr_eq(&self.names, &other.names) || self.names == other.names)
    }
}

impl Eq for LldRow {}

impl Hash for LldRow {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // The names are mostly the same.
        (&self.ends, &self.values).hash(state);
    }
}

impl PartialOrd for LldRow {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for LldRow {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        comparisons::count();
        let by_names = match Arc::ptr_eq(&self.names, &other.names) {
            true => std::cmp::Ordering::Equal,
            false => self.names.cmp(&other.names),
        };
        by_names.then_with(|| (&self.values, &self.ends).cmp(&(&other.values, &other.ends)))
    }
}

impl Serialize for LldRow {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(self.names.len()))?;
        for pair in self.iter() {
            list.serialize_element(&pair)?;
        }
        list.end()
    }
}

impl<'de> Deserialize<'de> for LldRow {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(Vec::<(String, String)>::deserialize(deserializer)?))
    }
}

/// Lets rows share the names of their macros.
#[derive(Debug, Default)]
pub struct LldNames {
    known: Set<Names>,
}

impl LldNames {
    /// From now on others share the names of this row.
    pub fn note(&mut self, row: &LldRow) {
        if !self.known.contains(&row.names) {
            self.known.insert(Arc::clone(&row.names));
        }
    }

    pub fn share(&mut self, row: &mut LldRow) {
        match self.known.get(&row.names) {
            Some(known) => row.names = Arc::clone(known),
            None => self.note(row),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(macros: &[(&str, &str)]) -> Arc<LldRow> {
        Arc::new(LldRow::new(macros.iter().copied()))
    }

    #[test]
    fn a_row_holds_its_values_by_name() {
        let row = row(&[("{#B}", "2"), ("{#A}", ""), ("{#C}", "ü,"), ("{#B}", "3")]);
        assert_eq!(row.iter().collect::<Vec<_>>(), [("{#A}", ""), ("{#B}", "3"), ("{#C}", "ü,")]);
        assert_eq!(
            (row.get("{#A}"), row.get("{#C}"), row.get("{#D}")),
            (Some(""), Some("ü,"), None)
        );
        let text = serde_json::to_string(&*row).unwrap();
        assert_eq!(text, r#"[["{#A}",""],["{#B}","3"],["{#C}","ü,"]]"#);
        assert_eq!(serde_json::from_str::<LldRow>(&text).unwrap(), *row);
        assert_eq!(LldRow::default().iter().len(), 0);
    }

    #[test]
    fn rows_with_values_cut_up_differently_differ() {
        let (one, two) =
            (row(&[("{#A}", "xy"), ("{#B}", "z")]), row(&[("{#A}", "x"), ("{#B}", "yz")]));
        assert_ne!(one, two);
        assert_ne!(one.cmp(&two), std::cmp::Ordering::Equal);
        let mut shared = LldRow::clone(&two);
        let mut names = LldNames::default();
        names.note(&one);
        names.share(&mut shared);
        assert!(Arc::ptr_eq(&shared.names, &one.names));
        assert_eq!(shared, *two);
        assert_ne!(one.cmp(&Arc::new(shared)), std::cmp::Ordering::Equal);
    }

    #[test]
    fn texts_are_stored_only_where_they_differ_from_the_pattern() {
        let patterns = Patterns { key: "size[{#FS},{#NONE}]", name: "{#FS}: {{#FS}.x()} {#FS" };
        let mut it = Discovered::new(1, ItemId(2), row(&[("{#FS}", "/")]));
        let plain = "size[/,{#NONE}]";
        assert_eq!(it.key(patterns.key), plain);
        assert!(it.has_key(patterns.key, plain) && !it.has_key(patterns.key, "size[/,{#NONE}] "));
        assert!(!it.has_key(patterns.key, "size[") && !it.has_key(patterns.key, ""));
        assert_eq!(it.name(patterns.name), "/: {/.x()} {#FS");
        it.set_texts(patterns, plain, "/: {/.x()} {#FS");
        assert!(it.rare.is_none());
        it.set_texts(patterns, plain, "/: X {#FS");
        assert_eq!(it.key(patterns.key), plain);
        assert_eq!(it.name(patterns.name), "/: X {#FS");
        assert!(it.has_name(patterns.name, "/: X {#FS") && it.kept_key().is_none());
        let moved = it.moved_to(row(&[("{#FS}", "/a")]), patterns);
        assert_eq!((&*moved.key(patterns.key), &*moved.name(patterns.name)), (plain, "/: X {#FS"));
        assert!(!moved.is_same(&it));
        it.set_texts(patterns, plain, "/: {/.x()} {#FS");
        assert!(it.rare.is_none());
    }

    #[test]
    fn rows_lost_together_share_their_marks() {
        let lost = Lost { since: 5, delete_at: 6, disable_at: 0 };
        let mut together = LostTogether::default();
        let mut made: Vec<Discovered> =
            (0..3).map(|it| Discovered::new(it, ItemId(2), Arc::default())).collect();
        for it in &mut made {
            it.set_lost(lost);
            together.share(it);
        }
        assert!(made.iter().all(|it| it.lost() == lost && it.is_lost()));
        let first = made[0].rare.as_ref().unwrap();
        assert!(made.iter().all(|it| Arc::ptr_eq(it.rare.as_ref().unwrap(), first)));
        let mut back = made[1].clone();
        back.set_lost(Lost::default());
        assert!(back.rare.is_none() && made[1].is_lost() && !back.is_same(&made[1]));
    }
}
