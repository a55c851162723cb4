//! Web scenarios: pages that are requested one after the other, and the items that hold the results.
//!
//! A scenario is stored as the content of its item `web.test.fail[<name>]`: name, steps, agent, attempts,
//! headers and variables are in `params` as JSON, in the API's fields; fields that items have themselves
//! (update interval, status, tags, authentication, proxy, certificates) are the item's. So it is inherited,
//! scheduled and deleted as any item is.

use serde::{Deserialize, Serialize};

use super::item::NamedValue;
use super::{deserialize_i64, flag};
use crate::key::quote_param;

/// Steps of one scenario at most.
pub const WEB_STEPS_MAX: usize = 1_000;
const FAIL: &str = "web.test.fail[";

/// The fields of a web scenario in addition to its item's own.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct WebScenario {
    pub name: String,
    /// `User-Agent`.
    pub agent: String,
    /// The most attempts of a step.
    #[serde(deserialize_with = "deserialize_i64", serialize_with = "super::host::as_text")]
    pub retries: i64,
    /// Of all steps.
    pub headers: Vec<NamedValue>,
    /// Names as `{name}`.
    pub variables: Vec<NamedValue>,
    /// In the order in which they are made.
    pub steps: Vec<WebStep>,
}

/// A page that is requested.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct WebStep {
    pub name: String,
    /// Its number, if that is not its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub no: Option<i64>,
    pub url: String,
    pub query_fields: Vec<NamedValue>,
    pub posts: WebPosts,
    /// In place of the scenario's, if there are any.
    pub headers: Vec<NamedValue>,
    pub variables: Vec<NamedValue>,
    /// Time for its answers.
    pub timeout: String,
    /// A pattern that has to be found.
    pub required: String,
    /// Codes and ranges that are no failure; empty: any.
    pub status_codes: String,
    #[serde(with = "flag")]
    pub follow_redirects: bool,
    /// The searched part: 0 the body, 1 the headers, 2 both.
    #[serde(deserialize_with = "deserialize_i64", serialize_with = "super::host::as_text")]
    pub retrieve_mode: i64,
}

/// The posted body: a text as it is, or fields of a form.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WebPosts {
    Raw(String),
    Fields(Vec<NamedValue>),
}

impl WebPosts {
    /// Nothing is posted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Raw(text) => text.is_empty(),
            Self::Fields(fields) => fields.is_empty(),
        }
    }
}

impl Default for WebPosts {
    fn default() -> Self {
        Self::Raw(String::new())
    }
}

impl Default for WebScenario {
    fn default() -> Self {
        Self {
            name: String::new(),
            agent: "Zabbix".to_owned(),
            retries: 1,
            headers: Vec::new(),
            variables: Vec::new(),
            steps: Vec::new(),
        }
    }
}

impl Default for WebStep {
    fn default() -> Self {
        Self {
            name: String::new(),
            no: None,
            url: String::new(),
            query_fields: Vec::new(),
            posts: WebPosts::default(),
            headers: Vec::new(),
            variables: Vec::new(),
            timeout: "15s".to_owned(),
            required: String::new(),
            status_codes: String::new(),
            follow_redirects: true,
            retrieve_mode: 0,
        }
    }
}

/// The kind of value of an item of a scenario.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WebFigure {
    /// Bytes a second, of a step or of all.
    Speed,
    /// Number of the step that failed; 0: none.
    Failed,
    /// Why.
    Error,
    /// Seconds that a step took.
    Time,
    /// Status code of a step.
    Code,
}

impl WebScenario {
    /// # Errors
    /// If the text is no scenario.
    pub fn parse(params: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(params)
    }

    /// As it is kept in an item.
    ///
    /// # Panics
    /// Never: all of it can be written.
    #[must_use]
    pub fn params(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers")
    }

    /// The key of an item; `step` is the place of its step. `None`: the name cannot be part of a key.
    #[must_use]
    pub fn key(&self, figure: WebFigure, step: Option<usize>) -> Option<String> {
        let name = quote_param(&self.name, false)?;
        let step = step.and_then(|it| self.steps.get(it)).map_or("", |it| it.name.as_str());
        let step = quote_param(step, false)?;
        Some(match figure {
            WebFigure::Failed => format!("{FAIL}{name}]"),
            WebFigure::Error => format!("web.test.error[{name}]"),
            WebFigure::Speed => format!("web.test.in[{name},{step},bps]"),
            WebFigure::Time => format!("web.test.time[{name},{step},resp]"),
            WebFigure::Code => format!("web.test.rspcode[{name},{step}]"),
        })
    }

    /// Whether an item is a scenario, by its key.
    #[must_use]
    pub fn is_of(key: &str) -> bool {
        key.starts_with(FAIL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_those_of_zabbix() {
        let step = |name: &str| WebStep { name: name.to_owned(), ..WebStep::default() };
        let scenario = WebScenario {
            name: "Shop, front".to_owned(),
            steps: vec![step("Login"), step("a]b")],
            ..WebScenario::default()
        };
        let key = |figure, step| scenario.key(figure, step).unwrap();
        assert_eq!(key(WebFigure::Failed, None), "web.test.fail[\"Shop, front\"]");
        assert_eq!(key(WebFigure::Error, None), "web.test.error[\"Shop, front\"]");
        assert_eq!(key(WebFigure::Speed, None), "web.test.in[\"Shop, front\",,bps]");
        assert_eq!(key(WebFigure::Speed, Some(0)), "web.test.in[\"Shop, front\",Login,bps]");
        assert_eq!(key(WebFigure::Time, Some(1)), "web.test.time[\"Shop, front\",\"a]b\",resp]");
        assert_eq!(key(WebFigure::Code, Some(0)), "web.test.rspcode[\"Shop, front\",Login]");
        assert!(WebScenario::is_of(&key(WebFigure::Failed, None)));
        assert!(!WebScenario::is_of(&key(WebFigure::Code, Some(0))));
        let odd = WebScenario { name: "a,b\\".to_owned(), ..scenario };
        assert_eq!(odd.key(WebFigure::Failed, None), None);
    }

    #[test]
    fn stored_scenarios_are_read_back() {
        let text = r#"{"name": "n", "retries": 3, "steps": [
            {"name": "s", "url": "u", "posts": [{"name": "a", "value": "b"}], "no": 1}]}"#;
        let scenario = WebScenario::parse(text).unwrap();
        assert_eq!((scenario.retries, scenario.agent.as_str()), (3, "Zabbix"));
        let field = NamedValue { name: "a".to_owned(), value: "b".to_owned() };
        assert_eq!(scenario.steps[0].posts, WebPosts::Fields(vec![field]));
        assert!(scenario.steps[0].follow_redirects);
        assert_eq!(WebScenario::parse(&scenario.params()).unwrap(), scenario);
    }
}
