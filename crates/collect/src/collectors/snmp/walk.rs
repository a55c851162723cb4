//! Subtrees: as text in the form of net-snmp's `snmpwalk -Oe -Ot -On`, and as rows for discovery.

use std::time::Duration;

use model::map::Map;
use serde_json::{Map as Object, Value as Json};
use tokio::time::timeout;
use wire::snmp::{ErrorStatus, Oid, OidRef, Value, to_text};

use super::session::{Failure, Session, status_text};
use super::told::write_line;

/// Objects of one walk: tables of the largest switches have some 100,000.
const OBJECTS_MAX: usize = 500_000;
/// Text of one walk; items hold no more.
const TEXT_BYTES_MAX: usize = 16 << 20;
/// A walk that takes longer is given up: the next one is due.
const TIME_MAX: Duration = Duration::from_secs(300);

/// A walk, given up when it takes too long.
pub(super) async fn in_time<T>(
    walk: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    timeout(TIME_MAX, walk).await.unwrap_or_else(|_elapsed| {
        let reason = format!("The walk takes more than {} s.", TIME_MAX.as_secs());
        Err(Failure::NotSupported(reason))
    })
}

/// Everything below `oids`, one line each.
pub(super) async fn walk_text(session: &Session<'_>, oids: &[Oid]) -> Result<String, Failure> {
    let mut text = String::new();
    for root in oids {
        let before = text.len();
        walk(session, root, &mut |oid, value| {
            if !text.is_empty() {
                text.push('\n');
            }
            write_line(oid, value, &mut text);
            text.len() <= TEXT_BYTES_MAX
        })
        .await?;
        if text.len() == before {
            // Nothing below: the name may be an object itself, as snmpwalk sees it.
            let answer = session.get(std::iter::once(root.as_ref())).await?;
            let pdu = answer.pdu()?;
            if pdu.error_status() != ErrorStatus::NO_ERROR {
                return Err(Failure::NotSupported(status_text(pdu.error_status())));
            }
            for varbind in pdu.varbinds.flatten() {
                to_text(&varbind.value).map_err(|it| Failure::NotSupported(it.to_string()))?;
                if !text.is_empty() {
                    text.push('\n');
                }
                write_line(varbind.oid, &varbind.value, &mut text);
            }
        }
    }
    Ok(text)
}

/// The rows of a table: one for each index that any column has, in the order of the device.
pub(super) async fn discover(
    session: &Session<'_>,
    columns: &[(String, Oid)],
) -> Result<String, Failure> {
    let mut rows: Vec<Object<String, Json>> = Vec::new();
    let mut by_index: Map<String, usize> = Map::default();
    for (name, root) in columns {
        walk(session, root, &mut |oid, value| {
            let (Some(suffix), Ok(text)) = (oid.suffix(root.as_ref()), to_text(value)) else {
                return true;
            };
            let index = suffix.map(|it| it.to_string()).collect::<Vec<_>>().join(".");
            let row = *by_index.entry(index).or_insert_with_key(|index| {
                let mut row = Object::new();
                row.insert("{#SNMPINDEX}".to_owned(), index.as_str().into());
                rows.push(row);
                rows.len() - 1
            });
            rows[row].insert(name.clone(), text.into());
            true
        })
        .await?;
    }
    Ok(Json::Array(rows.into_iter().map(Json::Object).collect()).to_string())
}

/// Gives everything below `root` to `each`, until it says no.
pub(super) async fn walk(
    session: &Session<'_>,
    root: &Oid,
    each: &mut (dyn FnMut(OidRef<'_>, &Value<'_>) -> bool + Send),
) -> Result<(), Failure> {
    let mut last = root.clone();
    let mut repetitions = session.max_repetitions;
    let mut n_objects = 0;
    loop {
        let answer = session.next(&last, repetitions).await?;
        let pdu = answer.pdu()?;
        match pdu.error_status() {
            ErrorStatus::NO_ERROR => {}
            // v1 has no other way to say that the tree ends.
            ErrorStatus::NO_SUCH_NAME => return Ok(()),
            ErrorStatus::TOO_BIG if 1 < repetitions => {
                repetitions /= 2;
                continue;
            }
            status => return Err(Failure::NotSupported(status_text(status))),
        }
        let mut is_empty = true;
        for varbind in pdu.varbinds {
            let varbind =
                varbind.map_err(|it| Failure::NotSupported(format!("Invalid answer: {it}.")))?;
            if varbind.value == Value::EndOfMibView || !varbind.oid.starts_with(root.as_ref()) {
                return Ok(());
            }
            if varbind.oid <= last.as_ref() {
                let reason = format!("OID not increasing: {last} then {}.", varbind.oid);
                return Err(Failure::NotSupported(reason));
            }
            n_objects += 1;
            if OBJECTS_MAX < n_objects || !each(varbind.oid, &varbind.value) {
                let reason = "The walk gives more than an item can hold.".to_owned();
                return Err(Failure::NotSupported(reason));
            }
            last = varbind.oid.to_owned();
            is_empty = false;
        }
        if is_empty {
            return Ok(());
        }
    }
}
