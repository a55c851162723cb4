//! Web scenarios and their steps: their fields, described once.
//!
//! The API checks and answers by these fields, imports read and exports write by them ([`IN_FILES`], [`STEP_IN_FILES`]).
//! A scenario is stored in two places: fields that items have themselves are its item's
//! ([`IN_ITEM`]), the rest is a [`WebScenario`] in the item's parameters. Tests compare the
//! description with both. Rules beyond single fields (the items of a scenario, the identity of
//! steps) are in `editor/web.rs`, Zabbix's rules for values in the API.

use std::borrow::Cow;
use std::sync::Arc;

use formats::number::parse_signed_duration_s;
use lang::macros::UserMacro;
use model::content::{ItemContent, WebScenario, WebStep};
use model::content_field::{ContentField, FieldValue};
use model::describe::{FLAG, Field, FieldType, Form, Rule};
use model::document::Body;

use super::in_file::{FileOrder, InFile};
use super::names::{AUTH_TYPES, ENABLED, NO_YES, RETRIEVE_MODES};
use super::parts::{self, LINE, LONG, PAIR};
use crate::configuration::editor::content::merge;
use crate::error::ConfigError;

/// A scenario with the item that keeps it.
#[derive(Clone, Default, Debug)]
pub struct WebTest {
    pub scenario: WebScenario,
    pub item: Arc<ItemContent>,
}

/// A field of scenarios.
pub type WebField = ContentField<WebTest>;
/// A field of steps.
pub type StepField = ContentField<WebStep>;

impl WebTest {
    /// The scenario of an item; `None` if it keeps none.
    #[must_use]
    pub fn of(item: &Arc<ItemContent>) -> Option<Self> {
        let scenario = WebScenario::parse(&item.params).ok()?;
        Some(Self { scenario, item: Arc::clone(item) })
    }
}

const NAME_TEXT: FieldType = FieldType::Text { max: 64 };
const PAIRS: FieldType = FieldType::List(PAIR);
/// A variable: its name is in braces.
pub const VARIABLE: &[Field] = &[PAIR[0].shaped(&BRACED), PAIR[1]];
const VARIABLES_OF: FieldType = FieldType::List(VARIABLE);
/// No two variables have one name.
const ONE_OF_A_NAME: &[&[&str]] = &[&["name"]];

fn variable(name: &str) -> Result<(), Cow<'static, str>> {
    let inner = name.strip_prefix('{').and_then(|it| it.strip_suffix('}'));
    match inner.filter(|it| !it.is_empty() && !it.contains(['{', '}'])) {
        Some(_) => Ok(()),
        None => Err("is not enclosed in {} or is malformed".into()),
    }
}

const BRACED: Form = Form::new("variable", "a name in braces, as `{name}`", variable);
const PERIOD_DOC: &str =
    "seconds, or a number with one of the units s, m, h, d and w, or a user macro";
/// Between attempts.
const INTERVAL: Form =
    Form::new("period-or-macro", PERIOD_DOC, |text| period(text, 86_400)).within(1, 86_400);
/// For the answers of a step.
const TIME_OUT: Form =
    Form::new("period-or-macro", PERIOD_DOC, |text| period(text, 3_600)).within(1, 3_600);

fn period(text: &str, max_s: i64) -> Result<(), Cow<'static, str>> {
    match parse_signed_duration_s(text) {
        _ if UserMacro::parse_use(text).is_some() => Ok(()),
        Some(it) if (1..=max_s).contains(&it) => Ok(()),
        Some(_) => Err(format!("value must be one of 1-{max_s}").into()),
        None => Err("a time unit is expected".into()),
    }
}

pub const NAME: WebField =
    WebField::new(Field::new("name", NAME_TEXT, Rule::Required, "Name"), |it| {
        FieldValue::Text(&it.scenario.name)
    });
pub const DELAY: WebField = WebField::new(
    Field::new("delay", LINE, Rule::Default("1m"), "Update interval")
        .or_number()
        .never_empty()
        .shaped(&INTERVAL)
        .overridable(),
    |it| FieldValue::Text(&it.item.delay),
);
pub const RETRIES: WebField = WebField::new(
    Field::new("retries", FieldType::Int { min: 1, max: 10 }, Rule::Default("1"), "Attempts")
        .overridable(),
    |it| FieldValue::Number(it.scenario.retries),
);
pub const AGENT: WebField = WebField::new(
    Field::new("agent", LINE, Rule::Default("Zabbix"), "User agent").overridable(),
    |it| FieldValue::Text(&it.scenario.agent),
);
pub const HTTP_PROXY: WebField =
    WebField::new(Field::new("http_proxy", LINE, Rule::Default(""), "Proxy"), |it| {
        FieldValue::Text(&it.item.http_proxy)
    });
pub const STATUS: WebField = WebField::new(
    Field::new("status", FLAG, Rule::Default("0"), "0 enabled, 1 disabled").overridable(),
    |it| FieldValue::code(it.item.status.code()),
);
pub const AUTHENTICATION: WebField = WebField::new(
    Field::new(
        "authentication",
        FieldType::Code(&[0, 1, 2, 3, 4]),
        Rule::Default("0"),
        "0 none, 1 basic, 2 NTLM, 3 Kerberos, 4 digest",
    )
    .overridable(),
    |it| FieldValue::Number(it.item.authtype),
);
/// A credential in the API; files have it even without the password.
pub const HTTP_USER: WebField =
    WebField::new(Field::new("http_user", LINE, Rule::Default(""), "User").overridable(), |it| {
        FieldValue::Text(&it.item.username)
    });
pub const HTTP_PASSWORD: WebField = WebField::new(
    Field::new("http_password", LINE, Rule::Default(""), "Password").overridable(),
    |it| FieldValue::Text(&it.item.password),
)
.credential();
pub const VERIFY_PEER: WebField = WebField::new(
    Field::new("verify_peer", FLAG, Rule::Default("0"), "1 check the server's certificate"),
    |it| FieldValue::Flag(it.item.verify_peer),
);
pub const VERIFY_HOST: WebField = WebField::new(
    Field::new("verify_host", FLAG, Rule::Default("0"), "1 check the server's name"),
    |it| FieldValue::Flag(it.item.verify_host),
);
pub const SSL_CERT_FILE: WebField = WebField::new(
    Field::new("ssl_cert_file", LINE, Rule::Default(""), "File of the client's certificate"),
    |it| FieldValue::Text(&it.item.ssl_cert_file),
);
pub const SSL_KEY_FILE: WebField =
    WebField::new(Field::new("ssl_key_file", LINE, Rule::Default(""), "File of its key"), |it| {
        FieldValue::Text(&it.item.ssl_key_file)
    });
pub const SSL_KEY_PASSWORD: WebField = WebField::new(
    Field::new("ssl_key_password", LINE, Rule::Default(""), "Password of its key"),
    |it| FieldValue::Text(&it.item.ssl_key_password),
)
.credential();
pub const HEADERS: WebField = WebField::new(
    Field::new("headers", PAIRS, Rule::Optional, "Headers of all steps")
        .list_only()
        .answered()
        .overridable(),
    |it| FieldValue::Pairs(&it.scenario.headers),
);
pub const VARIABLES: WebField = WebField::new(
    Field::new("variables", VARIABLES_OF, Rule::Optional, "Variables of all steps")
        .list_only()
        .unique(ONE_OF_A_NAME)
        .answered()
        .overridable(),
    |it| FieldValue::Pairs(&it.scenario.variables),
);
pub const STEPS: Field =
    Field::new("steps", FieldType::List(STEP), Rule::Required, "Steps in order of `no`")
        .list_only()
        .never_empty()
        .unique(&[&["httpstepid"], &["name"], &["no"]]);
pub const UUID: WebField = WebField::new(parts::UUID, |it| FieldValue::Text(&it.item.uuid));

/// Fields of the API that stand for themselves, in its order, after the name; lists and the identity follow them.
pub const FIELDS: [WebField; 15] = [
    DELAY,
    RETRIES,
    AGENT,
    HTTP_PROXY,
    VARIABLES,
    HEADERS,
    STATUS,
    AUTHENTICATION,
    HTTP_USER.credential(),
    HTTP_PASSWORD,
    VERIFY_PEER,
    VERIFY_HOST,
    SSL_CERT_FILE,
    SSL_KEY_FILE,
    SSL_KEY_PASSWORD,
];

/// Fields that the item keeps, with their names there. It keeps the tags as well.
pub(crate) const IN_ITEM: [(WebField, &str); 12] = [
    (DELAY, "delay"),
    (HTTP_PROXY, "http_proxy"),
    (STATUS, "status"),
    (AUTHENTICATION, "authtype"),
    (HTTP_USER, "username"),
    (HTTP_PASSWORD, "password"),
    (VERIFY_PEER, "verify_peer"),
    (VERIFY_HOST, "verify_host"),
    (SSL_CERT_FILE, "ssl_cert_file"),
    (SSL_KEY_FILE, "ssl_key_file"),
    (SSL_KEY_PASSWORD, "ssl_key_password"),
    (UUID, "uuid"),
];
const TAGS: &str = "tags";

/// The given fields of its item, under their names there.
#[must_use]
pub fn of_item(given: &Body) -> Body {
    let fields = IN_ITEM.iter().map(|(it, member)| (it.field.name, *member));
    let fields = fields.chain([(TAGS, TAGS)]);
    let given =
        fields.filter_map(|(name, member)| Some((member.to_owned(), given.get(name)?.clone())));
    given.collect()
}

/// A scenario with what is given of it; its steps stay.
///
/// # Errors
/// If a value is none of its field.
pub fn scenario_of(base: &WebScenario, given: &Body) -> Result<WebScenario, ConfigError> {
    let mut given = given.clone();
    given.remove(STEPS.name);
    merge(base, &given)
}

// Steps. One that is named by its id stays as far as nothing else is given of it.

pub const STEP_NAME: StepField = StepField::new(
    Field::new("name", NAME_TEXT, Rule::Required, "Name; needed for a new step"),
    |it| FieldValue::Text(&it.name),
);
pub const NO: Field = Field::new(
    "no",
    FieldType::Int { min: -2_147_483_648, max: 2_147_483_647 },
    Rule::Required,
    "Its number among the others; needed for a new step",
);
pub const URL: StepField = StepField::new(
    Field::new("url", FieldType::Text { max: 2_048 }, Rule::Required, "URL; needed for a new step"),
    |it| FieldValue::Text(&it.url),
);
pub const QUERY_FIELDS: StepField = StepField::new(
    Field::new("query_fields", PAIRS, Rule::Optional, "Query fields").list_only().answered(),
    |it| FieldValue::Pairs(&it.query_fields),
);
/// A text or fields of a form.
pub const POSTS: Field = Field::new(
    "posts",
    LONG,
    Rule::Optional,
    "Body of a POST: a text, or a list of fields of a form, each with `name` and `value`",
)
.implied("");
pub const POST_FIELDS: Field =
    Field::new("post_fields", PAIRS, Rule::WriteOnly, "Another way to give a list as `posts`")
        .list_only();
pub const STEP_HEADERS: StepField = StepField::new(
    Field::new("headers", PAIRS, Rule::Optional, "Headers, in place of the scenario's")
        .list_only()
        .answered(),
    |it| FieldValue::Pairs(&it.headers),
);
pub const STEP_VARIABLES: StepField = StepField::new(
    Field::new(
        "variables",
        VARIABLES_OF,
        Rule::Optional,
        "Variables for this step and those behind it",
    )
    .list_only()
    .unique(ONE_OF_A_NAME)
    .answered(),
    |it| FieldValue::Pairs(&it.variables),
);
pub const TIMEOUT: StepField = StepField::new(
    Field::new("timeout", LINE, Rule::Optional, "Time for its answers, 1s to 1h")
        .implied("15s")
        .or_number()
        .never_empty()
        .shaped(&TIME_OUT),
    |it| FieldValue::Text(&it.timeout),
);
pub const REQUIRED: StepField = StepField::new(
    Field::new("required", LINE, Rule::Optional, "Pattern that has to be found").implied(""),
    |it| FieldValue::Text(&it.required),
);
pub const STATUS_CODES: StepField = StepField::new(
    Field::new("status_codes", LINE, Rule::Optional, "Codes and ranges that are no failure")
        .implied(""),
    |it| FieldValue::Text(&it.status_codes),
);
pub const FOLLOW_REDIRECTS: StepField = StepField::new(
    Field::new("follow_redirects", FLAG, Rule::Optional, "1 follow redirects").implied("1"),
    |it| FieldValue::Flag(it.follow_redirects),
);
pub const RETRIEVE_MODE: StepField = StepField::new(
    Field::new(
        "retrieve_mode",
        FieldType::Code(&[0, 1, 2]),
        Rule::Optional,
        "What is searched: 0 body, 1 headers, 2 both",
    )
    .implied("0"),
    |it| FieldValue::Number(it.retrieve_mode),
);

/// Fields of steps in the API that stand for themselves, in its order, after the name: those before the body and
/// after it.
pub const STEP_FIRST: [StepField; 2] = [URL, QUERY_FIELDS];
pub const STEP_LAST: [StepField; 7] = [
    STEP_VARIABLES,
    STEP_HEADERS,
    FOLLOW_REDIRECTS,
    RETRIEVE_MODE,
    TIMEOUT,
    REQUIRED,
    STATUS_CODES,
];

/// Where a step stands.
pub const HTTPSTEPID: Field =
    Field::new("httpstepid", FieldType::Id, Rule::Optional, "Id; of a step that stays").of_part();
pub const HTTPTESTID: Field =
    Field::new("httptestid", FieldType::Id, Rule::ReadOnly, "The scenario");

/// A step in the API.
pub const STEP: &[Field] = &[
    HTTPSTEPID,
    HTTPTESTID,
    STEP_NAME.field,
    NO,
    URL.field,
    QUERY_FIELDS.field,
    POSTS,
    POST_FIELDS,
    STEP_VARIABLES.field,
    STEP_HEADERS.field,
    FOLLOW_REDIRECTS.field,
    RETRIEVE_MODE.field,
    TIMEOUT.field,
    REQUIRED.field,
    STATUS_CODES.field,
];

/// A step with what is given of it.
///
/// # Errors
/// If a value is none of its field.
pub fn step_of(base: &WebStep, given: &Body) -> Result<WebStep, ConfigError> {
    let mut given = given.clone();
    given.remove(NO.name);
    if let Some(fields) = given.remove(POST_FIELDS.name) {
        given.insert(POSTS.name.to_owned(), fields);
    }
    merge(base, &given)
}

/// Parts that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WebPart {
    Uuid,
    Steps,
    Tags,
}

/// Parts of a step that files have in a form of their own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum StepPart {
    /// A text or a list.
    Posts,
}

use InFile::{Field as F, Part as P};

/// In Zabbix's order.
pub(crate) const IN_FILES: FileOrder<WebTest, WebPart> = &[&[
    P(WebPart::Uuid),
    F(NAME),
    F(DELAY),
    F(RETRIES.tagged("attempts")),
    F(AGENT),
    F(HTTP_PROXY),
    F(VARIABLES),
    F(HEADERS),
    F(STATUS.named(ENABLED)),
    F(AUTHENTICATION.named(AUTH_TYPES)),
    F(HTTP_USER),
    F(HTTP_PASSWORD),
    F(VERIFY_PEER.named(NO_YES)),
    F(VERIFY_HOST.named(NO_YES)),
    F(SSL_CERT_FILE),
    F(SSL_KEY_FILE),
    F(SSL_KEY_PASSWORD),
    P(WebPart::Steps),
    P(WebPart::Tags),
]];

/// In Zabbix's order.
pub(crate) const STEP_IN_FILES: FileOrder<WebStep, StepPart> = &[&[
    F(STEP_NAME),
    F(URL),
    F(QUERY_FIELDS),
    P(StepPart::Posts),
    F(STEP_VARIABLES),
    F(STEP_HEADERS),
    F(FOLLOW_REDIRECTS.named(NO_YES).or("1")),
    F(RETRIEVE_MODE.named(RETRIEVE_MODES).or("0")),
    F(TIMEOUT.or("15s")),
    F(REQUIRED.or("")),
    F(STATUS_CODES.or("")),
]];

#[cfg(test)]
mod tests {
    use model::content::ItemOverrides;
    use model::describe::Inherited;
    use serde_json::{Value as Json, json};

    use super::super::description_checks;
    use super::*;

    fn described() -> Vec<WebField> {
        [&[NAME, UUID], &FIELDS[..]].concat()
    }

    fn of_step() -> Vec<StepField> {
        [&[STEP_NAME], &STEP_FIRST[..], &STEP_LAST].concat()
    }

    #[test]
    fn item_and_scenario_have_the_members_of_the_description() {
        let Ok(Json::Object(scenario)) = serde_json::to_value(WebScenario::default()) else {
            panic!("an object")
        };
        let Ok(Json::Object(item)) = serde_json::to_value(ItemContent::default()) else {
            panic!("an object")
        };
        let default = WebTest::default();
        for it in described() {
            let name = it.field.name;
            let (member, keeps) = match IN_ITEM.iter().find(|(it, _)| it.field.name == name) {
                Some((_, member)) => (*member, &item),
                None => (name, &scenario),
            };
            let kept = keeps.get(member).unwrap_or_else(|| panic!("{name} is kept"));
            let read = it.text_of(&default);
            assert_eq!(kept.as_str(), read.as_deref(), "{name} is read");
            // Items of scenarios are made with an interval.
            if let Rule::Default(expected) = it.field.rule
                && name != DELAY.field.name
            {
                assert_eq!(read.as_deref(), Some(expected), "{name}");
            }
        }
        for name in scenario.keys().filter(|it| *it != STEPS.name) {
            let is_described = described().iter().any(|it| it.field.name == name);
            assert!(is_described, "{name} is described");
        }
    }

    #[test]
    fn inherited_scenario_fields_match_item_overrides() {
        for (it, member) in &IN_ITEM {
            let is_override = ItemOverrides::FIELDS.contains(member);
            assert_eq!(it.field.inherited == Inherited::Override, is_override, "{member}");
        }
        // The parameters keep the rest.
        assert!(ItemOverrides::FIELDS.contains(&"params") && ItemOverrides::FIELDS.contains(&TAGS));
    }

    #[test]
    fn steps_have_the_members_and_defaults_of_the_description() {
        description_checks::of_content(&of_step(), &[POSTS.name]);
        for it in of_step() {
            assert!(STEP.iter().any(|field| field.name == it.field.name), "{}", it.field.name);
        }
    }

    #[test]
    fn files_have_each_field_that_stands_for_itself() {
        description_checks::of_files(&described(), &[IN_FILES], &[UUID.field.name]);
        description_checks::of_files(&of_step(), &[STEP_IN_FILES], &[]);
        description_checks::of_defaults(&WebStep::default(), STEP_IN_FILES);
    }

    #[test]
    fn given_fields_go_to_the_item_or_the_scenario() {
        let given = json!({
            "name": "shop", "http_user": "u", "delay": "5m", "retries": "3", "tags": [], "steps": [{}],
            "headers": [{"name": "a", "value": "b"}],
        });
        let Json::Object(given) = given else { panic!("an object") };
        let item = json!({"username": "u", "delay": "5m", "tags": []});
        assert_eq!(Json::Object(of_item(&given)), item);
        let scenario = scenario_of(&WebScenario::default(), &given).unwrap();
        assert_eq!((&*scenario.name, scenario.retries, &*scenario.agent), ("shop", 3, "Zabbix"));
        assert_eq!((scenario.headers.len(), scenario.steps.len()), (1, 0));
    }
}
