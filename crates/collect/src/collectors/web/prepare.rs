//! From a scenario to its requests.

use std::time::Duration;

use formats::number::parse_duration_s;
use lang::lld::EscapeTarget;
use model::ItemId;
use model::content::{NamedValue, WebFigure, WebPosts, WebScenario, WebStep};
use wire::http::Asked;

use super::variables::{Variables, encoded};
use crate::collectors::host_item::HostItem;
use crate::collectors::http::{authentication, ranges, tls};
use crate::ports::HttpTls;

/// Longest time of a step, in seconds.
const TIMEOUT_MAX_S: u64 = 3_600;

/// A scenario with its macros replaced; variables are replaced as they become known.
#[derive(Debug)]
pub(crate) struct WebCheck {
    pub(super) retries: i64,
    agent: String,
    auth: (i32, String, String),
    pub(super) proxy: String,
    pub(super) tls: HttpTls,
    headers: Vec<NamedValue>,
    pub(super) variables: Vec<NamedValue>,
    pub(super) steps: Vec<StepCheck>,
    /// Items with results of the whole scenario.
    pub(super) speed: Option<ItemId>,
    pub(super) error: Option<ItemId>,
}

#[derive(Debug)]
pub(super) struct StepCheck {
    pub(super) name: String,
    url: String,
    query_fields: Vec<NamedValue>,
    posts: WebPosts,
    headers: Vec<NamedValue>,
    pub(super) variables: Vec<NamedValue>,
    pub(super) timeout: Duration,
    pub(super) required: String,
    pub(super) status_codes: (String, Vec<(u16, u16)>),
    follow_redirects: bool,
    pub(super) retrieve_mode: i64,
    pub(super) speed: Option<ItemId>,
    pub(super) time: Option<ItemId>,
    pub(super) code: Option<ItemId>,
}

/// # Errors
/// The mistake in the scenario, for the user.
pub(super) fn check(item: &HostItem<'_>) -> Result<WebCheck, String> {
    let scenario = WebScenario::parse(&item.content().params)
        .map_err(|error| format!("The scenario cannot be read: {error}."))?;
    let found = |figure, step| scenario.key(figure, step).and_then(|it| item.sibling(&it));
    let step = |(at, step): (usize, &WebStep)| -> Result<StepCheck, String> {
        let figure = |figure| found(figure, Some(at));
        let items = (figure(WebFigure::Speed), figure(WebFigure::Time), figure(WebFigure::Code));
        step_check(item, step, items)
    };
    Ok(WebCheck {
        retries: scenario.retries,
        agent: item.text(&scenario.agent, EscapeTarget::Text),
        auth: authentication(item)?,
        proxy: item.text(&item.content().http_proxy, EscapeTarget::Text).trim().to_owned(),
        tls: tls(item),
        headers: pairs(item, &scenario.headers),
        variables: pairs(item, &scenario.variables),
        steps: scenario.steps.iter().enumerate().map(step).collect::<Result<_, _>>()?,
        speed: found(WebFigure::Speed, None),
        error: found(WebFigure::Error, None),
    })
}

fn step_check(
    item: &HostItem<'_>,
    step: &WebStep,
    (speed, time, code): (Option<ItemId>, Option<ItemId>, Option<ItemId>),
) -> Result<StepCheck, String> {
    let text = |it: &str| item.text(it, EscapeTarget::Text);
    let time_text = text(&step.timeout);
    let timeout = parse_duration_s(&time_text).filter(|it| (1..=TIMEOUT_MAX_S).contains(it));
    let timeout = timeout.ok_or_else(|| format!("Unsupported timeout value \"{time_text}\"."))?;
    let codes = text(&step.status_codes);
    let ranges =
        ranges(&codes).ok_or_else(|| format!("Invalid list of status codes \"{codes}\"."))?;
    let posts = match &step.posts {
        WebPosts::Raw(it) => WebPosts::Raw(text(it)),
        WebPosts::Fields(it) => WebPosts::Fields(pairs(item, it)),
    };
    Ok(StepCheck {
        name: text(&step.name),
        url: text(&step.url),
        query_fields: pairs(item, &step.query_fields),
        posts,
        headers: pairs(item, &step.headers),
        variables: pairs(item, &step.variables),
        timeout: Duration::from_secs(timeout),
        required: text(&step.required),
        status_codes: (codes, ranges),
        follow_redirects: step.follow_redirects,
        retrieve_mode: step.retrieve_mode,
        speed,
        time,
        code,
    })
}

fn pairs(item: &HostItem<'_>, pairs: &[NamedValue]) -> Vec<NamedValue> {
    let pair = |it: &NamedValue| NamedValue {
        name: item.text(&it.name, EscapeTarget::Text),
        value: item.text(&it.value, EscapeTarget::Text),
    };
    pairs.iter().map(pair).collect()
}

impl StepCheck {
    /// The request with the present values of variables.
    pub(super) fn asked(
        &self,
        scenario: &WebCheck,
        variables: &Variables,
    ) -> Result<Asked, String> {
        let is_head = self.retrieve_mode == 1;
        let has_body = !is_head && !self.posts.is_empty();
        let method = match (is_head, has_body) {
            (true, _) => "HEAD",
            (_, true) => "POST",
            _ => "GET",
        };
        let (auth, user, password) = &scenario.auth;
        let mut headers = self.headers(scenario, variables);
        let has = |headers: &[String], name: &str| {
            let names = headers.iter().filter_map(|it| it.split(':').next());
            names.map(str::trim).any(|it| it.eq_ignore_ascii_case(name))
        };
        if !scenario.agent.is_empty() && !has(&headers, "User-Agent") {
            headers.push(line("User-Agent", &scenario.agent));
        }
        if has_body && !has(&headers, "Content-Type") {
            headers.push("Content-Type: application/x-www-form-urlencoded".to_owned());
        }
        Ok(Asked {
            method: method.to_owned(),
            url: self.url(variables)?,
            headers,
            body: has_body.then(|| self.body(variables)),
            auth: *auth,
            user: variables.expand(user),
            password: variables.expand(password),
            stays: !self.follow_redirects,
        })
    }

    fn url(&self, variables: &Variables) -> Result<String, String> {
        let url = variables.expand(&self.url);
        let url = url.trim().split('#').next().unwrap_or_default();
        if url.is_empty() {
            return Err("the step has no URL".to_owned());
        }
        let mut url = if url.contains("://") { url.to_owned() } else { format!("http://{url}") };
        if !self.query_fields.is_empty() {
            url.push(if url.contains('?') { '&' } else { '?' });
            url.push_str(&form(&self.query_fields, variables));
        }
        Ok(url)
    }

    fn headers(&self, scenario: &WebCheck, variables: &Variables) -> Vec<String> {
        let headers = if self.headers.is_empty() { &scenario.headers } else { &self.headers };
        let line =
            |it: &NamedValue| line(&variables.expand(&it.name), &variables.expand(&it.value));
        headers.iter().map(line).collect()
    }

    fn body(&self, variables: &Variables) -> Vec<u8> {
        match &self.posts {
            WebPosts::Raw(text) => variables.expand(text).into_bytes(),
            WebPosts::Fields(fields) => form(fields, variables).into_bytes(),
        }
    }
}

/// A line break would begin another header.
fn line(name: &str, value: &str) -> String {
    format!("{}: {}", name.trim(), value.trim()).replace(['\r', '\n'], " ")
}

fn form(fields: &[NamedValue], variables: &Variables) -> String {
    let text = |it: &str| encoded(&variables.expand(it));
    let field = |it: &NamedValue| match it.value.as_str() {
        "" => text(&it.name),
        value => format!("{}={}", text(&it.name), text(value)),
    };
    fields.iter().map(field).collect::<Vec<_>>().join("&")
}
