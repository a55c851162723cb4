//! Actions: operations on events.
//!
//! The fields of a body depend on the source of events: [`check`] knows the valid combinations, and
//! brings it into one form, in which each operation has the fields of its type and no others.
//!
//! Operations that do not run yet are refused by name, there as well: users would rely on an action
//! that is stored and does nothing.

mod check;

use model::content::{RoleType, UiElement};
use model::describe::{
    Depends, FLAG, Field, FieldType, Gives, Nouns, Object, Params, Refers, RoleRule, Rule,
    RulesSee, Select, Unknown, When, Writes,
};
use model::document::Body;
use model::limits;

use super::oncall::ONCALL_REFERENCE;
use super::{Edited, Stored};

pub use check::{Named, check_operations, named_in};

const NAME: FieldType = FieldType::Text { max: 255 };
const STEPS_MAX: i64 = 99_999;

const MEDIA_TYPE: Refers = Refers {
    to: "mediatype",
    missing_message: "Incorrect action operation media type. Media type does not exist or you have no \
                      access to it.",
    used_messages: [
        "The media type is used by action {}.",
        "The media type is used by actions {}.",
    ],
};

const SCRIPT: Refers = Refers {
    to: "script",
    missing_message: "Specified script does not exist or you do not have rights on it for action operation \
                      command.",
    used_messages: [
        "Cannot delete scripts. Script \"{name}\" is used in action operation {}.",
        "Cannot delete scripts. Script \"{name}\" is used in action operation {}.",
    ],
};

/// More operations than an action has.
const IDS_PER_ACTION: u64 = 1_000;

/// The id of an operation: by its place among all of the action, those of the three lists one after the other.
#[must_use]
pub const fn operation_id(action: u64, at: u64) -> u64 {
    action * IDS_PER_ACTION + at + 1
}

const SOURCE: &str = "eventsource";
const OF_TRIGGERS: &[When] = &[When::of(SOURCE, &["0"])];
const WITH_UPDATES: &[When] = &[When::of(SOURCE, &["0", "4"])];
const WITH_PROBLEMS: &[When] = &[When::of(SOURCE, &["0", "3", "4"])];

/// Any number: its codes depend on the source of events.
const NUMBER: FieldType = FieldType::Int { min: i32::MIN as i64, max: i32::MAX as i64 };

const KIND: &str = "conditiontype";
const CUSTOM: &[When] = &[When::of("evaltype", &["3"])];
const TAG_VALUE: &[When] = &[When::of(KIND, &["26"])];
/// All kinds of conditions, without "problem is suppressed".
const WITH_VALUE: &[When] = &[When::of(
    KIND,
    &[
        "0", "1", "2", "3", "4", "6", "7", "8", "9", "10", "11", "12", "13", "18", "19", "20",
        "21", "22", "23", "24", "25", "26", "27", "28",
    ],
)];
/// As `WITH_VALUE`, without values of tags.
const NEEDS_VALUE: &[When] = &[When::of(
    KIND,
    &[
        "0", "1", "2", "3", "4", "6", "7", "8", "9", "10", "11", "12", "13", "18", "19", "20",
        "21", "22", "23", "24", "25", "27", "28",
    ],
)];
/// An empty text compares with nothing.
const NEVER_EMPTY: &[When] = &[When::of(KIND, &["3", "6", "7", "9", "22", "24", "25", "28"])];
const MONTH: i64 = 30 * 86_400;
/// Codes of services that network discovery looks for.
const SERVICE_TYPES: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

pub const CONDITION: &[Field] = &[
    Field::new(
        "formulaid",
        NAME,
        Rule::Optional,
        "Letters that stand for the condition in a custom formula: A, B, …",
    )
    .depends(&Depends::known_and_needed(CUSTOM)),
    Field::new(
        KIND,
        NUMBER,
        Rule::Required,
        "What of the event: 0 host group, 1 host, 2 trigger, 3 event name, 4 severity, 6 time period, \
         7 host IP, 8 discovered service type, 9 discovered service port, 10 discovery status, 11 uptime \
         or downtime, 12 received value, 13 template, 16 problem is suppressed, 18 discovery rule, \
         19 discovery check, 20 proxy, 21 discovery object, 22 host name, 23 event type, 24 host metadata, \
         25 tag, 26 tag value, 27 service, 28 service name",
    )
    .depends(&Depends::codes(&[
        (When::of(SOURCE, &["0"]), &[0, 1, 2, 3, 4, 6, 13, 16, 25, 26]),
        (When::of(SOURCE, &["1"]), &[7, 8, 9, 10, 11, 12, 18, 19, 20, 21]),
        (When::of(SOURCE, &["2"]), &[20, 22, 24]),
        (When::of(SOURCE, &["3"]), &[0, 1, 13, 23, 25, 26]),
        (When::of(SOURCE, &["4"]), &[25, 26, 27, 28]),
    ])),
    Field::new(
        "operator",
        NUMBER,
        Rule::Optional,
        "0 equals, 1 does not equal, 2 contains, 3 does not contain, 4 in, 5 at least, 6 at most, \
         7 not in, 8 matches, 9 does not match, 10 yes, 11 no; 0 if left out, where the condition has it",
    )
    .depends(&Depends {
        needed: &[When::of(KIND, &["3", "6", "11", "16", "22", "24", "28"])],
        codes: &[
            (
                When::of(KIND, &["0", "1", "2", "7", "8", "9", "13", "18", "19", "20", "27"]),
                &[0, 1],
            ),
            (When::of(KIND, &["3", "28"]), &[2, 3]),
            (When::of(KIND, &["4"]), &[0, 1, 5, 6]),
            (When::of(KIND, &["6"]), &[4, 7]),
            (When::of(KIND, &["10", "21", "23"]), &[0]),
            (When::of(KIND, &["11"]), &[5, 6]),
            (When::of(KIND, &["12"]), &[0, 1, 5, 6, 2, 3]),
            (When::of(KIND, &["16"]), &[10, 11]),
            (When::of(KIND, &["22", "24"]), &[2, 3, 8, 9]),
            (When::of(KIND, &["25", "26"]), &[0, 1, 2, 3]),
        ],
        ..Depends::ON_NOTHING
    }),
    Field::new("value", NAME, Rule::Optional, "What is compared with; ids and codes as text")
        .or_empty()
        .depends(&Depends {
            needed: NEEDS_VALUE,
            filled: NEVER_EMPTY,
            kinds: &[
                (
                    When::of(KIND, &["0", "1", "2", "13", "18", "19", "20", "27"]),
                    FieldType::Id,
                ),
                (When::of(KIND, &["4"]), FieldType::Code(&[0, 1, 2, 3, 4, 5])),
                (When::of(KIND, &["8"]), FieldType::Code(SERVICE_TYPES)),
                (When::of(KIND, &["10"]), FieldType::Code(&[0, 1, 2, 3])),
                (When::of(KIND, &["11"]), FieldType::Int { min: 0, max: MONTH }),
                (When::of(KIND, &["21"]), FieldType::Code(&[1, 2])),
                (When::of(KIND, &["23"]), FieldType::Code(&[0, 2, 4])),
            ],
            ..Depends::known(WITH_VALUE)
        }),
    Field::new("value2", NAME, Rule::Optional, "Of tag values: the name of the tag")
        .depends(&Depends::known_and_needed(TAG_VALUE)),
];

pub const FILTER: &[Field] = &[
    Field::new(
        "evaltype",
        FieldType::Code(&[0, 1, 2, 3]),
        Rule::Required,
        "0 and/or: conditions of one type are alternatives; 1 and, 2 or, 3 as the formula says",
    ),
    Field::new(
        "formula",
        FieldType::Text { max: 1_024 },
        Rule::Optional,
        "Letters of conditions joined by and, or, not and parentheses",
    )
    .depends(&Depends::known_and_needed(CUSTOM)),
    Field::new(
        "eval_formula",
        FieldType::Text { max: 1_024 },
        Rule::ReadOnly,
        "The formula that the conditions are joined by, whatever evaltype is",
    ),
    Field::new("conditions", FieldType::List(CONDITION), Rule::Optional, "Conditions")
        .depends(&Depends { needed: CUSTOM, ..Depends::ON_NOTHING }),
];

const OP_CONDITION: &[Field] = &[
    Field::new(
        "conditiontype",
        FieldType::Code(&[14]),
        Rule::Required,
        "14 the problem is acknowledged",
    ),
    Field::new(
        "value",
        FieldType::Text { max: 255 },
        Rule::Required,
        "0 not acknowledged, 1 acknowledged",
    )
    .words(&["0", "1"]),
    Field::new("operator", FieldType::Code(&[0]), Rule::Default("0"), "0 equals"),
];

/// The operation has a message of its own.
const OWN_MESSAGE: &[When] = &[When::of("default_msg", &["0"])];

const OP_MESSAGE: &[Field] = &[
    Field::new(
        "default_msg",
        FLAG,
        Rule::Default("1"),
        "1 the message of the media type, 0 the one of the operation",
    ),
    Field::new("subject", NAME, Rule::Optional, "Subject, with macros")
        .depends(&Depends::known(OWN_MESSAGE)),
    Field::new(
        "message",
        FieldType::Text { max: limits::TEXT_FIELD_MAX },
        Rule::Optional,
        "Text, with macros",
    )
    .depends(&Depends::known(OWN_MESSAGE)),
    Field::new("mediatypeid", FieldType::Id, Rule::Optional, "Media type; 0 all that the user has")
        .of(MEDIA_TYPE)
        .depends(&Depends::known(&[When::of(TYPE, &["0", "12"])])),
];

const USER_GROUP: &[Field] = &[Field::new("usrgrpid", FieldType::Id, Rule::Required, "User group")];
const USER: &[Field] = &[Field::new("userid", FieldType::Id, Rule::Required, "User")];
const ONCALL: &[Field] =
    &[Field::new("oncallid", FieldType::Id, Rule::Required, "On-call schedule")
        .of(ONCALL_REFERENCE)];
const GROUP: &[Field] = &[Field::new("groupid", FieldType::Id, Rule::Required, "Host group")];
const HOST: &[Field] =
    &[Field::new("hostid", FieldType::Id, Rule::Required, "Host; 0 the one of the event")];
const TEMPLATE: &[Field] = &[Field::new("templateid", FieldType::Id, Rule::Required, "Template")];
const TAG: &[Field] = &[
    Field::new("tag", NAME, Rule::Required, "Name of the tag"),
    Field::new("value", NAME, Rule::Default(""), "Value of the tag"),
];

const TYPE: &str = "operationtype";
const TO_RECIPIENTS: Depends = Depends::known(&[When::of(TYPE, &["0"])]);
/// Services have no hosts.
const ON_HOSTS: Depends =
    Depends::known(&[When::of(TYPE, &["1"]), When::of(SOURCE, &["0", "1", "2"])]);

const STEP: [Field; 18] = [
    Field::new(
        "operationid",
        FieldType::Id,
        Rule::ReadOnly,
        "Id, by the operation's place in the action",
    ),
    Field::new(
        TYPE,
        NUMBER,
        Rule::Required,
        "0 send message, 1 global script, 11 notify all involved of the recovery, 12 notify all involved of the \
         update; of discovery and autoregistration 2 add host, 4 add to host group, 6 link template, 9 disable \
         host, 10 set inventory mode, 13 add tags, 14 remove tags; of discovery 3 remove host, 5 remove from \
         host group, 7 unlink template, 8 enable host",
    ),
    Field::new(
        "esc_period",
        NAME,
        Rule::Optional,
        "How long its step lasts: 0 as the action says, or 60 s to 1 week; may be a user macro",
    )
    .or_number()
    .depends(&Depends::known(WITH_PROBLEMS)),
    Field::new(
        "esc_step_from",
        FieldType::Int { min: 1, max: STEPS_MAX },
        Rule::Optional,
        "First step; 1 if left out",
    )
    .depends(&Depends::known(WITH_PROBLEMS)),
    Field::new(
        "esc_step_to",
        FieldType::Int { min: 0, max: STEPS_MAX },
        Rule::Optional,
        "Last step, 0 without end; 1 if left out",
    )
    .depends(&Depends::known(WITH_PROBLEMS)),
    Field::new(
        "evaltype",
        FieldType::Code(&[0, 1, 2]),
        Rule::Optional,
        "How its conditions are joined: 0 and/or, 1 and, 2 or",
    )
    .depends(&Depends::known(OF_TRIGGERS)),
    Field::new(
        "opconditions",
        FieldType::List(OP_CONDITION),
        Rule::Optional,
        "Conditions asked at each of its steps",
    )
    .depends(&Depends::known(OF_TRIGGERS)),
    Field::new("opmessage", FieldType::Object(OP_MESSAGE), Rule::Optional, "Message")
        .depends(&Depends::known_and_needed(&[When::of(TYPE, &["0", "11", "12"])])),
    Field::new(
        "opmessage_grp",
        FieldType::List(USER_GROUP),
        Rule::Optional,
        "User groups that get it",
    )
    .depends(&TO_RECIPIENTS),
    Field::new("opmessage_usr", FieldType::List(USER), Rule::Optional, "Users that get it")
        .depends(&TO_RECIPIENTS),
    Field::new(
        "opmessage_oncall",
        FieldType::List(ONCALL),
        Rule::Optional,
        "On-call schedules: users on call when the step is due get it (Zabbix has no such field)",
    )
    .depends(&TO_RECIPIENTS),
    Field::new(
        "opcommand",
        FieldType::Object(&[Field::new(
            "scriptid",
            FieldType::Id,
            Rule::Required,
            "Global script, whose scope has to be 1",
        )
        .of(SCRIPT)]),
        Rule::Optional,
        "Global script",
    )
    .depends(&Depends::known_and_needed(&[When::of(TYPE, &["1"])])),
    Field::new("opcommand_grp", FieldType::List(GROUP), Rule::Optional, "Where it is executed")
        .depends(&ON_HOSTS),
    Field::new("opcommand_hst", FieldType::List(HOST), Rule::Optional, "Where it is executed")
        .depends(&ON_HOSTS),
    Field::new("opgroup", FieldType::List(GROUP), Rule::Optional, "Host groups")
        .never_empty()
        .depends(&Depends::known_and_needed(&[When::of(TYPE, &["4", "5"])])),
    Field::new("optemplate", FieldType::List(TEMPLATE), Rule::Optional, "Templates")
        .never_empty()
        .depends(&Depends::known_and_needed(&[When::of(TYPE, &["6", "7"])])),
    Field::new(
        "opinventory",
        FieldType::Object(&[Field::new(
            "inventory_mode",
            FieldType::Code(&[0, 1]),
            Rule::Default("0"),
            "0 manual, 1 automatic",
        )]),
        Rule::Optional,
        "Inventory mode",
    )
    .depends(&Depends::known_and_needed(&[When::of(TYPE, &["10"])])),
    Field::new("optag", FieldType::List(TAG), Rule::Optional, "Tags")
        .never_empty()
        .unique(&[&["tag", "value"]])
        .depends(&Depends::known_and_needed(&[When::of(TYPE, &["13", "14"])])),
];

/// Operations of a time, with the types of each source.
const fn typed(mut all: [Field; STEP.len()], types: &'static Depends) -> [Field; STEP.len()] {
    all[1] = all[1].depends(types);
    all
}

/// Operations after the steps: they have neither a place among these nor conditions.
const fn later(types: &'static Depends) -> [Field; STEP.len()] {
    let mut all = typed(STEP, types);
    let mut at = 2;
    while at < 7 {
        all[at].rule = Rule::ReadOnly;
        at += 1;
    }
    all
}

const DISCOVERY_TYPES: &[i64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 14];

pub const OPERATION: &[Field] = &typed(
    STEP,
    &Depends::codes(&[
        (When::of(SOURCE, &["0", "4"]), &[0, 1]),
        (When::of(SOURCE, &["1"]), DISCOVERY_TYPES),
        (When::of(SOURCE, &["2"]), &[0, 1, 2, 4, 6, 9, 10, 13, 14]),
        (When::of(SOURCE, &["3"]), &[0]),
    ]),
);

const RECOVERY_OPERATION: &[Field] = &later(&Depends::codes(&[
    (When::of(SOURCE, &["0", "4"]), &[0, 1, 11]),
    (When::of(SOURCE, &["3"]), &[0, 11]),
]));

const UPDATE_OPERATION: &[Field] =
    &later(&Depends::codes(&[(When::of(SOURCE, &["0", "4"]), &[0, 1, 12])]));

const OBJECT: Object = Object {
    name: "action",
    type_name: "Action",
    nouns: Nouns { one: "an action", several: "actions" },
    resource: Some(5),
    role: RoleRule::one_of(&[
        UiElement::TriggerActions,
        UiElement::ServiceActions,
        UiElement::DiscoveryActions,
        UiElement::AutoregistrationActions,
        UiElement::InternalActions,
    ]),
    writes: Some(Writes { unknown: Unknown::Refused, rules_see: RulesSee::Filled, unique: &[] }),
    id: "actionid",
    ids: "actionids",
    fields: &[
        Field::new("actionid", FieldType::Id, Rule::ReadOnly, "Id"),
        Field::new("name", NAME, Rule::Required, "Name"),
        Field::new(
            "eventsource",
            FieldType::Code(&[0, 1, 2, 3, 4]),
            Rule::Required,
            "What its events are about, not to be changed: 0 triggers, 1 network discovery, \
             2 autoregistration, 3 internal, 4 services",
        ),
        Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled"),
        Field::new(
            "esc_period",
            NAME,
            Rule::Default("1h"),
            "How long a step lasts, 60 s to 1 week; may be a user macro",
        )
        .or_number()
        .depends(&Depends::known(WITH_PROBLEMS)),
        Field::new(
            "pause_symptoms",
            FLAG,
            Rule::Default("1"),
            "1 steps wait while the problem is a symptom of another one",
        )
        .depends(&Depends::known(OF_TRIGGERS)),
        Field::new(
            "pause_suppressed",
            FLAG,
            Rule::Default("1"),
            "1 steps wait while the problem is suppressed",
        )
        .depends(&Depends::known(OF_TRIGGERS)),
        Field::new("filter", FieldType::Object(FILTER), Rule::Optional, "Which events it is for"),
        Field::new(
            "operations",
            FieldType::List(OPERATION),
            Rule::Optional,
            "What is done, step by step",
        ),
        Field::new(
            "recovery_operations",
            FieldType::List(RECOVERY_OPERATION),
            Rule::Optional,
            "What is done when the problem is resolved",
        )
        .depends(&Depends::known(WITH_PROBLEMS)),
        Field::new(
            "update_operations",
            FieldType::List(UPDATE_OPERATION),
            Rule::Optional,
            "What is done when a user changes the problem",
        )
        .depends(&Depends::known(WITH_UPDATES)),
        Field::new(
            "notify_if_canceled",
            FLAG,
            Rule::Default("1"),
            "1 recipients of messages are notified if no more will come, because the action, \
             trigger or host was disabled",
        )
        .depends(&Depends::known(OF_TRIGGERS)),
    ],
    selects: &[
        Select::new("selectFilter", "filter", Gives::Part(FILTER)),
        Select::new("selectOperations", "operations", Gives::Parts(OPERATION)),
        Select::new(
            "selectRecoveryOperations",
            "recovery_operations",
            Gives::Parts(RECOVERY_OPERATION),
        ),
        Select::new("selectUpdateOperations", "update_operations", Gives::Parts(UPDATE_OPERATION)),
    ],
    params: Params::of(&[
        "actionids",
        "groupids",
        "hostids",
        "mediatypeids",
        "triggerids",
        "scriptids",
        "userids",
        "usrgrpids",
    ]),
    sort: &["actionid", "name", "status"],
    doc: "What is done when an event happens: messages, step by step",
};

const SAMPLE: &str = r#"{"name": "Databases to the people on call", "eventsource": "0", "esc_period": "30m",
    "filter": {"evaltype": "0", "conditions": [
        {"conditiontype": "4", "operator": "5", "value": "3"},
        {"conditiontype": "26", "operator": "0", "value": "database", "value2": "class"}]},
    "operations": [{"operationtype": "0", "esc_step_from": "1", "esc_step_to": "3",
        "opmessage": {"default_msg": "1"}, "opmessage_usr": [{"userid": "1"}],
        "opconditions": [{"conditiontype": "14", "operator": "0", "value": "0"}]}],
    "recovery_operations": [{"operationtype": "11", "opmessage": {"default_msg": "1"}}]}"#;

pub static ACTION: Stored = Stored {
    write: RoleType::Admin,
    check: |_, body| check::check(body),
    ..Stored::new(OBJECT, Edited::Plainly, &["name"], "Action \"{}\" already exists.", SAMPLE)
};

/// The operations of a body, by the name of their list.
pub fn operations<'a>(body: &'a Body, list: &str) -> impl Iterator<Item = &'a Body> {
    check::parts(body, list)
}
