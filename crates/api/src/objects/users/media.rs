//! Medias of users: where messages reach them.

use db::objects::mediatype::EMAIL;
use lang::macros::UserMacro;
use lang::time_period::TimePeriod;
use model::content::Media;
use model::field_path::FieldPath;
use serde_json::{Value, json};

use crate::describe::{FLAG, Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{self, Fields, id_of, list_of, number, str_of, text};
use crate::query::Output;
use crate::shared::Ctx;

/// Of all addresses of a media together, with a separator between them.
const SENDTO_MAX: usize = 1_024;

pub(crate) const MEDIA: &[Field] = &[
    Field::new("mediaid", FieldType::Id, Rule::ReadOnly, "Id"),
    Field::new("mediatypeid", FieldType::Id, Rule::Required, "Media type"),
    Field::new(
        "sendto",
        FieldType::Texts { max: usize::MAX },
        Rule::Required,
        "Address; of e-mail a list of them",
    )
    .or_one(),
    Field::new("active", FLAG, Rule::Default("0"), "0 enabled, 1 disabled"),
    Field::new(
        "severity",
        FieldType::Int { min: 0, max: 63 },
        Rule::Default("63"),
        "Sum of the severities that are sent: 1 not classified, 2 information, 4 warning, 8 average, \
         16 high, 32 disaster",
    ),
    Field::new(
        "period",
        FieldType::Text { max: 1_024 },
        Rule::Default("1-7,00:00-24:00"),
        "Times of the week at which messages are sent, or a user macro",
    ),
    Field::new(
        "quiet_period",
        FieldType::Text { max: 1_024 },
        Rule::Default(""),
        "Saker's own: quiet hours, times of the week at which messages below a severity wait, or a user macro; empty: \
         none",
    ),
    Field::new(
        "quiet_severity",
        FieldType::Int { min: 0, max: 5 },
        Rule::Default("4"),
        "Saker's own: messages about problems of this severity and above are sent in quiet hours too",
    ),
];

/// The medias as a select gives them: of e-mail the addresses are a list.
pub(crate) fn select(ctx: &Ctx, medias: &[Media], output: &Output) -> Value {
    json::parts(MEDIA, medias.iter(), output, |it, field| match field {
        "mediaid" => number(it.mediaid),
        "mediatypeid" => number(it.mediatypeid),
        "sendto" if is_email(ctx, it.mediatypeid) => json!(it.sendto),
        "sendto" => text(it.sendto.first().cloned().unwrap_or_default()),
        "active" => json::flag(it.is_disabled),
        "severity" => number(it.severity),
        "quiet_period" => text(it.quiet_period.clone()),
        "quiet_severity" => number(it.quiet_severity),
        _ => text(it.period.clone()),
    })
}

fn is_email(ctx: &Ctx, kind: u64) -> bool {
    let kind = ctx.snapshot.documents.get("mediatype", kind);
    kind.is_some_and(|it| it.text("type") == EMAIL)
}

/// Checks the medias of a request; `old` are those that the user has.
pub(crate) fn check(
    ctx: &Ctx,
    fields: &Fields,
    old: &[Media],
    path: &FieldPath,
) -> Result<(), ApiError> {
    for (at, media) in list_of(fields, "medias").enumerate() {
        let path = path.member("medias").element(at);
        for name in ["period", "quiet_period"] {
            let period = str_of(media, name);
            let is_period = period.is_empty()
                || UserMacro::parse_definition(period).is_some()
                || TimePeriod::parse(period).is_some();
            if !is_period {
                return Err(ApiError::field(path.member(name), "a time period is expected"));
            }
        }
        let named = id_of(media, "mediaid");
        let known = named.and_then(|id| old.iter().find(|it| it.mediaid == id));
        if named.is_some() && known.is_none() {
            let what = "object does not exist or belongs to another object";
            return Err(ApiError::field(path.member("mediaid"), what));
        }
        check_addresses(ctx, media, known, &path)?;
    }
    Ok(())
}

fn check_addresses(
    ctx: &Ctx,
    media: &Fields,
    old: Option<&Media>,
    path: &FieldPath,
) -> Result<(), ApiError> {
    let kind = id_of(media, "mediatypeid").or_else(|| old.map(|it| it.mediatypeid));
    let kind = kind.unwrap_or_default();
    if ctx.snapshot.documents.get("mediatype", kind).is_none() {
        return Err(ApiError::field(path.member("mediatypeid"), "object does not exist"));
    }
    let path = path.member("sendto");
    let Some(list) = media.get("sendto").and_then(Value::as_array) else { return Ok(()) };
    let addresses: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
    if addresses.is_empty() {
        return Err(ApiError::field(&path, "cannot be empty"));
    }
    if SENDTO_MAX < addresses.join("\n").chars().count() {
        return Err(ApiError::field(&path, "value is too long"));
    }
    if !is_email(ctx, kind) {
        let is_one = addresses.len() == 1;
        let what = "a character string is expected";
        return if is_one { Ok(()) } else { Err(ApiError::field(&path, what)) };
    }
    if let Some(at) = addresses.iter().position(|it| it.is_empty()) {
        return Err(ApiError::field(path.element(at), "cannot be empty"));
    }
    match addresses.iter().position(|it| !lang::email::is_mailbox(it)) {
        Some(at) => Err(ApiError::field(path.element(at), "an email address is expected")),
        None => Ok(()),
    }
}
