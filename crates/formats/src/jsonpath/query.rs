//! Running a path over a document.

use super::ast::{Func, Matcher, Segment};
use super::result::{PathError, PathValue};
use crate::json::{Doc, JsonKind, NodeId};
use crate::number;

/// The most nodes that one query may visit: a shard must not hang. More are an error.
const STEPS_MAX: usize = 10_000_000;

/// Runs all segments.
pub(super) fn run(doc: &Doc<'_>, segments: &[Segment]) -> Result<PathValue, PathError> {
    let is_func = |it: &Segment| matches!(it.matcher, Matcher::Func(_));
    let n_path = segments.iter().position(is_func).unwrap_or(segments.len());
    let (path, funcs) = segments.split_at(n_path);
    let wants_names =
        funcs.first().is_some_and(|it| matches!(it.matcher, Matcher::Func(Func::Name)));
    let mut walk = Walk { doc, found: Vec::new(), indexes: wants_names.then(Vec::new), steps: 0 };
    walk.visit(doc.root(), path)?;
    let definite = super::ast::is_definite(path);
    if let Some(indexes) = walk.indexes.filter(|it| !it.is_empty()) {
        let rest = funcs.get(1..).unwrap_or(&[]);
        if definite {
            let index = indexes.first().map_or_else(String::new, |it| it.1.to_string());
            return finish(doc, Selection::Value(index), rest);
        }
        // Both are in the order in which they were found.
        let names = walk.found.iter().scan(indexes.into_iter().peekable(), |indexes, node| {
            let index = indexes.next_if(|it| it.0 == *node).map(|it| format!("\"{}\"", it.1));
            Some(index.unwrap_or_else(|| quoted_name(doc, *node)))
        });
        return finish(doc, Selection::Names(names.collect()), rest);
    }
    let state = if definite {
        walk.found.first().map_or(Selection::Nothing, |it| Selection::One(*it))
    } else {
        Selection::Many(walk.found)
    };
    finish(doc, state, funcs)
}

/// Applies functions to the values that were found.
fn finish(doc: &Doc<'_>, mut state: Selection, funcs: &[Segment]) -> Result<PathValue, PathError> {
    for segment in funcs {
        if let Matcher::Func(func) = &segment.matcher {
            state = apply(doc, *func, state)?;
        }
    }
    Ok(result(doc, state))
}

/// Text of the value that a definite path finds from `from`.
pub(super) fn definite(
    doc: &Doc<'_>,
    from: NodeId,
    segments: &[Segment],
) -> Result<Option<String>, PathError> {
    let is_func = |it: &Segment| matches!(it.matcher, Matcher::Func(_));
    let n_path = segments.iter().position(is_func).unwrap_or(segments.len());
    let Some(at) = find_one(doc, from, &segments[..n_path]) else { return Ok(None) };
    let mut state = Selection::One(at);
    for segment in &segments[n_path..] {
        if let Matcher::Func(func) = &segment.matcher {
            state = apply(doc, *func, state)?;
        }
    }
    Ok(match result(doc, state) {
        PathValue::Nothing => None,
        // In a filter there is nothing in it.
        PathValue::Null => Some(String::new()),
        PathValue::Value(it) | PathValue::Values(it) => Some(it),
    })
}

/// The value that segments with one name or position each find.
pub(super) fn find_one(doc: &Doc<'_>, from: NodeId, segments: &[Segment]) -> Option<NodeId> {
    segments.iter().try_fold(from, |at, segment| match &segment.matcher {
        _ if segment.detached => None,
        Matcher::Names(names) if names.len() == 1 => doc.member(at, &names[0]),
        Matcher::Indexes(indexes) if indexes.len() == 1 => doc.element(at, indexes[0]),
        _ => None,
    })
}

struct Walk<'d, 't> {
    doc: &'d Doc<'t>,
    found: Vec<NodeId>,
    /// Where names are asked for: elements of arrays that a filter or indexes at the end of the path have
    /// found, and their indexes, which stand for their names.
    indexes: Option<Vec<(NodeId, usize)>>,
    steps: usize,
}

impl Walk<'_, '_> {
    /// Depth is bounded: each step goes down one level of the document.
    fn visit(&mut self, at: NodeId, segments: &[Segment]) -> Result<(), PathError> {
        self.steps += 1;
        if self.steps > STEPS_MAX {
            return Err(PathError::TooExpensive);
        }
        let Some((segment, rest)) = segments.split_first() else {
            self.found.push(at);
            return Ok(());
        };
        let doc = self.doc;
        match &segment.matcher {
            Matcher::Names(names) if !segment.detached && names.len() == 1 => {
                if let Some(it) = doc.member(at, &names[0]) {
                    self.visit(it, rest)?;
                }
                return Ok(());
            }
            Matcher::Indexes(indexes) if !segment.detached && indexes.len() == 1 => {
                let found = doc.element(at, indexes[0]).into_iter().collect();
                return self.visit_elements(at, found, rest);
            }
            Matcher::Filter(filter) if !segment.detached => {
                if let Some(candidates) = filter.candidates(doc, at)? {
                    let matching = self.matching(at, &candidates, &segment.matcher)?;
                    return self.visit_elements(at, matching, rest);
                }
            }
            _ => {}
        }
        let children = match doc.kind(at) {
            JsonKind::Object => doc.members_in_walk_order(at),
            JsonKind::Array => doc.children(at).collect(),
            _ => return Ok(()),
        };
        let matching = self.matching(at, &children, &segment.matcher)?;
        if matches!(segment.matcher, Matcher::All | Matcher::Names(_)) {
            for it in matching {
                self.visit(it, rest)?;
            }
        } else {
            self.visit_elements(at, matching, rest)?;
        }
        if segment.detached {
            for it in children {
                self.visit(it, segments)?;
            }
        }
        Ok(())
    }

    /// Goes on with what a filter, indexes or a slice have found among the children of `at`.
    fn visit_elements(
        &mut self,
        at: NodeId,
        matching: Vec<NodeId>,
        rest: &[Segment],
    ) -> Result<(), PathError> {
        let doc = self.doc;
        if rest.is_empty()
            && doc.kind(at) == JsonKind::Array
            && let Some(indexes) = &mut self.indexes
        {
            let children: Vec<NodeId> = doc.children(at).collect();
            let index = |it: &NodeId| Some((*it, children.binary_search(it).ok()?));
            indexes.extend(matching.iter().filter_map(index));
        }
        matching.into_iter().try_for_each(|it| self.visit(it, rest))
    }

    fn matching(
        &mut self,
        at: NodeId,
        children: &[NodeId],
        matcher: &Matcher,
    ) -> Result<Vec<NodeId>, PathError> {
        let doc = self.doc;
        Ok(match matcher {
            Matcher::All => children.to_vec(),
            // Zabbix keeps the list in reverse.
            Matcher::Names(names) => {
                names.iter().rev().filter_map(|it| doc.member(at, it)).collect()
            }
            Matcher::Indexes(indexes) => {
                indexes.iter().rev().filter_map(|it| doc.element(at, *it)).collect()
            }
            Matcher::Slice(from, to) if doc.kind(at) == JsonKind::Array => {
                let (from, to) = bounds(children.len(), *from, *to);
                children.get(from..to).unwrap_or(&[]).to_vec()
            }
            Matcher::Filter(filter) => {
                let mut found = Vec::new();
                for it in children {
                    self.steps += 1;
                    if filter.matches(doc, *it)? {
                        found.push(*it);
                    }
                }
                found
            }
            Matcher::Slice(..) | Matcher::Func(_) => Vec::new(),
        })
    }
}

fn bounds(len: usize, from: Option<i64>, to: Option<i64>) -> (usize, usize) {
    let position = |it: i64| {
        let from_end = usize::try_from(it.unsigned_abs()).unwrap_or(usize::MAX);
        if it < 0 { len.saturating_sub(from_end) } else { from_end.min(len) }
    };
    (from.map_or(0, position), to.map_or(len, position))
}

/// The input of functions.
enum Selection {
    Nothing,
    One(NodeId),
    Many(Vec<NodeId>),
    Value(String),
    /// JSON strings, quotes included.
    Names(Vec<String>),
}

fn apply(doc: &Doc<'_>, func: Func, state: Selection) -> Result<Selection, PathError> {
    match func {
        Func::Name => return names(doc, state),
        Func::First => return first(doc, state),
        _ => {}
    }
    let items = match state {
        Selection::One(it) if doc.kind(it) == JsonKind::Array => doc.children(it).collect(),
        Selection::Many(items) => items,
        Selection::Names(names) if func == Func::Length => {
            return Ok(Selection::Value(names.len().to_string()));
        }
        _ => return Err(not_an_array()),
    };
    if func == Func::Length {
        return Ok(Selection::Value(items.len().to_string()));
    }
    if items.is_empty() {
        return Err(failed("cannot apply aggregation function to empty array"));
    }
    let mut numbers = Vec::with_capacity(items.len());
    for it in &items {
        numbers.push(number_of(doc, *it)?);
    }
    let sum = numbers.iter().fold(0.0, |sum, it| sum + it);
    let value = match func {
        Func::Min => numbers.iter().copied().fold(f64::INFINITY, f64::min),
        Func::Max => numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        Func::Avg => sum / number::u64_to_f64(numbers.len() as u64),
        _ => sum,
    };
    let text = number::format_f64(value);
    if value.is_finite() {
        Ok(Selection::Value(text))
    } else {
        Err(failed(format!("invalid function result: {text}")))
    }
}

fn failed(why: impl Into<String>) -> PathError {
    PathError::Function(why.into())
}

fn not_an_array() -> PathError {
    failed("cannot apply function to non-array JSON element")
}

/// A number, also one that is written as a string.
fn number_of(doc: &Doc<'_>, id: NodeId) -> Result<f64, PathError> {
    if !matches!(doc.kind(id), JsonKind::Number | JsonKind::String) {
        return Err(failed("array value type is not a number or string"));
    }
    let text = doc.text(id);
    number::parse_f64(&text)
        .ok_or_else(|| failed(format!("array value is not a number or out of range: {text}")))
}

fn first(doc: &Doc<'_>, state: Selection) -> Result<Selection, PathError> {
    Ok(match state {
        Selection::One(it) if doc.kind(it) == JsonKind::Array => {
            doc.children(it).next().map_or(Selection::Nothing, Selection::One)
        }
        Selection::Many(items) => {
            items.first().map_or(Selection::Nothing, |it| Selection::One(*it))
        }
        Selection::Names(names) => names.first().map_or(Selection::Nothing, |it| {
            Selection::Value(crate::json::decode_string(it).into_owned())
        }),
        Selection::Nothing | Selection::One(_) | Selection::Value(_) => return Err(not_an_array()),
    })
}

/// A JSON string; an empty one where there is no name.
fn quoted_name(doc: &Doc<'_>, node: NodeId) -> String {
    let name = doc.raw_name(node);
    if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
}

fn names(doc: &Doc<'_>, state: Selection) -> Result<Selection, PathError> {
    match state {
        Selection::One(it) => Ok(Selection::Value(doc.name(it).into_owned())),
        Selection::Many(items) if !items.is_empty() => {
            Ok(Selection::Names(items.iter().map(|it| quoted_name(doc, *it)).collect()))
        }
        Selection::Nothing | Selection::Many(_) | Selection::Value(_) | Selection::Names(_) => {
            Err(failed("cannot extract name from empty result"))
        }
    }
}

fn result(doc: &Doc<'_>, state: Selection) -> PathValue {
    match state {
        Selection::Nothing => PathValue::Nothing,
        Selection::One(it) if matches!(doc.kind(it), JsonKind::Object | JsonKind::Array) => {
            PathValue::Value(doc.compact_numbers(it))
        }
        Selection::One(it) if doc.kind(it) == JsonKind::Null => PathValue::Null,
        Selection::One(it) => PathValue::Value(doc.scalar_text(it).into_owned()),
        Selection::Value(it) => PathValue::Value(it),
        Selection::Many(items) if items.is_empty() => PathValue::Nothing,
        Selection::Many(items) => {
            PathValue::Values(array(items.iter().map(|it| doc.compact_numbers(*it))))
        }
        Selection::Names(names) if names.is_empty() => PathValue::Nothing,
        Selection::Names(names) => PathValue::Values(array(names.into_iter())),
    }
}

fn array(items: impl Iterator<Item = String>) -> String {
    let mut out = String::from("[");
    for (idx, item) in items.enumerate() {
        if idx > 0 {
            out.push(',');
        }
        out.push_str(&item);
    }
    out.push(']');
    out
}

#[cfg(test)]
mod tests {
    use crate::jsonpath::JsonPath;

    fn query(path: &str, json: &str) -> Option<String> {
        JsonPath::parse(path).unwrap().query_text(json).unwrap()
    }

    fn query_error(path: &str, json: &str) -> String {
        JsonPath::parse(path).unwrap().query_text(json).unwrap_err().to_string()
    }

    #[test]
    fn names_of_filtered_elements_are_their_indexes() {
        let json = r#"{"a":[{"x":1},{"x":2},{"x":1}],"o":{"p":{"x":1}}}"#;
        assert_eq!(query("$.a[?(@.x == 1)]~", json).unwrap(), r#"["0","2"]"#);
        assert_eq!(query("$.a[?(@.x > 1)]~", json).unwrap(), r#"["1"]"#);
        assert_eq!(query("$.a[?(@.x > 1)]~.first()", json).unwrap(), "1");
        // Members have names, also among elements.
        assert_eq!(query("$..[?(@.x == 1)]~", json).unwrap(), r#"["0","2","p"]"#);
        assert_eq!(query("$.a[?(@.x == 1)].x~", json).unwrap(), r#"["x","x"]"#);
        assert_eq!(query("$.a[*]~", json).unwrap(), r#"["","",""]"#);
    }

    #[test]
    fn names_of_indexed_elements_are_their_indexes() {
        let json = r#"{"a":[{"x":1},{"x":2},[7,8]],"o":{"p":1}}"#;
        assert_eq!(query("$.a[0]~", json).unwrap(), "0");
        assert_eq!(query("$.a[-1]~", json).unwrap(), "2");
        assert_eq!(query("$.a[2][1]~", json).unwrap(), "1");
        assert_eq!(query("$['a'][1]~", json).unwrap(), "1");
        assert_eq!(query("$.a[1].x~", json).unwrap(), "x");
        assert_eq!(query("$.a[0:2]~", json).unwrap(), r#"["0","1"]"#);
        assert_eq!(query("$.a[0,2]~", json).unwrap(), r#"["2","0"]"#);
        assert!(query_error("$.a[3]~", json).contains("cannot extract name from empty result"));
    }

    #[test]
    fn a_backslash_in_a_name_escapes_its_own_quote_only() {
        assert_eq!(query(r"$['a\'b']", r#"{"a'b":1}"#).unwrap(), "1");
        JsonPath::parse(r#"$['a\"b']"#).unwrap_err();
        JsonPath::parse(r#"$["a\'b"]"#).unwrap_err();
        JsonPath::parse(r#"$[?(@.x == 'a\"b')]"#).unwrap();
    }
}
