//! Queries: `name{label="value",other=~"regex"}==1`, and what is wanted of the result.

use super::PrometheusError;
use super::line::{Cursor, Wrong, near, number_of};
use crate::regexp::Regexp;

/// How a condition compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
    /// `=~`
    Match,
    /// `!~`
    NotMatch,
}

impl Operator {
    /// As written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::Match => "=~",
            Self::NotMatch => "!~",
        }
    }
}

/// A condition on a name or on the value of a label.
#[derive(Debug, Clone)]
pub struct Condition {
    /// How it compares.
    pub operator: Operator,
    /// With what.
    pub pattern: String,
    /// A pattern that does not compile matches nothing.
    regexp: Option<Regexp>,
}

impl Condition {
    fn new(operator: Operator, pattern: String) -> Self {
        let is_regexp = matches!(operator, Operator::Match | Operator::NotMatch);
        let regexp = if is_regexp { Regexp::new(&pattern).ok() } else { None };
        Self { operator, pattern, regexp }
    }

    pub(super) fn holds(&self, text: &str) -> Result<bool, PrometheusError> {
        let is_match = match &self.regexp {
            Some(it) => it.is_match(text).map_err(|it| PrometheusError::Regexp(it.to_string()))?,
            None => false,
        };
        Ok(match self.operator {
            Operator::Equal => self.pattern == text,
            Operator::NotEqual => self.pattern != text,
            Operator::Match => is_match,
            Operator::NotMatch => !is_match,
        })
    }
}

/// A parsed query.
#[derive(Debug, Clone, Default)]
pub struct PrometheusQuery {
    /// On the name of the metric; none: any.
    pub name: Option<Condition>,
    /// On labels, all of which must be there and fit.
    pub labels: Vec<(String, Condition)>,
    /// The value must be this number: as written (words in lower case) and as a number.
    pub value: Option<(String, f64)>,
}

/// An error whose place says nothing.
const NOWHERE: usize = usize::MAX;
/// The most conditions of one query. More are an error.
const LABELS_MAX: usize = 1_000;

impl PrometheusQuery {
    /// Parses a query; an empty one matches everything.
    ///
    /// # Errors
    /// [`PrometheusError::Query`].
    pub fn parse(text: &str) -> Result<Self, PrometheusError> {
        parse(text).map_err(|(what, at)| {
            let near = (at != NOWHERE).then(|| near(text, at));
            PrometheusError::Query { what, near }
        })
    }
}

fn parse(text: &str) -> Result<PrometheusQuery, Wrong> {
    let mut cursor = Cursor { text, at: 0 };
    let mut query = PrometheusQuery::default();
    cursor.skip_space();
    if matches!(cursor.peek(), Some(it) if !matches!(it, b'{' | b'=')) {
        let name = cursor.metric_name()?;
        query.name = Some(Condition::new(Operator::Equal, name.to_owned()));
        cursor.skip_space();
    }
    if cursor.peek() == Some(b'{') {
        conditions(&mut cursor, &mut query)?;
        cursor.skip_space();
    }
    if cursor.rest().starts_with("==") {
        cursor.at += 2;
        cursor.skip_space();
        let rest = cursor.rest();
        let len = rest.find([' ', '\t']).unwrap_or(rest.len());
        let word = rest.get(..len).unwrap_or("");
        let number = number_of(word).ok_or(("cannot parse metric comparison value", cursor.at))?;
        let is_word = !number.is_finite() && word.ends_with(|it: char| it.is_ascii_alphabetic());
        let pattern = if is_word { word.to_ascii_lowercase() } else { word.to_owned() };
        query.value = Some((pattern, number));
        cursor.at += len;
        cursor.skip_space();
    }
    if cursor.at < text.len() {
        let what = match query.value {
            Some(_) => "unexpected data after metric comparison value",
            None => "cannot parse metric comparison operator",
        };
        return Err((what, cursor.at));
    }
    Ok(query)
}

fn conditions(cursor: &mut Cursor<'_>, query: &mut PrometheusQuery) -> Result<(), Wrong> {
    cursor.at += 1;
    loop {
        cursor.skip_space();
        if cursor.peek() == Some(b'}') {
            cursor.at += 1;
            return Ok(());
        }
        let start = cursor.at;
        if query.labels.len() >= LABELS_MAX {
            return Err(("too many conditions", NOWHERE));
        }
        let (name, condition) =
            condition(cursor).map_err(|_wrong| ("cannot parse label condition", start))?;
        if name == "__name__" {
            if query.name.is_some() {
                return Err(("duplicate metric condition specified", NOWHERE));
            }
            query.name = Some(condition);
        } else {
            query.labels.push((name.to_owned(), condition));
        }
        cursor.skip_space();
        match cursor.peek() {
            Some(b',') => cursor.at += 1,
            Some(b'}') => {}
            _ => {
                let what = "missing label condition list terminating character \"}\"";
                return Err((what, NOWHERE));
            }
        }
    }
}

fn condition<'t>(cursor: &mut Cursor<'t>) -> Result<(&'t str, Condition), Wrong> {
    let name = cursor.label_name()?;
    cursor.skip_space();
    let operator = operator(cursor)?;
    cursor.skip_space();
    Ok((name, Condition::new(operator, cursor.label_value()?.into_owned())))
}

fn operator(cursor: &mut Cursor<'_>) -> Result<Operator, Wrong> {
    const ALL: [Operator; 4] =
        [Operator::Match, Operator::NotMatch, Operator::NotEqual, Operator::Equal];
    let rest = cursor.rest();
    let Some(operator) = ALL.iter().find(|it| rest.starts_with(it.as_str())) else {
        return Err(("operator expected", cursor.at));
    };
    cursor.at += operator.as_str().len();
    Ok(*operator)
}

/// The form of a query's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrometheusOutput {
    /// The value of the only metric.
    Value,
    /// A label of the only metric.
    Label(String),
    /// A function over the values of all metrics.
    Aggregate(Aggregate),
}

/// Functions over many values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aggregate {
    /// Sum
    Sum,
    /// Smallest
    Min,
    /// Largest
    Max,
    /// Arithmetic mean
    Avg,
    /// How many
    Count,
}

impl PrometheusOutput {
    /// Reads a step's second and third parameter.
    ///
    /// # Errors
    /// What is wrong, for the user.
    pub fn parse(request: &str, argument: &str) -> Result<Self, String> {
        match request {
            "value" => Ok(Self::Value),
            "label" => Ok(Self::Label(argument.to_owned())),
            "function" => Ok(Self::Aggregate(match argument {
                "sum" => Aggregate::Sum,
                "min" => Aggregate::Min,
                "max" => Aggregate::Max,
                "avg" => Aggregate::Avg,
                "count" => Aggregate::Count,
                _ => return Err(format!("unsupported aggregate function: {argument}")),
            })),
            _ => Err(format!("unsupported request: {request}")),
        }
    }
}
