//! Every rule of every description, broken once, and every boundary, met once.
//!
//! The requests follow from the descriptions ([`probes`]). `tests/walk.json` has an object to start from where the
//! example of the description is not enough, and the rules that no request reaches, with the reason. A row
//! that is not needed fails the test: the list can only become shorter. Rows that say "sorted by the answer" are still
//! to be looked at.

mod probes;
mod spot;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use api::described::{WrittenObject, written};
use db::objects;
use model::describe::FieldType;
use model::version::Version;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use self::probes::{Expected, Probe};
use crate::rules::{Case, Player};

type Fields = Map<String, Value>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Walk {
    /// Calls before each object is walked.
    given: Vec<Case>,
    /// Objects to start from, by the name of the type. Together they have all lists that are walked.
    objects: BTreeMap<String, Vec<Value>>,
    /// Types whose parameters are judged as a whole, with errors of their own, and the reason.
    own_texts: BTreeMap<String, String>,
    unreached: Vec<Unreached>,
}

/// Rules that no request reaches, for one reason.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unreached {
    /// By the field, `Type.field.field`, or all below it with `.*` at the end.
    rules: BTreeMap<String, Vec<String>>,
    #[serde(rename = "why")]
    _why: String,
}

/// A field and a rule of it.
type Row<'a> = (&'a str, &'a str);

impl Walk {
    fn unreached(&self) -> impl Iterator<Item = Row<'_>> {
        let all = self.unreached.iter().flat_map(|it| &it.rules);
        all.flat_map(|(at, rules)| rules.iter().map(move |it| (at.as_str(), it.as_str())))
    }
}

fn is_of((at, rule): Row<'_>, probe: &Probe) -> bool {
    let is_there = match at.strip_suffix(".*") {
        Some(above) => probe.at.strip_prefix(above).is_some_and(|it| it.starts_with('.')),
        None => at == probe.at,
    };
    is_there && rule == probe.rule
}

/// A request with another outcome than its rule says.
struct Wrong {
    probe: Probe,
    is: Value,
}

/// The walk of one object on a server of its own.
struct Walker<'a> {
    of: &'a WrittenObject,
    player: Player,
    /// What there is one of, as it was at first.
    at_first: Option<Value>,
    has_own_texts: bool,
    n_sent: usize,
    wrong: Vec<Wrong>,
}

impl<'a> Walker<'a> {
    fn start(of: &'a WrittenObject, walk: &Walk) -> Self {
        let mut player = Player::start(Version::default());
        for step in &walk.given {
            player.play(step);
        }
        player.assert_right();
        let has_own_texts = walk.own_texts.contains_key(of.object.type_name);
        let wrong = Vec::new();
        let mut walker = Self { of, player, at_first: None, has_own_texts, n_sent: 0, wrong };
        if of.create.is_none() {
            let get = format!("{}.get", of.object.name);
            let whole = walker.call(&get, &json!({"output": "extend"}));
            walker.at_first = Some(probes::writable(of.object.fields, &whole["result"]));
        }
        walker
    }

    fn call(&self, method: &str, params: &Value) -> Value {
        self.player.server.call_as(Some(&self.player.admin), method, params.clone())
    }

    /// The objects to start from.
    fn bases(&self, walk: &Walk) -> Vec<Value> {
        let name = self.of.object.type_name;
        let own =
            walk.objects.get(name).map(|it| it.iter().map(|it| self.player.filled(it)).collect());
        own.unwrap_or_else(|| {
            let stored = objects::named(self.of.object.name);
            let sample = stored.unwrap_or_else(|| panic!("{name}: an object to start from")).sample;
            vec![serde_json::from_str(sample).expect("an example is JSON")]
        })
    }

    fn walk(&mut self, walk: &Walk) {
        let bases = self.bases(walk);
        for base in &bases {
            let method = self.of.create.or(self.of.update).expect("it is written");
            let probe = Probe::taken(self.of.object.type_name, "start", method, base.clone());
            self.send(probe);
        }
        for probe in probes::of(self.of, &bases) {
            self.send(probe);
        }
        let Some(create) = self.of.create else { return };
        let made = self.call(create, &bases[0]);
        let Some(id) = first_id(&made) else { return };
        for probe in probes::of_update(self.of, &id) {
            self.send(probe);
        }
        let probe = probes::of_taken_name(self.of, create, &bases[0]);
        probe.into_iter().for_each(|it| self.send(it));
    }

    fn send(&mut self, probe: Probe) {
        self.n_sent += 1;
        let answer = self.call(probe.method, &probe.params);
        let is_right = match &probe.expected {
            Expected::Taken => answer.get("result").is_some(),
            Expected::Refused(_) if self.has_own_texts => answer.get("error").is_some(),
            Expected::Refused(text) => answer["error"]["data"] == *text,
        };
        if let Some(is) = self.wrong_default(&probe, &answer) {
            let probe = Probe::taken(&probe.at, "default", probe.method, probe.params.clone());
            self.wrong.push(Wrong { probe, is });
        }
        let undone = answer.get("result").and_then(|it| self.undo(probe.method, it));
        if let Some(is) = undone.filter(|it| it.get("result").is_none()) {
            let probe = Probe::taken(&probe.at, "undone", probe.method, probe.params.clone());
            self.wrong.push(Wrong { probe, is });
        }
        if !is_right {
            self.wrong.push(Wrong { probe, is: answer });
        }
    }

    /// What get returns of a field that was left out, if not its default.
    fn wrong_default(&self, probe: &Probe, answer: &Value) -> Option<Value> {
        let (default, id, create) = (probe.default.as_ref()?, first_id(answer)?, self.of.create?);
        let described = self.of.object;
        let mut params = json!({"output": "extend", described.ids: [id]});
        for select in described.selects {
            let field = described.field(select.property).map(|it| it.kind);
            if matches!(field, Some(FieldType::List(_) | FieldType::Object(_))) {
                params[select.param] = json!("extend");
            }
        }
        if create.ends_with("global") {
            params = json!({"globalmacro": true, "globalmacroids": [id]});
        }
        let whole = self.call(&format!("{}.get", described.name), &params);
        let found = default.found(&whole["result"][0]);
        let is_default = |it: &&Value| it.as_str() == Some(default.value);
        let is_right =
            whole["result"][0].is_object() && (found.is_empty() || found.iter().any(is_default));
        (!is_right)
            .then(|| json!({"default": default.value, "is": found, "answer": whole["error"]}))
    }

    /// Restores what there is one of, and deletes what was made. Returns the answer.
    fn undo(&self, method: &str, result: &Value) -> Option<Value> {
        if let (Some(at_first), Some(update)) = (&self.at_first, self.of.update) {
            return Some(self.call(update, at_first));
        }
        let delete = self.of.delete.filter(|_| Some(method) == self.of.create)?;
        let ids = result.as_object()?.values().next()?;
        Some(self.call(delete, ids))
    }
}

fn first_id(answer: &Value) -> Option<String> {
    let (_, ids) = answer["result"].as_object()?.iter().next()?;
    ids[0].as_str().map(str::to_owned)
}

/// The number of requests of an object, the deviations that `unreached` does not name, and its rows that were needed.
fn walked<'a>(of: &WrittenObject, walk: &'a Walk) -> (usize, Vec<String>, BTreeSet<Row<'a>>) {
    let mut walker = Walker::start(of, walk);
    walker.walk(walk);
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for Wrong { probe, is } in walker.wrong {
        let row = walk.unreached().find(|it| is_of(*it, &probe));
        if row.is_none() {
            wrong.push(format!("{probe}\n    is {is}"));
        }
        used.extend(row);
    }
    (walker.n_sent, wrong, used)
}

#[test]
fn each_rule_of_each_description_refuses_by_its_own_text() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/walk.json");
    let text = std::fs::read_to_string(path).unwrap();
    let walk: Walk =
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("walk.json: {error}"));
    let only = std::env::var("SAKER_WALK").ok();
    let objects: Vec<WrittenObject> = written()
        .filter(|it| only.as_ref().is_none_or(|only| it.object.type_name == only))
        .collect();
    assert!(!objects.is_empty(), "no such object");
    let next = AtomicUsize::new(0);
    let all = Mutex::new((0, Vec::new(), BTreeSet::new()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while let Some(of) = objects.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (n, wrong, used) = walked(of, &walk);
                    let mut all = all.lock().unwrap();
                    all.0 += n;
                    all.1.extend(wrong);
                    all.2.extend(used);
                }
            });
        }
    });
    let (n_sent, mut wrong, used) = all.into_inner().unwrap();
    println!("{n_sent} requests to {} objects", objects.len());
    let is_walked =
        |at: &str| objects.iter().any(|it| at.split('.').next() == Some(it.object.type_name));
    let unused = walk.unreached().filter(|it| !used.contains(it) && is_walked(it.0));
    wrong.extend(unused.map(|(at, rule)| format!("{at} [{rule}] is reached: walk.json says not")));
    for name in walk.objects.keys().chain(walk.own_texts.keys()).filter(|_| only.is_none()) {
        assert!(is_walked(name), "walk.json: no object {name}");
    }
    wrong.sort();
    assert!(wrong.is_empty(), "{} of {n_sent} requests:\n{}", wrong.len(), wrong.join("\n"));
}
