//! Single objects, several in a request where the device can.
//!
//! How many fit is learned by device: a request that is too big, or that a device which lives does
//! not answer, is halved; full requests that succeed let the number grow again slowly. An object
//! that a v1 device does not know costs one more request for the others.

use wire::snmp::{ErrorStatus, Oid, Pdu, Varbind, to_text};

use super::session::{Failure, Session, status_text};

/// Most objects in a request: an answer with counters then fits one Ethernet frame.
pub(super) const OBJECTS_MAX: usize = 60;

/// The text of an object, or why there is none.
pub(super) type Got = Result<String, Failure>;

/// Asks for objects, at most `*size` at once; changes `size` by what the device can. Results in the
/// order of `oids`.
pub(super) async fn get_all(session: &Session<'_>, oids: &[Oid], size: &mut usize) -> Vec<Got> {
    let mut results: Vec<Option<Got>> = oids.iter().map(|_| None).collect();
    let mut todo: Vec<usize> = (0..oids.len()).rev().collect();
    let (mut lives, known_size) = (false, *size);
    while !todo.is_empty() {
        let n = todo.len().min(if session.bulk { *size } else { 1 });
        let group: Vec<usize> = todo.iter().rev().take(n).copied().collect();
        let asked = group.iter().filter_map(|it| oids.get(*it));
        match session.get(asked.clone().map(Oid::as_ref)).await {
            Ok(answer) => {
                lives = true;
                let judged = match answer.pdu() {
                    Ok(pdu) => judge(&pdu, &asked.collect::<Vec<_>>()),
                    Err(failure) => Judged::All(vec![Err(failure); n]),
                };
                match judged {
                    Judged::All(values) => {
                        for (at, value) in group.iter().zip(values) {
                            results[*at] = Some(value);
                        }
                        todo.truncate(todo.len() - n);
                        *size = if n == *size { (*size + 1).min(OBJECTS_MAX) } else { *size };
                    }
                    Judged::One(position, failure) => {
                        let at = group[position];
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
    All(Vec<Got>),
    /// The object at this position spoiled the request.
    One(usize, Failure),
    TooBig,
}

fn judge(pdu: &Pdu<'_>, asked: &[&Oid]) -> Judged {
    let status = pdu.error_status();
    let all = |reason: String| Judged::All(vec![Err(Failure::NotSupported(reason)); asked.len()]);
    if status == ErrorStatus::NO_ERROR {
        let varbinds: Result<Vec<_>, _> = pdu.varbinds.collect();
        return match varbinds {
            Ok(it) if it.len() == asked.len() => {
                Judged::All(it.iter().zip(asked).map(|(it, oid)| value(it, oid)).collect())
            }
            Ok(_) if 1 < asked.len() => Judged::TooBig,
            Ok(it) => all(format!("Invalid answer: {} objects instead of one.", it.len())),
            Err(error) => all(format!("Invalid answer: {error}.")),
        };
    }
    if 1 < asked.len() {
        return match pdu.error_position().filter(|it| *it < asked.len()) {
            Some(position) if status != ErrorStatus::TOO_BIG => {
                Judged::One(position, Failure::NotSupported(status_text(status)))
            }
            _ => Judged::TooBig,
        };
    }
    all(status_text(status))
}

fn value(varbind: &Varbind<'_>, asked: &Oid) -> Got {
    if varbind.oid != asked.as_ref() {
        let reason = format!("Invalid answer: asked for {asked}, got {}.", varbind.oid);
        return Err(Failure::NotSupported(reason));
    }
    to_text(&varbind.value).map_err(|error| Failure::NotSupported(error.to_string()))
}
