//! The configuration of a run, once as the server has it, and once as the oracle knows it.

use db::events::{object, source};
use db::objects::action::ACTION;
use db::objects::correlation::CORRELATION;
use db::objects::mediatype::MEDIATYPE;
use db::objects::script::SCRIPT;
use db::objects::settings::SETTINGS;
use db::{Actor, ConfigError, Db, Editor, EventRow, ObjectKind};
use model::content::{Severity, Tag};
use model::{EventId, HostId, Time, UserId};
use serde_json::{Value, json};

use crate::configuring::make;

/// Between two steps of the action.
pub(super) const PERIOD_S: i64 = 3_600;
/// Of each media type.
pub(super) const ATTEMPTS: u32 = 3;
/// Links, each of which goes down and comes up.
pub(super) const N_LINKS: usize = 4;
/// Messages within a minute that are a storm.
const STORM: u32 = 3;
/// Between two digests of a storm.
pub(super) const DIGEST_S: i64 = 300;
/// Hours of the day, from and until, in which messages to the third user wait; of UTC.
const QUIET_HOURS: (i64, i64) = (2, 6);

/// The ids of the configuration.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub(super) host: HostId,
    pub(super) action: u64,
    /// By link: its trigger *down*, and its trigger *up*.
    pub(super) triggers: Vec<[u64; 2]>,
    /// Recipients of each step, with their media types.
    pub(super) steps: Vec<(u32, UserId, Vec<u64>)>,
    /// At which a command is executed.
    pub(super) command_step: u32,
    /// The media type whose receiver needs each message.
    pub(super) ticket: u64,
    /// The user with quiet hours.
    pub(super) sleeper: UserId,
}

/// When the quiet hours end in which a time is; `None`: it is in none.
pub(super) fn quiet_end(time_s: i64) -> Option<i64> {
    let (from, until) = QUIET_HOURS;
    let day_s = time_s - time_s.rem_euclid(86_400);
    let is_quiet = (from * 3_600..until * 3_600).contains(&time_s.rem_euclid(86_400));
    is_quiet.then_some(day_s + until * 3_600)
}

fn media_type(editor: &mut Editor, name: &str, fields: &Value) -> Result<u64, ConfigError> {
    let template = |recovery: &str, subject: &str| {
        json!({"eventsource": "0", "recovery": recovery, "subject": subject,
            "message": "{EVENT.ID} {ESC.HISTORY}"})
    };
    let mut all = json!({
        "name": name, "status": "0", "maxattempts": ATTEMPTS.to_string(), "attempt_interval": "10s",
        "maxsessions": "0",
        "message_templates": [template("0", "Down: {EVENT.NAME}"), template("1", "Over: {EVENT.NAME}")],
    });
    for (name, value) in fields.as_object().into_iter().flatten() {
        all[name] = value.clone();
    }
    make(editor, MEDIATYPE.kind(), &all)
}

/// Makes it all in one edit.
pub(super) fn configure(db: &Db) -> Scene {
    let made = db.edit(Actor::System, |editor| {
        let host = json!({"host": "router", "groups": [{"groupid": "2"}]});
        let host = make(editor, ObjectKind::Host, &host)?;
        let item = json!({"hostid": host.to_string(), "name": "k", "key_": "k", "type": "2", "value_type": "3"});
        make(editor, ObjectKind::Item, &item)?;
        let mut triggers = Vec::new();
        for link in 0..N_LINKS {
            let mut trigger = |name: &str, value: usize| {
                let fields = json!({"description": format!("link {link} {name}"),
                    "expression": format!("last(/router/k)={}", 10 * link + value)});
                make(editor, ObjectKind::Trigger, &fields)
            };
            triggers.push([trigger("down", 1)?, trigger("up", 2)?]);
        }
        let mail = json!({"type": "0", "smtp_server": "127.0.0.1", "smtp_email": "saker@example.com"});
        let mail = media_type(editor, "mail of the test", &mail)?;
        let hook = json!({"type": "4", "script": "return 1;"});
        let hook = media_type(editor, "hook of the test", &hook)?;
        let ticket = json!({"type": "4", "script": "return 1;", "process_tags": "1"});
        let ticket = media_type(editor, "tickets of the test", &ticket)?;
        let (from, until) = QUIET_HOURS;
        let quiet = format!("1-7,{from:02}:00-{until:02}:00");
        let mut user = |name: &str, by: &[u64], quiet: &str| {
            let medias: Vec<Value> = by
                .iter()
                .map(|it| json!({"mediatypeid": it.to_string(), "sendto": [format!("{name}-{it}@example.com")],
                    "quiet_period": quiet, "quiet_severity": "5"}))
                .collect();
            let fields = json!({"username": name, "passwd": "for-tests-only-1", "roleid": "3", "medias": medias,
                "timezone": "UTC"});
            make(editor, ObjectKind::User, &fields)
        };
        let users = [
            user("first", &[mail], "")?,
            user("second", &[mail, ticket], "")?,
            user("third", &[hook], &quiet)?,
        ];
        let script = json!({"name": "run", "type": "0", "scope": "1", "execute_on": "1", "command": "run {EVENT.ID}"});
        let script = make(editor, SCRIPT.kind(), &script)?;
        let step = |n: usize, user: u64| {
            json!({"operationtype": "0", "esc_period": "0", "esc_step_from": n.to_string(),
                "esc_step_to": n.to_string(), "opmessage": {"default_msg": "1", "mediatypeid": "0"},
                "opmessage_usr": [{"userid": user.to_string()}], "opmessage_grp": []})
        };
        let mut operations: Vec<Value> = (1..).zip(users).map(|(n, it)| step(n, it)).collect();
        operations.push(json!({"operationtype": "1", "esc_period": "0", "esc_step_from": "2", "esc_step_to": "2",
            "opcommand": {"scriptid": script.to_string()}, "opcommand_hst": [{"hostid": "0"}], "opcommand_grp": []}));
        let action = json!({
            "name": "all", "eventsource": "0", "status": "0", "esc_period": PERIOD_S.to_string(),
            "operations": operations,
            "recovery_operations": [{"operationtype": "11", "opmessage": {"default_msg": "1"}}],
        });
        let action = make(editor, ACTION.kind(), &action)?;
        let rule = json!({"name": "up closes down", "operations": [{"type": "0"}], "filter": {
            "evaltype": "1", "conditions": [
                {"type": "3", "oldtag": "link", "newtag": "link"},
                {"type": "5", "tag": "state", "value": "up"}]}});
        make(editor, CORRELATION.kind(), &rule)?;
        let storm = json!({"digest_messages": STORM.to_string(), "digest_period": "60s",
            "digest_interval": format!("{DIGEST_S}s")});
        editor.update(SETTINGS.kind(), db::objects::SINGLE, storm.as_object().cloned().unwrap_or_default())?;
        Ok(Scene {
            host: HostId(host),
            action,
            triggers,
            steps: vec![
                (1, UserId(users[0]), vec![mail]),
                (2, UserId(users[1]), vec![mail, ticket]),
                (3, UserId(users[2]), vec![hook]),
            ],
            command_step: 2,
            ticket,
            sleeper: UserId(users[2]),
        })
    });
    made.unwrap_or_else(|error| panic!("the configuration: {}", error.text()))
}

/// A problem of a link: 0 that it is down, 1 that it came up.
pub(super) fn problem(
    scene: &Scene,
    id: u64,
    (link, which): (usize, usize),
    time: Time,
) -> EventRow {
    let tag = |tag: &str, value: &str| Tag { tag: tag.to_owned(), value: value.to_owned() };
    let mut tags = vec![tag("link", &link.to_string())];
    if which == 1 {
        tags.push(tag("state", "up"));
    }
    EventRow {
        eventid: EventId(id),
        source: source::TRIGGER,
        object: object::TRIGGER,
        objectid: scene.triggers[link][which],
        time,
        value: 1,
        severity: Severity::High,
        name: format!("link {link}"),
        opdata: String::new(),
        tags,
        hosts: vec![scene.host],
        recovers: Vec::new(),
        userid: UserId::NONE,
    }
}

/// The end of a problem.
pub(super) fn recovery(id: u64, of: &EventRow, time: Time) -> EventRow {
    EventRow { eventid: EventId(id), time, value: 0, recovers: vec![of.eventid], ..of.clone() }
}
