//! The configuration of a run, once as the server has it, and once as the oracle knows it.

use db::objects::action::ACTION;
use db::objects::maintenance::MAINTENANCE;
use db::objects::service::SERVICE;
use db::{Actor, ConfigError, Db, Editor, ObjectKind};
use model::TriggerId;
use model::content::Severity;
use serde_json::{Value, json};

use super::network;
use crate::configuring::make;

/// Links, each with a service.
pub(super) const N_LINKS: usize = 4;
/// Of a link: that it is slow, and that it is down.
pub(super) const SEVERITIES: [Severity; 2] = [Severity::Warning, Severity::High];
/// 2026-01-01 00:00:00.
pub(super) const START_S: i64 = 1_767_225_600;
const DAY_S: i64 = 86_400;
/// Seconds of each day: a maintenance in which values are taken, and times in which none are.
const WITH_DATA: (i64, i64) = (1_800, 5_400);
const WITHOUT_DATA: [(i64, i64); 5] =
    [(6_000, 6_900), (7_800, 8_700), (9_600, 11_100), (12_600, 13_500), (15_000, 16_200)];

/// The ids of the configuration.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    /// By link: the triggers that it is slow and that it is down.
    pub(super) triggers: Vec<[TriggerId; 2]>,
    /// The trigger of the host that is in maintenance.
    pub(super) maintained: TriggerId,
    /// Those of the links, one that has a problem if one of the first two has, one if both of the others have, and the
    /// one above these.
    pub(super) services: Vec<u64>,
    /// Rules of network discovery.
    pub(super) rules: [u64; 2],
}

pub(super) const N_SERVICES: usize = N_LINKS + 3;

/// Status by service, in the order of [`Scene::services`]; `None` is OK.
pub(super) type Statuses = [Option<Severity>; N_SERVICES];

/// `open`: by link the worst of its problems.
pub(super) fn statuses(open: [Option<Severity>; N_LINKS]) -> Statuses {
    let any = open[0].max(open[1]);
    let every = if open[2].is_some() && open[3].is_some() { open[2].max(open[3]) } else { None };
    [open[0], open[1], open[2], open[3], any, every, any.max(every)]
}

/// Whether the host is in maintenance, and whether no values are taken of it then.
pub(super) fn maintenance_at(time_s: i64) -> (bool, bool) {
    let of_day = time_s.rem_euclid(DAY_S);
    let is_within = |(from, until): (i64, i64)| (from..until).contains(&of_day);
    let is_without = WITHOUT_DATA.into_iter().any(is_within);
    (is_within(WITH_DATA) || is_without, is_without)
}

fn maintenance(
    editor: &mut Editor,
    host: u64,
    (times, kind): (&[(i64, i64)], &str),
) -> Result<u64, ConfigError> {
    let period = |(from, until): &(i64, i64)| {
        json!({"timeperiod_type": "2", "every": "1", "start_time": from.to_string(),
            "period": (until - from).to_string()})
    };
    let periods: Vec<Value> = times.iter().map(period).collect();
    let fields = json!({"name": format!("works {kind}"), "maintenance_type": kind,
        "active_since": (START_S - DAY_S).to_string(), "active_till": (START_S + DAY_S * 365 * 11).to_string(),
        "hosts": [{"hostid": host.to_string()}], "groups": [], "tags": [], "timeperiods": periods});
    make(editor, MAINTENANCE.kind(), &fields)
}

fn service(editor: &mut Editor, name: &str, fields: &Value) -> Result<u64, ConfigError> {
    let mut all = json!({"name": name, "algorithm": "2", "sortorder": "0", "parents": [], "problem_tags": []});
    for (name, value) in fields.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    make(editor, SERVICE.kind(), &all)
}

fn services(editor: &mut Editor) -> Result<Vec<u64>, ConfigError> {
    let below = |id: u64| json!([{"serviceid": id.to_string()}]);
    let root = service(editor, "all", &json!({}))?;
    let any = service(editor, "any", &json!({"parents": below(root)}))?;
    let every = service(editor, "every", &json!({"algorithm": "1", "parents": below(root)}))?;
    let mut all = Vec::new();
    for link in 0..N_LINKS {
        let parent = if link < 2 { any } else { every };
        let fields = json!({"parents": below(parent),
            "problem_tags": [{"tag": "link", "operator": "0", "value": link.to_string()}]});
        all.push(service(editor, &format!("link {link}"), &fields)?);
    }
    all.extend([any, every, root]);
    Ok(all)
}

/// Makes it all in one edit.
pub(super) fn configure(db: &Db) -> Scene {
    let made = db.edit(Actor::System, |editor| {
        let mut host = |name: &str| {
            let fields = json!({"host": name, "groups": [{"groupid": "2"}]});
            let host = make(editor, ObjectKind::Host, &fields)?;
            let item = json!({"hostid": host.to_string(), "name": "k", "key_": "k", "type": "2", "value_type": "3"});
            make(editor, ObjectKind::Item, &item)?;
            Ok::<u64, ConfigError>(host)
        };
        let _router = host("router")?;
        let maintained_host = host("server")?;
        let mut trigger = |host: &str, name: &str, value: usize| {
            let fields = json!({"description": name, "expression": format!("last(/{host}/k)={value}")});
            make(editor, ObjectKind::Trigger, &fields).map(TriggerId)
        };
        let mut triggers = Vec::new();
        for link in 0..N_LINKS {
            let slow = trigger("router", &format!("link {link} is slow"), 10 * link + 1)?;
            triggers.push([slow, trigger("router", &format!("link {link} is down"), 10 * link + 2)?]);
        }
        let maintained = trigger("server", "down", 1)?;
        let services = services(editor)?;
        maintenance(editor, maintained_host, (&[WITH_DATA], "0"))?;
        maintenance(editor, maintained_host, (&WITHOUT_DATA, "1"))?;
        let rules = network::configure(editor)?;
        // Somebody waits for agents that register again.
        let action = json!({"name": "agents", "eventsource": "2", "status": "0",
            "operations": [{"operationtype": "2"}]});
        make(editor, ACTION.kind(), &action)?;
        Ok(Scene { triggers, maintained, services, rules })
    });
    made.unwrap_or_else(|error| panic!("the configuration: {}", error.text()))
}
