//! *Filter JSON fields*: keeps or removes members and elements by their paths.

use super::error::StepError;
use formats::json::{Doc, JsonKind, NodeId};
use formats::jsonpath::{JsonPath, Matcher};

/// Paths of one step.
const PATHS_MAX: usize = 1_000;

/// A step's parameters.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    keeps: bool,
    paths: Vec<JsonPath>,
}

/// Paths that lead here, with the number of their segments that are done.
type Active = Vec<(usize, usize)>;

impl Fields {
    /// Reads `keep` or `remove`, then a path a line: names, positions and `*`.
    pub(super) fn compile(params: &str) -> Result<Self, StepError> {
        let invalid = |text: String| Err(StepError::Parameters(text));
        let mut lines = params.split('\n');
        let keeps = match lines.next().unwrap_or("") {
            "keep" => true,
            "remove" => false,
            other => {
                return invalid(format!("invalid mode \"{other}\": keep or remove is expected"));
            }
        };
        let mut paths = Vec::new();
        for line in lines.filter(|it| !it.trim().is_empty()) {
            let path = match JsonPath::parse(line.trim()) {
                Ok(it) => it,
                Err(error) => return invalid(error.to_string()),
            };
            let is_plain = path.segments().iter().all(|it| {
                let fits = |idx: &i64| *idx >= 0;
                !it.detached
                    && match &it.matcher {
                        Matcher::Names(_) | Matcher::All => true,
                        Matcher::Indexes(it) => it.iter().all(fits),
                        _ => false,
                    }
            });
            if !is_plain || path.segments().is_empty() {
                return invalid(format!(
                    "path \"{line}\" has other parts than names and positions"
                ));
            }
            paths.push(path);
        }
        if paths.is_empty() || paths.len() > PATHS_MAX {
            return invalid("paths are expected, at most 1000".to_owned());
        }
        Ok(Self { keeps, paths })
    }

    /// The document without the unwanted fields, compact.
    pub(super) fn apply(&self, text: &str) -> Result<String, StepError> {
        let doc = Doc::parse(text)
            .map_err(|it| StepError::Value(format!("cannot filter JSON fields: {it}")))?;
        let mut out = String::with_capacity(text.len());
        let active = (0..self.paths.len()).map(|it| (it, 0)).collect();
        self.write(&doc, doc.root(), &active, &mut out);
        Ok(out)
    }

    /// Nesting is bounded by the parser.
    fn write(&self, doc: &Doc<'_>, node: NodeId, active: &Active, out: &mut String) {
        let is_object = doc.kind(node) == JsonKind::Object;
        out.push(if is_object { '{' } else { '[' });
        let start = out.len();
        for (idx, child) in doc.children(node).enumerate() {
            let next = self.next(doc, child, (!is_object).then_some(idx), active);
            let is_named = next.iter().any(|it| self.paths[it.0].segments().len() == it.1);
            let is_open = matches!(doc.kind(child), JsonKind::Object | JsonKind::Array);
            let is_whole = if self.keeps { is_named } else { next.is_empty() };
            let is_gone = if self.keeps { next.is_empty() || !is_open } else { is_named };
            if is_gone && !is_whole {
                continue;
            }
            if out.len() > start {
                out.push(',');
            }
            if is_object {
                out.push_str(doc.raw_name(child));
                out.push(':');
            }
            if is_whole || !is_open {
                out.push_str(&doc.compact(child));
            } else {
                self.write(doc, child, &next, out);
            }
        }
        out.push(if is_object { '}' } else { ']' });
    }

    /// The paths that continue in a child.
    fn next(&self, doc: &Doc<'_>, child: NodeId, idx: Option<usize>, active: &Active) -> Active {
        let leads = |matcher: &Matcher| match (matcher, idx) {
            (Matcher::All, _) => true,
            (Matcher::Names(names), None) => names.iter().any(|it| *it == doc.name(child)),
            (Matcher::Indexes(wanted), Some(idx)) => {
                i64::try_from(idx).is_ok_and(|it| wanted.contains(&it))
            }
            _ => false,
        };
        let segment = |it: &(usize, usize)| self.paths[it.0].segments().get(it.1);
        active
            .iter()
            .filter(|it| segment(it).is_some_and(|it| leads(&it.matcher)))
            .map(|it| (it.0, it.1 + 1))
            .collect()
    }
}
