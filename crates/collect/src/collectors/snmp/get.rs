//! Single objects, several in a request where the device can.
//!
//! How many fit is learned by device: a request that is too big, or that a device which lives does
//! not answer, is halved; full requests that succeed let the number grow again slowly. An object
//! that a v1 device does not know costs one more request for the others.

use std::borrow::Cow;

use model::batch::OwnedRaw;
use wire::snmp::{ErrorStatus, Oid, OidRef, Pdu, Value, Varbind, to_text};

use super::super::request::CheckResult;
use super::session::{Answer, Failure, Session, status_text};
use crate::ports::not_supported;

/// Most objects in a request: an answer with counters then fits one Ethernet frame.
pub(super) const OBJECTS_MAX: usize = 60;

/// The value of an object, a number or a text, or why there is none.
pub(super) type Got = Result<OwnedRaw, Failure>;
/// What a device answered to a request.
pub(super) type Answered = Result<Answer, Failure>;

/// Asks for objects, at most `*size` at once; changes `size` by what the device can. Results in the
/// order of `oids`.
pub(super) async fn get_all(session: &Session<'_>, oids: &[Oid], size: &mut usize) -> Vec<Got> {
    go_on(session, oids, None, size).await
}

/// As [`get_all`], where all have been asked for at once already: goes on from the answer.
pub(super) async fn go_on(
    session: &Session<'_>,
    oids: &[Oid],
    mut first: Option<Answered>,
    size: &mut usize,
) -> Vec<Got> {
    let mut results: Vec<Option<Got>> = oids.iter().map(|_| None).collect();
    let mut todo: Vec<usize> = (0..oids.len()).rev().collect();
    let (mut lives, known_size) = (false, *size);
    while !todo.is_empty() {
        let first = first.take();
        let n_max = if session.bulk { *size } else { 1 };
        let n = if first.is_some() { todo.len() } else { todo.len().min(n_max) };
        let group = &todo[todo.len() - n..];
        let asked = group.iter().rev().filter_map(|it| oids.get(*it)).map(Oid::as_ref);
        let answered = match first {
            Some(answered) => answered,
            None => session.get(asked).await,
        };
        match answered {
            Ok(answer) => {
                lives = true;
                let judged = match answer.pdu() {
                    Ok(pdu) => judge(&pdu, (oids, group), &mut results),
                    Err(failure) => Judged::None(failure),
                };
                match judged {
                    Judged::All => {
                        todo.truncate(todo.len() - n);
                        *size = if n == *size { (*size + 1).min(OBJECTS_MAX) } else { *size };
                    }
                    Judged::None(failure) => {
                        group.iter().for_each(|at| results[*at] = Some(Err(failure.clone())));
                        todo.truncate(todo.len() - n);
                        *size = if n == *size { (*size + 1).min(OBJECTS_MAX) } else { *size };
                    }
                    Judged::One(at, failure) => {
                        results[at] = Some(Err(failure));
                        todo.retain(|it| *it != at);
                    }
                    Judged::TooBig => *size = (n / 2).max(1),
                }
            }
            // Some devices drop what is too big for them: ask for less, once we know that it lives.
            Err(Failure::Network(_)) if 1 < n => *size = if lives { n / 2 } else { 1 },
            Err(failure) => {
                if !lives {
                    // Nothing was learned but that nobody answers.
                    *size = known_size;
                }
                for at in todo.drain(..) {
                    results[at] = Some(Err(failure.clone()));
                }
            }
        }
    }
    results.into_iter().map(|it| it.unwrap_or(Err(Failure::NotMade))).collect()
}

enum Judged {
    /// Each object has its result.
    All,
    /// The answer says nothing of any.
    None(Failure),
    /// This object spoiled the request.
    One(usize, Failure),
    TooBig,
}

/// What an answer says of the objects in `group`, which is the last to be asked first.
fn judge(pdu: &Pdu<'_>, (oids, group): (&[Oid], &[usize]), results: &mut [Option<Got>]) -> Judged {
    let none = |reason: String| Judged::None(Failure::NotSupported(reason));
    let status = pdu.error_status();
    if status == ErrorStatus::NO_ERROR {
        let mut n = 0;
        for (varbind, at) in pdu.varbinds.zip(group.iter().rev()) {
            match varbind {
                Ok(varbind) => results[*at] = Some(value(&varbind, oids[*at].as_ref())),
                Err(error) => return none(format!("Invalid answer: {error}.")),
            }
            n += 1;
        }
        let n_all = n + pdu.varbinds.skip(n).count();
        return match n_all {
            _ if n_all == group.len() => Judged::All,
            _ if 1 < group.len() => Judged::TooBig,
            _ => none(format!("Invalid answer: {n_all} objects instead of one.")),
        };
    }
    if 1 < group.len() {
        let spoiled = pdu.error_position().and_then(|it| group.iter().rev().nth(it));
        return match spoiled {
            Some(at) if status != ErrorStatus::TOO_BIG => {
                Judged::One(*at, Failure::NotSupported(status_text(status)))
            }
            _ => Judged::TooBig,
        };
    }
    none(status_text(status))
}

/// What is bound to an object. Whole numbers stay numbers: those who want their text make it.
pub(super) fn value(varbind: &Varbind<'_>, asked: OidRef<'_>) -> Got {
    if varbind.oid != asked {
        let reason = format!("Invalid answer: asked for {asked}, got {}.", varbind.oid);
        return Err(Failure::NotSupported(reason));
    }
    let number = match varbind.value {
        Value::Integer(it) => u64::try_from(it).ok(),
        Value::Counter32(it) | Value::Gauge32(it) | Value::TimeTicks(it) => Some(it.into()),
        Value::Counter64(it) => Some(it),
        _ => None,
    };
    if let Some(number) = number {
        return Ok(OwnedRaw::Unsigned(number));
    }
    let text = to_text(&varbind.value);
    text.map(OwnedRaw::Text).map_err(|error| Failure::NotSupported(error.to_string()))
}

/// As what a check gave.
pub(super) fn result_of(got: Got) -> CheckResult {
    match got {
        Ok(value) => CheckResult::Answer(value),
        Err(Failure::NotSupported(reason)) => CheckResult::Answer(not_supported(reason)),
        Err(Failure::Network(reason)) => CheckResult::NetworkError(reason),
        Err(Failure::NotMade) => CheckResult::NotMade,
    }
}

/// The text of a value.
pub(super) fn text_of(value: &OwnedRaw) -> Cow<'_, str> {
    match value {
        OwnedRaw::Text(it) | OwnedRaw::Error(it) => Cow::Borrowed(it),
        OwnedRaw::Unsigned(it) => Cow::Owned(it.to_string()),
        OwnedRaw::Float(it) => Cow::Owned(it.to_string()),
        OwnedRaw::Nothing => Cow::Borrowed(""),
    }
}
