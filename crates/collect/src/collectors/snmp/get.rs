//! Single objects, several in a request if the device supports it.
//!
//! The number of objects per request is learned by device: a request that is too big, or that a
//! responsive device does not answer, is halved; full requests that succeed let the number grow
//! again slowly. An object that a v1 device does not know costs one more request for the others.
//!
//! Devices answer in many ways. Values are matched to their objects by name, in any order. Every
//! error but *noSuchName* may mean that the request had too many objects, whatever its index, so
//! only a request of one object assigns the error to that object. Such a request takes the value
//! under any name: the request id proves that it is the answer.

use std::borrow::Cow;

use model::batch::OwnedRaw;
use wire::snmp::{ErrorStatus, Octets, Pdu, Value, Varbind, to_text_as};

use super::super::request::CheckResult;
use super::key::Object;
use super::session::{Answer, Failure, Session, status_text};
use crate::ports::not_supported;

/// Most objects in a request: an answer with counters then fits one Ethernet frame.
pub(super) const OBJECTS_MAX: usize = 60;

/// How often in a row of requests the number of objects returns to its earlier value, because one
/// object and not the number was the cause: each time costs a search for that object.
const RETURNS_MAX: u32 = 3;

/// The value of an object, a number or a text, or the reason why there is none.
pub(super) type Got = Result<OwnedRaw, Failure>;
/// A device's answer to a request.
pub(super) type Answered = Result<Answer, Failure>;

/// Asks for objects, at most `*size` at once; adjusts `size` to the device. Results in the order of
/// `objects`.
pub(super) async fn get_all(
    session: &Session<'_>,
    objects: &[Object],
    size: &mut usize,
) -> Vec<Got> {
    go_on(session, objects, None, size).await
}

/// As [`get_all`], if all have been asked for at once already: continues from the answer.
pub(super) async fn go_on(
    session: &Session<'_>,
    objects: &[Object],
    mut first: Option<Answered>,
    size: &mut usize,
) -> Vec<Got> {
    let mut results: Vec<Option<Got>> = objects.iter().map(|_| None).collect();
    let mut todo: Vec<usize> = (0..objects.len()).rev().collect();
    let mut learned = Learned { size, before: None, returns_left: RETURNS_MAX };
    let (mut lives, known_size) = (false, *learned.size);
    while !todo.is_empty() {
        let first = first.take();
        let n_max = if session.bulk { *learned.size } else { 1 };
        let n = if first.is_some() { todo.len() } else { todo.len().min(n_max) };
        let group = &todo[todo.len() - n..];
        let asked = group.iter().rev().filter_map(|it| objects.get(*it)).map(|it| it.oid.as_ref());
        let answered = match first {
            Some(answered) => answered,
            None => session.get(asked).await,
        };
        match answered {
            Ok(answer) => {
                lives = true;
                let judged = match answer.pdu() {
                    Ok(pdu) => judge(&pdu, (objects, group), &mut results),
                    Err(failure) => Judged::None(failure),
                };
                learned.from(&judged, n);
                match judged {
                    Judged::All | Judged::Odd => todo.truncate(todo.len() - n),
                    Judged::None(failure) => {
                        group.iter().for_each(|at| results[*at] = Some(Err(failure.clone())));
                        todo.truncate(todo.len() - n);
                    }
                    Judged::Some(_) => todo.retain(|it| results[*it].is_none()),
                    Judged::One(at, failure) => {
                        results[at] = Some(Err(failure));
                        todo.retain(|it| *it != at);
                    }
                    Judged::TooMany => {}
                }
            }
            // Some devices drop requests that are too big: ask for less, once the device has
            // answered.
            Err(Failure::Network(_)) if 1 < n => {
                *learned.size = if lives { n / 2 } else { 1 };
            }
            Err(failure) => {
                if !lives {
                    // Silence says nothing about the size of requests.
                    *learned.size = known_size;
                }
                for at in todo.drain(..) {
                    results[at] = Some(Err(failure.clone()));
                }
            }
        }
    }
    results.into_iter().map(|it| it.unwrap_or(Err(Failure::NotMade))).collect()
}

/// The number of objects that a device takes at once.
struct Learned<'a> {
    size: &'a mut usize,
    /// The number before an answer reduced it; the next answer may show that one object was the
    /// cause.
    before: Option<usize>,
    returns_left: u32,
}

impl Learned<'_> {
    /// From the answer to a request of `n` objects.
    fn from(&mut self, judged: &Judged, n: usize) {
        match judged {
            Judged::None(_) | Judged::Odd if 0 < self.returns_left && self.before.is_some() => {
                self.returns_left -= 1;
                *self.size = self.before.take().unwrap_or(n);
            }
            Judged::All | Judged::None(_) | Judged::Odd if n == *self.size => {
                *self.size = (n + 1).min(OBJECTS_MAX);
            }
            Judged::All | Judged::None(_) | Judged::Odd | Judged::One(..) => {}
            Judged::Some(n_taken) => {
                self.before = self.before.or(Some(*self.size));
                *self.size = *n_taken;
            }
            Judged::TooMany => {
                self.before = self.before.or(Some(*self.size));
                *self.size = (n / 2).max(1);
            }
        }
    }
}

enum Judged {
    /// Each object has its result.
    All,
    /// The only object has its result, under another name.
    Odd,
    /// The number of objects with a result, at least one; the answer has none for the others.
    Some(usize),
    /// The answer has no result for any object.
    None(Failure),
    /// This object made the request fail.
    One(usize, Failure),
    /// Fewer objects may have an answer.
    TooMany,
}

/// Reads the objects in `group` from an answer; the group is the last to be asked first.
fn judge(
    pdu: &Pdu<'_>,
    (objects, group): (&[Object], &[usize]),
    results: &mut [Option<Got>],
) -> Judged {
    let status = pdu.error_status();
    if let [at] = group {
        let none = |reason: String| Judged::None(Failure::NotSupported(reason));
        if status != ErrorStatus::NO_ERROR {
            return none(status_text(status));
        }
        let mut bound = pdu.varbinds;
        return match (bound.next(), bound.count()) {
            (Some(Ok(varbind)), 0) => {
                let is_odd = varbind.oid != objects[*at].oid.as_ref();
                results[*at] = Some(value(&varbind, objects[*at].octets));
                if is_odd { Judged::Odd } else { Judged::All }
            }
            (Some(Err(error)), _) => none(format!("Invalid answer: {error}.")),
            (None, _) => none("Invalid answer: 0 objects instead of one.".to_owned()),
            (_, n) => none(format!("Invalid answer: {} objects instead of one.", n + 1)),
        };
    }
    if status == ErrorStatus::NO_ERROR {
        return match take(pdu, (objects, group), results) {
            0 => Judged::TooMany,
            n if n == group.len() => Judged::All,
            n => Judged::Some(n),
        };
    }
    let spoiled = pdu.error_position().and_then(|it| group.iter().rev().nth(it));
    match spoiled {
        Some(at) if status == ErrorStatus::NO_SUCH_NAME => {
            Judged::One(*at, Failure::NotSupported(status_text(status)))
        }
        _ => Judged::TooMany,
    }
}

/// Takes the values of the objects in `group` from an answer to all of them; returns how many it
/// has.
fn take(
    pdu: &Pdu<'_>,
    (objects, group): (&[Object], &[usize]),
    results: &mut [Option<Got>],
) -> usize {
    let mut asked = group.iter().rev();
    let mut strays = Vec::new();
    let mut n = 0;
    for varbind in pdu.varbinds {
        let at = asked.next();
        // After damage the rest is unreadable.
        let Ok(varbind) = varbind else { break };
        match at.filter(|it| objects[**it].oid.as_ref() == varbind.oid) {
            Some(at) => {
                results[*at] = Some(value(&varbind, objects[*at].octets));
                n += 1;
            }
            None => strays.push(varbind),
        }
    }
    // In another order than requested.
    for varbind in strays.iter().take(OBJECTS_MAX) {
        let is_its =
            |it: &&usize| results[**it].is_none() && objects[**it].oid.as_ref() == varbind.oid;
        if let Some(at) = group.iter().rev().find(is_its) {
            results[*at] = Some(value(varbind, objects[*at].octets));
            n += 1;
        }
    }
    n
}

/// The value of an object. Whole numbers stay numbers: callers that want text convert them.
pub(super) fn value(varbind: &Varbind<'_>, octets: Octets) -> Got {
    let number = match varbind.value {
        Value::Integer(it) => u64::try_from(it).ok(),
        Value::Counter32(it) | Value::Gauge32(it) | Value::TimeTicks(it) => Some(it.into()),
        Value::Counter64(it) => Some(it),
        _ => None,
    };
    if let Some(number) = number {
        return Ok(OwnedRaw::Unsigned(number));
    }
    let text = to_text_as(&varbind.value, octets);
    text.map(OwnedRaw::Text).map_err(|error| Failure::NotSupported(error.to_string()))
}

/// As the result of a check.
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
