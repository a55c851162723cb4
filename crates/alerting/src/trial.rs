//! A test message for a media type: sent at once, with a transcript of the exchange.

use serde_json::{Map, Value as Json};

use crate::ports::{Mailer as _, MessageReport, MessageTrial, Messages};
use crate::senders::Senders;
use crate::senders::outbound::{Outbound, Said, Transcript};

impl Messages for Senders {
    fn try_message(&self, trial: &MessageTrial) -> MessageReport {
        let message = Outbound {
            alert: 0,
            problem: 0,
            clock: self.clock.wall().clock(),
            media_type: trial.media_type,
            sendto: trial.sendto.clone(),
            subject: trial.subject.clone(),
            message: trial.message.clone(),
            parameters: parameters(trial),
            is_last: true,
        };
        let transcript = Transcript::default();
        let sent = self.send(&trial.body, &message, &transcript);
        let by = |said| match said {
            Said::Us => "server",
            Said::Them => "peer",
            Said::Log => "log",
        };
        MessageReport {
            // In a test, all of several recipients have to be accepted.
            result: match sent {
                Ok(it) if it.note.is_empty() => Ok(it.returned),
                Ok(it) => Err(it.note),
                Err(error) => Err(error.into_text()),
            },
            exchange: transcript.take().into_iter().map(|(said, it)| (by(said), it)).collect(),
        }
    }
}

/// Those that were typed in, as alerts have them.
fn parameters(trial: &MessageTrial) -> String {
    let Some(given) = &trial.parameters else { return String::new() };
    if trial.is_script {
        let values: Vec<&str> = given.iter().map(|(_, value)| value.as_str()).collect();
        return Json::from(values).to_string();
    }
    let named: Map<String, Json> =
        given.iter().map(|(name, value)| (name.clone(), Json::from(value.as_str()))).collect();
    Json::Object(named).to_string()
}
