//! Parameters of media types: the input of webhooks and scripts from a message.
//!
//! Their macros are replaced when the message is sent. They may contain secrets, so the result is
//! kept nowhere: it is not in the table of alerts, and errors of a sender have asterisks in place
//! of secrets.

use std::sync::Arc;

use crate::message_facts::{AlertFacts, FactSources};
use alert::macros::{AlertTexts, MessageContext, SecretMode, expand};
use db::alerts::Alert;
use db::objects::mediatype;
use lang::macros::SECRET;
use model::Time;
use model::document::Body;
use serde_json::{Map, Value as Json};

use crate::about::context;
use crate::senders::outbound::MessageError;

/// Secrets that are shorter are found in any text.
const MASKED_CHARS_MIN: usize = 4;

/// Parameters of one message, and the secrets in them.
pub(super) struct Expanded {
    /// As senders take them: of webhooks an object, of scripts a list; nothing where there are none.
    pub(super) json: String,
    secrets: Vec<Arc<str>>,
}

impl Expanded {
    /// # Errors
    /// A secret is unavailable, or the database does not answer: it may work later.
    pub(super) fn of(
        sources: &FactSources,
        kind: &Body,
        alert: &Alert,
        now: Time,
    ) -> Result<Self, MessageError> {
        let named = mediatype::parameters(kind);
        if named.is_empty() || !alert.parameters.is_empty() {
            return Ok(Self { json: alert.parameters.clone(), secrets: Vec::new() });
        }
        let snapshot = sources.db.snapshot();
        let context = context(sources, &snapshot, alert).map_err(MessageError::Failed)?;
        // Of a deleted event, and of a digest, the facts of the message itself.
        let mut context = context.unwrap_or_else(MessageContext::without_subject);
        context.user = alert.user;
        context.alert = Some(AlertTexts {
            sendto: alert.sendto.clone(),
            subject: alert.subject.clone(),
            message: alert.message.clone(),
        });
        context.secrets = SecretMode::Shown;
        let facts = AlertFacts::new(sources, context, now);
        let is_webhook = kind.get("type").and_then(Json::as_str) == Some(mediatype::WEBHOOK);
        let values =
            named.into_iter().map(|(name, value)| (name, Json::from(expand(value, &facts))));
        let json = if is_webhook {
            Json::Object(values.map(|(name, it)| (name.to_string(), it)).collect::<Map<_, _>>())
        } else {
            values.map(|(_, it)| it).collect()
        };
        facts.has_all_secrets().map_err(MessageError::Failed)?;
        Ok(Self { json: json.to_string(), secrets: facts.secrets() })
    }

    /// Why a message was not sent, without secrets.
    pub(super) fn masked(&self, error: MessageError) -> MessageError {
        let long = self.secrets.iter().filter(|it| MASKED_CHARS_MIN <= it.chars().count());
        let mask = |text: String| long.clone().fold(text, |text, it| text.replace(&**it, SECRET));
        error.map(mask)
    }
}
