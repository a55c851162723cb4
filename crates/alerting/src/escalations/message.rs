//! The texts of messages.

use alert::EventSource;
use alert::escalation::MessageMode;
use alert::macros::{MessageFacts, expand};
use alert::operation::MessageText;
use db::objects::mediatype::message_template;
use model::document::Document;

/// Subject and text with their macros; `None`: the media type has no message for it, and none is sent.
pub(super) fn texts(
    facts: &dyn MessageFacts,
    (text, mode): (&MessageText, MessageMode<'_>),
    (source, media_type): (EventSource, Option<&Document>),
) -> Option<(String, String)> {
    let code = match mode {
        MessageMode::Problem | MessageMode::Canceled { .. } => 0,
        MessageMode::Recovery(_) => 1,
        MessageMode::Update { .. } => 2,
    };
    let (subject, message) = match (text, media_type) {
        (MessageText::Own { subject, message }, _) => (subject.as_str(), message.as_str()),
        (MessageText::Default, Some(it)) => message_template(&it.body, source.code(), code)?,
        (MessageText::Default, None) => return Some((String::new(), String::new())),
    };
    Some((expand(subject, facts), expand(message, facts)))
}
