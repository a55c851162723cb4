//! The machine's clock. The time itself is part of the request: this crate has no clock.

use jiff::Timestamp;

use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[Key::small("system.localtime", 1, local_time)];

fn local_time(ask: &Ask<'_>) -> Outcome {
    let wall = Timestamp::from_nanosecond(ask.now.wall.0.into())
        .map_err(|_source| Refusal::from("Cannot obtain system time."))?;
    match ask.params.get_or(0, "utc") {
        "utc" => match u64::try_from(wall.as_second()) {
            Ok(seconds) => Ok(seconds.into()),
            Err(_before_1970) => Err(Refusal::from("Cannot obtain system time.")),
        },
        "local" => {
            let zoned = wall.to_zoned(ask.settings.time_zone.clone());
            Ok(zoned.strftime("%Y-%m-%d,%H:%M:%S.%3f,%:z").to_string().into())
        }
        _ => Err(invalid(0)),
    }
}
