//! Tests a media type: a message is sent at once, and the whole exchange is returned.

use db::objects::mediatype::{SCRIPT, parameters};
use serde_json::{Value, json};

use crate::describe::{Field, FieldType, Rule};
use crate::error::ApiError;
use crate::json::{id_of, list_of, str_of};
use crate::ports::MessageTrial;
use crate::shared::Ctx;
use crate::validate::object_at_root;

const ANY: FieldType = FieldType::Text { max: 65_535 };

const PARAMETER: &[Field] = &[
    Field::new("name", ANY, Rule::Default(""), "Name; of scripts it has no meaning"),
    Field::new("value", ANY, Rule::Default(""), "Value"),
];

/// The parameters of `POST /api/v1/test/mediatype`.
const REQUEST: &[Field] = &[
    Field::new("mediatypeid", FieldType::Id, Rule::Required, "The media type, as it is saved"),
    Field::new("sendto", ANY, Rule::Default(""), "Address"),
    Field::new("subject", ANY, Rule::Default("Test subject"), "Subject"),
    Field::new("message", ANY, Rule::Default("This is a test message."), "Text"),
    Field::new(
        "parameters",
        FieldType::List(PARAMETER),
        Rule::Optional,
        "In place of those of the media type; if omitted macros of the message are resolved in them",
    ),
];

/// For super admins only: the exchange holds data that only they may see.
pub(super) fn run(ctx: &Ctx, body: &Value) -> Result<Value, ApiError> {
    let fields = object_at_root(REQUEST, body)?;
    if !ctx.is_super_admin() {
        return Err(ApiError::no_permissions());
    }
    let id = id_of(&fields, "mediatypeid").unwrap_or_default();
    let kind = ctx.snapshot.documents.get("mediatype", id);
    let kind = kind.ok_or_else(ApiError::no_permissions)?;
    let text = |name: &str| str_of(&fields, name).to_owned();
    let given = body.get("parameters").map(|_| {
        let list = list_of(&fields, "parameters");
        list.map(|it| (str_of(it, "name").to_owned(), str_of(it, "value").to_owned())).collect()
    });
    let trial = MessageTrial {
        media_type: id,
        body: kind.body.clone(),
        is_script: kind.text("type") == SCRIPT,
        sendto: text("sendto"),
        subject: text("subject"),
        message: text("message"),
        parameters: given,
    };
    let report = ctx.ports().messages.try_message(&trial);
    let exchange: Vec<Value> =
        report.exchange.iter().map(|(by, text)| json!({"by": by, "text": text})).collect();
    let names: Vec<String> =
        parameters(&kind.body).iter().map(|(name, _)| name.to_string()).collect();
    let (result, error) = match report.result {
        Ok(it) => (json!(it), Value::Null),
        Err(it) => (Value::Null, json!(it)),
    };
    Ok(json!({"result": result, "error": error, "exchange": exchange, "parameters": names}))
}
