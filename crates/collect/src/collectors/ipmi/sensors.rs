//! The sensors of a device: their records and readings.

use std::time::Duration;

use model::batch::OwnedRaw;
use rt::clock::{Clock, nanos};
use serde_json::{Map, Value as Json, json};
use tokio::time::sleep;
use wire::ipmi::{
    CHASSIS_STATUS, NetFn, Sensor, SensorReading, Thresholds, completion_text, is_powered,
    record_len,
};

use super::device::{Device, Failure, Known};
use super::transcript;
use crate::ports::CheckAnswer;
use crate::transcript::LineKind;

/// Records are read again after this time.
const KNOWN_MAX: Duration = Duration::from_secs(3_600);
/// Shortest time between readings of the records for items whose sensor is not among them: a wrong
/// name in an item costs no more.
const REREAD_EACH: Duration = Duration::from_secs(60);
const RECORDS_MAX: usize = 4_096;
/// Bytes of a record in one answer: as many as every device supports, and fewer for a device that
/// refuses so many.
const PART_MAX: u8 = 32;
const PART_MIN: u8 = 8;
const HEAD: u8 = 5;
const LAST: u16 = 0xffff;
/// Records have changed, or another session has reserved them: they have to be reserved again.
const RESERVATION_LOST: u8 = 0xc5;
/// Lost reservations in a row for one record. With more, the check fails.
const LOST_MAX: u32 = 16;
/// The longest pause after the first loss; it doubles with each, up to the second one here.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(200));
const CANNOT_SO_MANY: u8 = 0xca;
const NO_SUCH_COMMAND: u8 = 0xc1;
const GET_READING: u8 = 0x2d;
const GET_THRESHOLDS: u8 = 0x27;
/// The control that can be read, unless a sensor has its name.
const POWER: &str = "power";
/// The other control of a chassis in OpenIPMI.
const RESET: &str = "reset";
/// The repository of records: commands that reserve and get them.
const REPOSITORY: (NetFn, u8, u8) = (NetFn::Storage, 0x22, 0x23);
const OF_DEVICE: (NetFn, u8, u8) = (NetFn::Sensor, 0x22, 0x21);

/// The value that an item asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    All,
    /// A sensor by its id, or a control by its name.
    Any(String),
    Id(String),
    Name(String),
}

impl Device {
    /// The value of an item.
    pub(super) async fn get(
        &mut self,
        wanted: &Wanted,
        clock: &Clock,
    ) -> Result<CheckAnswer, Failure> {
        let is_old = |it: &Known, max| nanos(max) < clock.mono_ns().saturating_sub(it.read_ns);
        if self.known.as_ref().is_none_or(|it| is_old(it, KNOWN_MAX)) {
            self.read_records(clock).await?;
        }
        if *wanted == Wanted::All {
            return self.get_all(clock).await;
        }
        let is_control = matches!(wanted, Wanted::Any(it) if it == POWER || it == RESET);
        if self.find(wanted).is_none()
            && !is_control
            && self.known.as_ref().is_some_and(|it| is_old(it, REREAD_EACH))
        {
            self.read_records(clock).await?;
        }
        let Some(sensor) = self.find(wanted).cloned() else {
            return Err(Failure::NotSupported(match wanted {
                Wanted::Any(it) | Wanted::Id(it) if it.is_empty() => {
                    "The item names no IPMI sensor.".to_owned()
                }
                Wanted::Any(it) if it == POWER => return self.power(clock).await,
                Wanted::Any(it) if it == RESET => {
                    format!("The control \"{it}\" cannot be read.")
                }
                Wanted::Any(id) | Wanted::Id(id) => {
                    format!("The device has no sensor with the id \"{id}\".")
                }
                Wanted::Name(name) => format!("The device has no sensor with the name \"{name}\"."),
                Wanted::All => String::new(),
            }));
        };
        match self.read(&sensor, clock).await? {
            SensorReading::Value(value, _) => Ok(OwnedRaw::Float(value)),
            SensorReading::States(states) => Ok(OwnedRaw::Unsigned(states.into())),
            SensorReading::Unavailable => {
                Err(Failure::NotSupported("Sensor data is not available.".to_owned()))
            }
        }
    }

    fn find(&self, wanted: &Wanted) -> Option<&Sensor> {
        let sensors = &self.known.as_ref()?.sensors;
        sensors.iter().find(|it| match wanted {
            Wanted::Any(id) | Wanted::Id(id) => it.id == *id,
            Wanted::Name(name) => it.name == *name,
            Wanted::All => false,
        })
    }

    /// Whether the power of the chassis is on.
    async fn power(&mut self, clock: &Clock) -> Result<CheckAnswer, Failure> {
        self.record(LineKind::Sent, || "Get Chassis Status".to_owned());
        let (code, data) = self.exchange((NetFn::Chassis, CHASSIS_STATUS, 0), &[], clock).await?;
        self.record(LineKind::Received, || transcript::answer(code, &data));
        if code != 0 {
            let why = completion_text(code);
            return Err(Failure::NotSupported(format!("Cannot read control \"{POWER}\": {why}.")));
        }
        is_powered(&data).map(|it| OwnedRaw::Unsigned(it.into())).ok_or_else(damaged)
    }

    async fn read(&mut self, sensor: &Sensor, clock: &Clock) -> Result<SensorReading, Failure> {
        let command = (NetFn::Sensor, GET_READING, sensor.lun);
        self.record(LineKind::Sent, || {
            format!("Get Sensor Reading of {}", transcript::sensor(sensor))
        });
        let (code, data) = self.exchange(command, &[sensor.number], clock).await?;
        let reading = if code == 0 { sensor.reading(&data) } else { None };
        self.record(LineKind::Received, || {
            let answer = transcript::answer(code, &data);
            reading.map_or_else(
                || answer.clone(),
                |it| format!("{answer}: {}", transcript::reading(sensor, it)),
            )
        });
        if code != 0 {
            let why = completion_text(code);
            return Err(Failure::NotSupported(format!(
                "Cannot read sensor \"{}\": {why}.",
                sensor.id
            )));
        }
        reading.ok_or_else(damaged)
    }

    /// All sensors that have a value, as JSON.
    async fn get_all(&mut self, clock: &Clock) -> Result<CheckAnswer, Failure> {
        let sensors = self.known.as_ref().map_or(Vec::new(), |it| it.sensors.clone());
        let mut all = Vec::new();
        for sensor in &sensors {
            let reading = match self.read(sensor, clock).await {
                Ok(SensorReading::Unavailable) | Err(Failure::NotSupported(_)) => continue,
                reading => reading?,
            };
            let thresholds = match reading {
                SensorReading::Value(..) => {
                    let command = (NetFn::Sensor, GET_THRESHOLDS, sensor.lun);
                    self.record(LineKind::Sent, || {
                        format!("Get Sensor Thresholds of {}", transcript::sensor(sensor))
                    });
                    let (code, data) = self.exchange(command, &[sensor.number], clock).await?;
                    self.record(LineKind::Received, || transcript::answer(code, &data));
                    // Some sensors have no thresholds.
                    sensor.thresholds(if code == 0 { &data } else { &[] })
                }
                _ => Thresholds::default(),
            };
            all.push(described(sensor, reading, thresholds));
        }
        Ok(OwnedRaw::Text(Json::Array(all).to_string()))
    }

    async fn read_records(&mut self, clock: &Clock) -> Result<(), Failure> {
        let mut sensors = Vec::new();
        let mut from = REPOSITORY;
        let mut reservation = match self.reserve(from, clock).await? {
            Ok(reservation) => reservation,
            // A controller without a repository has its own records only.
            Err(NO_SUCH_COMMAND) => {
                from = OF_DEVICE;
                self.reserve(from, clock).await?.map_err(no_records)?
            }
            Err(code) => return Err(no_records(code)),
        };
        let (mut id, mut n_lost, mut part_max) = (0, 0, PART_MAX);
        for _ in 0..RECORDS_MAX {
            let got = self.read_record((from, reservation), id, &mut part_max, clock).await?;
            match got {
                Ok((next, record)) => {
                    if Sensor::is_reached(&record) {
                        sensors.extend(Sensor::of_record(&record));
                    }
                    if next == LAST || next == id {
                        break;
                    }
                    (id, n_lost) = (next, 0);
                }
                Err(RESERVATION_LOST) if n_lost < LOST_MAX => {
                    // Two sessions that read take the reservation from each other: in step, neither
                    // would finish.
                    sleep(pause(n_lost)).await;
                    n_lost += 1;
                    reservation = self.reserve(from, clock).await?.map_err(no_records)?;
                }
                Err(code) => return Err(no_records(code)),
            }
        }
        self.record(LineKind::Note, || transcript::sensors(&sensors));
        self.known = Some(Known { sensors, read_ns: clock.mono_ns() });
        Ok(())
    }

    /// A reservation, or the completion code of the refusal.
    async fn reserve(
        &mut self,
        (net_fn, reserve, _): (NetFn, u8, u8),
        clock: &Clock,
    ) -> Result<Result<[u8; 2], u8>, Failure> {
        let (code, data) = self.exchange((net_fn, reserve, 0), &[], clock).await?;
        if code != 0 {
            return Ok(Err(code));
        }
        data.first_chunk().copied().map(Ok).ok_or_else(damaged)
    }

    /// The next record's id, and this record; or the completion code of the refusal.
    async fn read_record(
        &mut self,
        ((net_fn, _, get), reservation): ((NetFn, u8, u8), [u8; 2]),
        id: u16,
        part_max: &mut u8,
        clock: &Clock,
    ) -> Result<Result<(u16, Vec<u8>), u8>, Failure> {
        let (mut record, mut next, mut len) = (Vec::new(), LAST, usize::from(HEAD));
        while record.len() < len {
            let left = u8::try_from(len - record.len()).unwrap_or(u8::MAX);
            let offset = u8::try_from(record.len()).unwrap_or(u8::MAX);
            let n = left.min(*part_max);
            let [a, b] = reservation;
            let [c, d] = id.to_le_bytes();
            let (code, data) =
                self.exchange((net_fn, get, 0), &[a, b, c, d, offset, n], clock).await?;
            match code {
                0 => {}
                CANNOT_SO_MANY if PART_MIN < *part_max => {
                    *part_max /= 2;
                    continue;
                }
                code => return Ok(Err(code)),
            }
            let (following, part) = data.split_first_chunk().ok_or_else(damaged)?;
            if part.is_empty() || usize::from(n) < part.len() {
                return Err(damaged());
            }
            if record.is_empty() {
                next = u16::from_le_bytes(*following);
            }
            record.extend_from_slice(part);
            if record.len() == usize::from(HEAD) {
                len = record_len(&record).unwrap_or(len);
            }
        }
        Ok(Ok((next, record)))
    }
}

/// A random pause after so many losses in a row.
fn pause(n_lost: u32) -> Duration {
    let (first, most) = PAUSES;
    let most = first.saturating_mul(1_u32.checked_shl(n_lost).unwrap_or(u32::MAX)).min(most);
    let random = getrandom::u32().unwrap_or_default();
    most.mul_f64(f64::from(random) / f64::from(u32::MAX))
}

fn damaged() -> Failure {
    Failure::NotSupported("The device's answer is damaged.".to_owned())
}

fn no_records(code: u8) -> Failure {
    Failure::NotSupported(format!("Cannot read the sensor records: {}.", completion_text(code)))
}

/// A sensor as `ipmi.get` of Zabbix describes it.
fn described(sensor: &Sensor, reading: SensorReading, thresholds: Thresholds) -> Json {
    let ((kind, kind_text), (reading_kind, reading_text)) = (sensor.kind(), sensor.reading_kind());
    let mut all = Map::new();
    let mut put = |name: &str, value: Json| all.insert(name.to_owned(), value);
    put("id", json!(sensor.id));
    put("name", json!(sensor.name));
    put("sensor", json!({"type": kind, "text": kind_text}));
    put("reading", json!({"type": reading_kind, "text": reading_text}));
    match reading {
        SensorReading::Value(value, passed) => {
            put("state", json!({"state": passed, "text": sensor.passed_text(passed)}));
            put("value", json!(value));
            put("units", json!(sensor.units()));
            let [lower, upper] = [0, 3].map(|at| {
                let names = ["non_crit", "crit", "non_recover"].iter();
                let present = names.zip(thresholds.iter().skip(at));
                present.filter_map(|(name, it)| Some(((*name).to_owned(), json!((*it)?)))).collect()
            });
            put("threshold", json!({"lower": Json::Object(lower), "upper": Json::Object(upper)}));
        }
        SensorReading::States(states) => {
            put("state", json!({"state": states, "text": sensor.states_text(states)}));
        }
        SensorReading::Unavailable => {}
    }
    Json::Object(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_after_lost_reservations_grow_and_differ() {
        for (n_lost, most_ms) in [(0, 10), (1, 20), (4, 160), (5, 200), (LOST_MAX, 200), (99, 200)]
        {
            let pauses: Vec<_> = (0..50).map(|_| pause(n_lost)).collect();
            let most = Duration::from_millis(most_ms);
            assert!(pauses.iter().all(|it| *it <= most), "{n_lost}: {pauses:?}");
            let longest = pauses.iter().max().expect("there are some");
            assert!(most / 2 < *longest, "{n_lost}: {pauses:?}");
            assert!(pauses.iter().any(|it| it != longest), "{n_lost}: {pauses:?}");
        }
    }
}
