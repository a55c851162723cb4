//! The functions of XPath 1.0.

use super::error::XPathError;
use super::eval::{Context, Eval};
use super::func::Func;
use super::value::{At, Sub, Value, in_scope};
use crate::number;
use crate::xml::tree::{Name, NodeKind};

impl Func {
    pub(super) fn call(
        self,
        eval: &Eval<'_, '_>,
        args: Vec<Value>,
        context: Context,
    ) -> Result<Value, XPathError> {
        let len = |it: usize| Value::Number(number::u64_to_f64(it as u64));
        Ok(match self {
            Self::Last => len(context.size),
            Self::Position => len(context.position),
            Self::True => Value::Bool(true),
            Self::False => Value::Bool(false),
            Self::Count => len(nodes(&args)?.len()),
            Self::Sum => {
                let mut sum = 0.0;
                for at in nodes(&args)? {
                    sum += super::value::text_to_number(&eval.text_at(*at)?);
                }
                Value::Number(sum)
            }
            Self::Boolean => Value::Bool(args.first().is_some_and(Value::to_bool)),
            Self::Not => Value::Bool(!args.first().is_some_and(Value::to_bool)),
            Self::Number => match args.first() {
                Some(it) => Value::Number(it.to_number(eval.doc)),
                None => Value::Number(super::value::text_to_number(&eval.text_at(context.at)?)),
            },
            Self::Floor | Self::Ceiling | Self::Round => {
                let value = args.first().map_or(f64::NAN, |it| it.to_number(eval.doc));
                Value::Number(match self {
                    Self::Floor => value.floor(),
                    Self::Ceiling => value.ceil(),
                    _ => round(value),
                })
            }
            Self::LocalName | Self::NamespaceUri | Self::Name => {
                let at = match args.first() {
                    None => Some(context.at),
                    Some(_) => nodes(&args)?.first().copied(),
                };
                Value::Text(at.map(|it| self.name_of(eval, it)).unwrap_or_default())
            }
            Self::Id => Value::Nodes(by_id(eval, args)?),
            Self::Lang => Value::Bool(has_lang(eval, args, context.at)?),
            _ => self.call_texts(eval, args, context)?,
        })
    }

    fn call_texts(
        self,
        eval: &Eval<'_, '_>,
        args: Vec<Value>,
        context: Context,
    ) -> Result<Value, XPathError> {
        let numbers: Vec<f64> = match self {
            Self::Substring => args.iter().skip(1).map(|it| it.to_number(eval.doc)).collect(),
            _ => Vec::new(),
        };
        let mut texts = Vec::with_capacity(args.len());
        for arg in args {
            let text = eval.text(arg)?;
            eval.charge(text.len() / 64)?;
            texts.push(text);
        }
        if texts.is_empty() {
            texts.push(eval.text_at(context.at)?);
        }
        let text = |idx: usize| texts.get(idx).map_or("", String::as_str);
        let (first, second) = (text(0), text(1));
        Ok(match self {
            Self::Concat => Value::Text(texts.concat()),
            Self::StartsWith => Value::Bool(first.starts_with(second)),
            Self::Contains => Value::Bool(first.contains(second)),
            Self::SubstringBefore => {
                Value::Text(first.split_once(second).map_or("", |it| it.0).to_owned())
            }
            Self::SubstringAfter => {
                Value::Text(first.split_once(second).map_or("", |it| it.1).to_owned())
            }
            Self::Substring => Value::Text(substring(first, &numbers)),
            Self::StringLength => Value::Number(number::u64_to_f64(first.chars().count() as u64)),
            Self::NormalizeSpace => {
                let words = first.split([' ', '\t', '\n', '\r']).filter(|it| !it.is_empty());
                Value::Text(words.collect::<Vec<_>>().join(" "))
            }
            Self::Translate => {
                eval.charge(first.len().saturating_mul(second.len() / 64 + 1) / 16)?;
                Value::Text(translate(first, second, text(2)))
            }
            _ => Value::Text(first.to_owned()),
        })
    }

    /// The part of a node's name that the function is about.
    fn name_of(self, eval: &Eval<'_, '_>, at: At) -> String {
        let doc = eval.doc;
        let name = match at.sub {
            Sub::Attr(idx) => doc.attrs(at.node).get(idx).map(|it| it.name),
            Sub::Space(idx) => {
                let prefix = in_scope(doc, at.node).get(idx).map_or("", |it| it.0);
                let is_uri = self == Self::NamespaceUri;
                return if is_uri { String::new() } else { prefix.to_owned() };
            }
            Sub::This => {
                let has_name =
                    matches!(doc.kind(at.node), NodeKind::Element | NodeKind::Instruction);
                has_name.then(|| doc.node(at.node).name)
            }
        };
        let Name { prefix, local, space } = name.unwrap_or(Name::NOTHING);
        match self {
            Self::NamespaceUri => doc.space(space).to_owned(),
            Self::Name if !prefix.is_empty() => format!("{prefix}:{local}"),
            _ => local.to_owned(),
        }
    }
}

fn nodes(args: &[Value]) -> Result<&[At], XPathError> {
    match args.first() {
        Some(Value::Nodes(it)) => Ok(it),
        _ => Err(XPathError::Evaluate("argument is not a set of nodes")),
    }
}

/// Half goes up.
fn round(value: f64) -> f64 {
    if value.is_finite() && value.fract() != 0.0 { (value + 0.5).floor() } else { value }
}

/// Characters from a position, perhaps so many; positions count from 1.
fn substring(text: &str, numbers: &[f64]) -> String {
    let from = numbers.first().map_or(f64::NAN, |it| round(*it));
    let to = match numbers.get(1) {
        None => f64::INFINITY,
        Some(len) => from + round(*len),
    };
    let is_in = |idx: usize| {
        let position = number::u64_to_f64(idx as u64 + 1);
        position >= from && position < to
    };
    text.chars().enumerate().filter(|it| is_in(it.0)).map(|it| it.1).collect()
}

fn translate(text: &str, from: &str, to: &str) -> String {
    let mut map: model::map::Map<char, Option<char>> = model::map::Map::default();
    let mut targets = to.chars();
    for char in from.chars() {
        let target = targets.next();
        map.entry(char).or_insert(target);
    }
    text.chars().filter_map(|it| map.get(&it).copied().unwrap_or(Some(it))).collect()
}

/// Elements by `xml:id`: without a document type no other attribute is known to be one.
fn by_id(eval: &Eval<'_, '_>, mut args: Vec<Value>) -> Result<Vec<At>, XPathError> {
    let mut wanted = Vec::new();
    match args.pop() {
        Some(Value::Nodes(nodes)) => {
            for at in nodes {
                wanted.push(eval.text_at(at)?);
            }
        }
        Some(other) => wanted.push(eval.text(other)?),
        None => {}
    }
    let wanted: model::map::Set<&str> =
        wanted.iter().flat_map(|it| it.split_ascii_whitespace()).collect();
    let doc = eval.doc;
    let mut found = Vec::new();
    for node in 0..doc.end_of(0) {
        let attrs = doc.attrs(node);
        eval.charge(1 + attrs.len())?;
        let is_wanted = attrs.iter().any(|it| {
            it.name.space == 1 && it.name.local == "id" && wanted.contains(it.value.trim())
        });
        if is_wanted {
            found.push(At::this(node));
        }
    }
    Ok(found)
}

/// Is the language of the node (the nearest `xml:lang`) this one or a kind of it?
fn has_lang(eval: &Eval<'_, '_>, mut args: Vec<Value>, at: At) -> Result<bool, XPathError> {
    let wanted = args.pop().map_or(Ok(String::new()), |it| eval.text(it))?.to_ascii_lowercase();
    let doc = eval.doc;
    let parents =
        std::iter::successors(Some(at.node), |it| (*it != 0).then(|| doc.node(*it).parent));
    for node in parents {
        let attr = doc.attrs(node).iter().find(|it| it.name.space == 1 && it.name.local == "lang");
        if let Some(attr) = attr {
            let lang = attr.value.to_ascii_lowercase();
            let rest = lang.strip_prefix(&*wanted);
            return Ok(rest.is_some_and(|it| it.is_empty() || it.starts_with('-')));
        }
    }
    Ok(false)
}
