//! The few API calls that a benchmark makes.

use serde_json::{Value, json};

use super::process::{PASSWORD, Server};
use crate::common::BenchError;

/// Senders of the values of a template's items.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// Trapper items.
    Senders,
    /// The same, of texts that are stored as they come.
    SendersOfTexts,
    /// Items of active agents.
    Active,
}

pub(super) struct Client {
    url: String,
    session: String,
}

impl Client {
    pub(super) fn login(server: &Server) -> Result<Self, BenchError> {
        Self::login_as(server, "Admin")
    }

    /// As another user with the same password.
    pub(super) fn login_as(server: &Server, username: &str) -> Result<Self, BenchError> {
        let url = format!("http://{}/api_jsonrpc.php", server.http);
        let mut client = Self { url, session: String::new() };
        let params = json!({"username": username, "password": PASSWORD});
        let session = client.call("user.login", &params)?;
        session.as_str().unwrap_or_default().clone_into(&mut client.session);
        Ok(client)
    }

    pub(super) fn session(&self) -> &str {
        &self.session
    }

    /// Bytes of an answer of the pages' surface as they come over the line.
    pub(super) fn download(&self, path: &str) -> Result<usize, BenchError> {
        let url = self.url.replace("/api_jsonrpc.php", path);
        let bearer = format!("Bearer {}", self.session);
        let ask = ureq::get(&url).header("Authorization", bearer).header("Accept-Encoding", "gzip");
        let mut answer = ask.call()?;
        Ok(answer.body_mut().with_config().limit(1 << 30).read_to_vec()?.len())
    }

    /// The text of `/metrics`.
    pub(super) fn metrics(&self) -> Result<String, BenchError> {
        let url = self.url.replace("/api_jsonrpc.php", "/metrics");
        let bearer = format!("Bearer {}", self.session);
        let mut answer = ureq::get(&url).header("Authorization", bearer).call()?;
        Ok(answer.body_mut().with_config().limit(1 << 26).read_to_string()?)
    }

    /// A line of `/metrics` without labels.
    pub(super) fn metric(&self, name: &str) -> Result<u64, BenchError> {
        let text = self.metric_text(name)?;
        let not_whole = |_| BenchError::Api { method: name.to_owned(), answer: text.clone() };
        text.parse().map_err(not_whole)
    }

    /// The same, of a number that may be none of the whole ones.
    pub(super) fn metric_text(&self, name: &str) -> Result<String, BenchError> {
        let text = self.metrics()?;
        let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        let missing = || BenchError::Api { method: name.to_owned(), answer: "nothing".to_owned() };
        line.map(str::to_owned).ok_or_else(missing)
    }

    /// A counter of `/metrics`, labels with its name; one that never counted has no line.
    pub(super) fn metric_or_zero(&self, name: &str) -> Result<u64, BenchError> {
        let text = self.metrics()?;
        let line = text.lines().find_map(|it| it.strip_prefix(name)?.strip_prefix(' '));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a counter")]
        Ok(line.and_then(|it| it.parse::<f64>().ok()).map_or(0, |it| it as u64))
    }

    pub(super) fn call(&self, method: &str, params: &Value) -> Result<Value, BenchError> {
        let request = json!({"jsonrpc": "2.0", "method": method, "params": params, "id": 1});
        let mut call = ureq::post(&self.url).header("Content-Type", "application/json-rpc");
        if !self.session.is_empty() {
            call = call.header("Authorization", format!("Bearer {}", self.session));
        }
        let mut answer = call.send(request.to_string())?;
        let text = answer.body_mut().with_config().limit(1 << 30).read_to_string()?;
        let failed = |answer: String| BenchError::Api { method: method.to_owned(), answer };
        let mut parsed: Value =
            serde_json::from_str(&text).map_err(|_not_json| failed(text.clone()))?;
        match parsed.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(failed(text)),
        }
    }

    /// Calls a method that answers with ids: `{"hostids": [...]}`.
    pub(super) fn ids(&self, method: &str, params: &Value) -> Result<Vec<String>, BenchError> {
        let result = self.call(method, params)?;
        let ids = result.as_object().and_then(|it| it.values().next()).and_then(Value::as_array);
        let ids = ids.map(|it| it.iter().filter_map(|id| id.as_str().map(str::to_owned)).collect());
        Ok(ids.unwrap_or_default())
    }

    /// A template of items `load[0]` … with one multiplier step each, the first `n_triggers` of
    /// them watched by a threshold trigger.
    pub(super) fn create_template(
        &self,
        load: Load,
        n_items: usize,
        n_triggers: usize,
    ) -> Result<String, BenchError> {
        let group = self.call("templategroup.create", &json!({"name": "Bench"}))?;
        let group = group["groupids"][0].clone();
        let template = json!({"host": "Bench load", "groups": [{"groupid": group}]});
        let template = self.ids("template.create", &template)?.remove(0);
        let items: Vec<Value> = (0..n_items)
            .map(|it| {
                let mut item = json!({
                    "hostid": template, "name": format!("Load {it}"), "key_": format!("load[{it}]"),
                    "type": 2, "value_type": 0,
                    "preprocessing": [
                        {"type": 1, "params": "0.001", "error_handler": 0, "error_handler_params": ""}
                    ],
                });
                match load {
                    Load::Senders => {}
                    Load::SendersOfTexts => {
                        item["value_type"] = json!(4);
                        item["preprocessing"] = json!([]);
                    }
                    Load::Active => {
                        item["type"] = json!(7);
                        item["delay"] = json!("1m");
                    }
                }
                item
            })
            .collect();
        self.ids("item.create", &json!(items))?;
        self.create_triggers((0..n_triggers).map(|it| {
            let expression = match load {
                Load::SendersOfTexts => {
                    format!(r#"find(/Bench load/load[{it}],,"like","refused")=1"#)
                }
                _ => format!("last(/Bench load/load[{it}])>1000"),
            };
            json!({
                "description": format!("Load {it} is high"), "priority": 3,
                "expression": expression,
            })
        }))?;
        Ok(template)
    }

    pub(super) fn create_triggers(
        &self,
        triggers: impl Iterator<Item = Value>,
    ) -> Result<(), BenchError> {
        let triggers: Vec<Value> = triggers.collect();
        if !triggers.is_empty() {
            self.ids("trigger.create", &json!(triggers))?;
        }
        Ok(())
    }

    /// Hosts `bench-0` …, 1,000 a call, linked at creation if a template is given.
    pub(super) fn create_hosts(
        &self,
        n_hosts: usize,
        template: Option<&str>,
    ) -> Result<Vec<String>, BenchError> {
        let group = self.call("hostgroup.create", &json!({"name": "Bench"}))?;
        let group = group["groupids"][0].clone();
        let mut ids = Vec::with_capacity(n_hosts);
        let numbers: Vec<usize> = (0..n_hosts).collect();
        for chunk in numbers.chunks(1_000) {
            let hosts: Vec<Value> = chunk
                .iter()
                .map(|it| {
                    let mut host =
                        json!({"host": format!("bench-{it}"), "groups": [{"groupid": group}]});
                    if let Some(template) = template {
                        host["templates"] = json!([{"templateid": template}]);
                    }
                    host
                })
                .collect();
            ids.extend(self.ids("host.create", &json!(hosts))?);
        }
        Ok(ids)
    }
}
