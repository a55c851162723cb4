//! The rules of each object, kept as data (`tests/rules`, whose README describes the form).

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use api::ServeSettings;
use model::version::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::fake::Server;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rules {
    /// The version of Zabbix that the server speaks.
    #[serde(default)]
    version: Option<String>,
    #[serde(default)]
    given: Vec<Case>,
    cases: Vec<Case>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    #[serde(default)]
    method: String,
    #[serde(default)]
    params: Value,
    login: Option<Value>,
    keep_session: Option<String>,
    #[serde(rename = "as")]
    session: Option<String>,
    #[serde(default)]
    keep: BTreeMap<String, String>,
    refused: Option<String>,
    code: Option<i64>,
    answers: Option<Value>,
    has: Option<Value>,
    taken: Option<bool>,
    /// Which records of the audit log, as `filter` of `auditlog.get`: the newest has these details.
    audited: Option<Value>,
    details: Option<Value>,
    each: Option<BTreeMap<String, Each>>,
    at: Option<String>,
    delete: Option<String>,
    /// The reason, for readers of the file.
    #[serde(rename = "why")]
    _why: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Each {
    #[serde(default)]
    taken: Vec<Value>,
    #[serde(default)]
    refused: BTreeMap<String, Vec<Value>>,
    #[serde(default)]
    missing: bool,
}

pub(crate) struct Player {
    pub(crate) server: Server,
    pub(crate) admin: String,
    sessions: BTreeMap<String, String>,
    kept: BTreeMap<String, Value>,
    serial: AtomicU64,
    n_played: usize,
    wrong: Vec<String>,
}

const INVALID_PARAMS: i64 = -32_602;

impl Player {
    pub(crate) fn start(version: Version) -> Self {
        let serving = ServeSettings { connections_max: 100, ..ServeSettings::default() };
        let server = Server::start_set(serving, |it| it.zabbix_version = version);
        let admin = server.login().id;
        let (sessions, kept) = (BTreeMap::new(), BTreeMap::new());
        let serial = AtomicU64::new(1);
        Self { server, admin, sessions, kept, serial, n_played: 0, wrong: Vec::new() }
    }

    /// The value with the kept values put into its texts.
    pub(crate) fn filled(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => self.filled_text(text),
            Value::Array(list) => list.iter().map(|it| self.filled(it)).collect(),
            Value::Object(members) => {
                let name = |it: &str| match self.filled_text(it) {
                    Value::String(name) => name,
                    other => other.to_string(),
                };
                members.iter().map(|(it, value)| (name(it), self.filled(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn filled_text(&self, text: &str) -> Value {
        if let Some(kept) = text.strip_prefix('$').and_then(|it| self.kept.get(it)) {
            return kept.clone();
        }
        let mut text = text.to_owned();
        if text.contains("{#}") {
            let serial = self.serial.fetch_add(1, Ordering::Relaxed);
            text = text.replace("{#}", &serial.to_string());
        }
        if text.contains("${") {
            for (name, value) in &self.kept {
                let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                text = text.replace(&format!("${{{name}}}"), &value);
            }
        }
        Value::String(text)
    }

    /// Stops a test whose steps were not answered.
    pub(crate) fn assert_right(&self) {
        assert!(self.wrong.is_empty(), "{}", self.wrong.join("\n"));
    }

    fn call(&self, case: &Case, params: &Value) -> Value {
        let session = match case.session.as_deref() {
            None => Some(self.admin.as_str()),
            Some("") => None,
            Some(name) => {
                let session = self.sessions.get(name);
                Some(session.unwrap_or_else(|| panic!("no session {name:?}")).as_str())
            }
        };
        self.server.call_as(session, &case.method, params.clone())
    }

    pub(crate) fn play(&mut self, case: &Case) {
        if let Some(login) = &case.login {
            let answer = self.server.call_as(None, "user.login", self.filled(login));
            let name = case.keep_session.clone().expect("a session has a name");
            let session =
                answer["result"].as_str().unwrap_or_else(|| panic!("login {login}: {answer}"));
            self.sessions.insert(name, session.to_owned());
            return;
        }
        if let Some(each) = &case.each {
            for (field, each) in each {
                self.play_each(case, field, each);
            }
            return;
        }
        self.n_played += 1;
        if let Some(audited) = &case.audited {
            self.play_audited(&self.filled(audited), case);
            return;
        }
        let params = self.filled(&case.params);
        let answer = self.call(case, &params);
        let wrong = self.judged(case, &answer);
        if let Some(what) = wrong {
            self.wrong.push(format!("{} {params}\n    {what}\n    is {answer}", case.method));
            return;
        }
        self.keep(case, &answer);
        self.delete(case, &answer);
    }

    /// The deviation of an answer.
    fn judged(&self, case: &Case, answer: &Value) -> Option<String> {
        if let Some(refused) = &case.refused {
            let refused = self.filled(&Value::String(refused.clone()));
            let code = case.code.unwrap_or(INVALID_PARAMS);
            let error = &answer["error"];
            let is_right = error["data"] == refused && error["code"] == code;
            return (!is_right).then(|| format!("must be {code} {refused}"));
        }
        let Some(result) = answer.get("result") else { return Some("must be taken".to_owned()) };
        if let Some(answers) = &case.answers {
            let answers = self.filled(answers);
            return (*result != answers).then(|| format!("must be {answers}"));
        }
        let has = self.filled(case.has.as_ref()?);
        (!holds(&has, result)).then(|| format!("must have {has}"))
    }

    /// Looks at the newest record of the audit log.
    fn play_audited(&mut self, filter: &Value, case: &Case) {
        let params = json!({"filter": filter, "output": ["details"], "sortfield": "auditid",
            "sortorder": "DESC", "limit": 1});
        let answer = self.server.call_as(Some(&self.admin), "auditlog.get", params);
        let is = answer["result"].pointer("/0/details").cloned().unwrap_or_default();
        let parsed = is.as_str().and_then(|it| serde_json::from_str(it).ok());
        let is: Value = parsed.unwrap_or(is);
        let wanted = self.filled(&case.details.clone().unwrap_or_default());
        if !is_said(&wanted, &is) {
            self.wrong.push(format!("details of {filter}\n    must be {wanted}\n    are {is}"));
        }
    }

    fn keep(&mut self, case: &Case, answer: &Value) {
        for (name, pointer) in &case.keep {
            let kept = answer["result"]
                .pointer(pointer)
                .unwrap_or_else(|| panic!("{pointer} in {answer}"));
            self.kept.insert(name.clone(), kept.clone());
        }
    }

    fn delete(&mut self, case: &Case, answer: &Value) {
        let (Some(method), Some(Value::Object(made))) = (&case.delete, answer.get("result")) else {
            return;
        };
        let ids = made.values().find(|it| it.is_array()).expect("ids of what was made").clone();
        let answer = self.server.call_as(Some(&self.admin), method, ids);
        assert!(answer.get("result").is_some(), "{method}: {answer}");
    }

    fn play_each(&mut self, case: &Case, field: &str, each: &Each) {
        let at = case.at.as_deref().unwrap_or("/1");
        let plain = |params: Value| Case { each: None, params, ..case.clone() };
        for value in &each.taken {
            self.play(&plain(with(&case.params, field, value)));
        }
        for (reason, values) in &each.refused {
            for value in values {
                let refused = Some(format!("Invalid parameter \"{at}/{field}\": {reason}."));
                let params = with(&case.params, field, value);
                self.play(&Case { refused, ..plain(params) });
            }
        }
        if each.missing {
            let (path, name) = match field.rsplit_once('/') {
                Some((of, name)) => (format!("{at}/{of}"), name),
                None => (if at.is_empty() { "/".to_owned() } else { at.to_owned() }, field),
            };
            let refused =
                format!("Invalid parameter \"{path}\": the parameter \"{name}\" is missing.");
            let params = with(&case.params, field, &Value::Null);
            self.play(&Case { refused: Some(refused), ..plain(params) });
        }
    }
}

/// The parameters with another value at a field, or without it (null).
fn with(params: &Value, field: &str, value: &Value) -> Value {
    let mut params = params.clone();
    let mut at = if let Value::Array(list) = &mut params { &mut list[0] } else { &mut params };
    let (of, name) = match field.rsplit_once('/') {
        Some((of, name)) => (Some(of), name),
        None => (None, field),
    };
    for part in of.into_iter().flat_map(|it| it.split('/')) {
        at = match part.parse::<usize>() {
            Ok(n) => &mut at[n - 1],
            Err(_) => &mut at[part],
        };
    }
    match value {
        Value::Null => drop(at.as_object_mut().expect("an object has fields").remove(name)),
        value => at[name] = value.clone(),
    }
    params
}

/// Whether details are exactly those. `[*]` in a path matches any id, `*` in place of a value any one.
fn is_said(wanted: &Value, is: &Value) -> bool {
    let (Value::Object(wanted), Value::Object(is)) = (wanted, is) else { return wanted == is };
    let any_id = |path: &str| {
        let mut parts = path.split(']').map(|it| match it.split_once('[') {
            Some((name, _)) => format!("{name}[*"),
            None => it.to_owned(),
        });
        let first = parts.next().unwrap_or_default();
        parts.fold(first, |path, it| format!("{path}]{it}"))
    };
    let is_value = |wanted: &Value, is: &Value| match (wanted, is) {
        (Value::Array(wanted), Value::Array(is)) => {
            let mut both = wanted.iter().zip(is);
            wanted.len() == is.len() && both.all(|(wanted, is)| wanted == "*" || wanted == is)
        }
        _ => false,
    };
    wanted.len() == is.len()
        && is.iter().all(|(path, is)| {
            let wanted = wanted.get(path).or_else(|| wanted.get(&any_id(path)));
            wanted.is_some_and(|wanted| is_value(wanted, is))
        })
}

/// Whether `is` has all that `wanted` names.
fn holds(wanted: &Value, is: &Value) -> bool {
    match (wanted, is) {
        (Value::Object(wanted), Value::Object(is)) => {
            wanted.iter().all(|(name, it)| is.get(name).is_some_and(|value| holds(it, value)))
        }
        (Value::Array(wanted), Value::Array(is)) => {
            wanted.len() == is.len() && wanted.iter().zip(is).all(|(it, value)| holds(it, value))
        }
        _ => wanted == is,
    }
}

/// Plays a file; returns the number of cases and the deviations.
fn played(path: &PathBuf) -> (usize, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let rules: Rules =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let version = rules.version.as_deref().map_or(Ok(Version::default()), str::parse);
    let mut player = Player::start(version.unwrap_or_else(|it| panic!("{}: {it}", path.display())));
    for step in &rules.given {
        player.play(step);
    }
    assert!(player.wrong.is_empty(), "{}: {}", path.display(), player.wrong.join("\n"));
    player.n_played = 0;
    for case in &rules.cases {
        let says = case.refused.is_some()
            || case.answers.is_some()
            || case.has.is_some()
            || case.taken == Some(true)
            || case.audited.is_some()
            || case.each.is_some()
            || case.login.is_some();
        assert!(says, "{}: a case says nothing: {} {}", path.display(), case.method, case.params);
        player.play(case);
    }
    (player.n_played, player.wrong)
}

#[test]
fn each_rule_of_each_object_holds() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/rules");
    let only = std::env::var("SAKER_RULES").ok();
    let files = std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path());
    let mut files: Vec<PathBuf> = files
        .filter(|it| it.extension().is_some_and(|it| it == "json"))
        .filter(|it| {
            only.as_ref().is_none_or(|only| it.file_stem().is_some_and(|it| it == only.as_str()))
        })
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no rules");
    let (next, n_played) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(path) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (n, of_file) = played(path);
                    n_played.fetch_add(n, Ordering::Relaxed);
                    let name = path.file_name().unwrap().to_string_lossy().into_owned();
                    let of_file = of_file.into_iter().map(|it| format!("{name}: {it}"));
                    wrong.lock().unwrap().extend(of_file);
                }
            });
        }
    });
    let (wrong, n_played) = (wrong.into_inner().unwrap(), n_played.into_inner());
    println!("{n_played} cases in {} files", files.len());
    assert!(wrong.is_empty(), "{} of {n_played} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn a_broken_rule_is_reported() {
    let mut player = Player::start(Version::default());
    let case = |case: Value| serde_json::from_value::<Case>(case).unwrap();
    player.play(&case(
        json!({"method": "hostgroup.create", "params": {"name": "a"}, "refused": "no"}),
    ));
    player.play(&case(json!({"method": "hostgroup.get", "params": {"output": []}, "answers": []})));
    player.play(&case(json!({"method": "apiinfo.nothing", "params": {}, "taken": true})));
    assert_eq!(player.wrong.len(), 3, "{:?}", player.wrong);
    let members: Map<String, Value> = Map::new();
    assert!(!holds(&json!([{}]), &json!([])) && holds(&json!({}), &Value::Object(members)));
}
