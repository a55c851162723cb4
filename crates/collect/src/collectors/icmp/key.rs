//! `icmpping`, `icmppingloss`, `icmppingretry`, `icmppingsec`: parameters, and results of a series as values.

use model::batch::OwnedRaw;
use model::key::ItemKey;

use crate::ports::CheckAnswer;

/// The packets of a series. Two items with equal series of one target share it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Series {
    pub(super) packets: u16,
    pub(super) interval_ms: u32,
    /// Bytes of payload.
    pub(super) size: u16,
    pub(super) timeout_ms: u32,
    /// Replies of another address than the target's count as well.
    pub(super) takes_redirected: bool,
    /// The next packet goes when the time of the one before is over, and none after a reply. Each
    /// may take so many thousandths of the time of the one before.
    pub(super) retry_growth: Option<u32>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Figure {
    Alive,
    Loss,
    SecMin,
    SecAvg,
    SecMax,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Ping {
    /// Empty: the interface's address.
    pub(super) target: String,
    pub(super) series: Series,
    pub(super) figure: Figure,
}

/// Keys of this collector.
const KEYS: [&str; 4] = ["icmpping", "icmppingloss", "icmppingretry", "icmppingsec"];
/// Longest interval and time-out.
const MS_MAX: u32 = 0x7fff_ffff;
/// Zabbix shows no shorter times, so that 0 means "no answer".
const SEC_MIN: f64 = 0.000_1;

/// Whether a configured key is one of these.
pub(super) fn is_ping(key: &str) -> bool {
    let name = key.split('[').next().unwrap_or_default();
    KEYS.contains(&name)
}

impl Ping {
    /// # Errors
    /// The error of the item.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let key =
            ItemKey::parse(text).map_err(|_position| "Invalid item key format.".to_owned())?;
        let has_mode = key.name == "icmppingsec";
        if !KEYS.contains(&key.name.as_str()) {
            return Err("Unsupported pinger key.".to_owned());
        }
        let options_at = 5 + usize::from(has_mode);
        if options_at + 1 < key.params.len() {
            return Err("Too many arguments.".to_owned());
        }
        let figure = match (key.name.as_str(), key.param(5)) {
            ("icmpping" | "icmppingretry", _) => Figure::Alive,
            ("icmppingloss", _) => Figure::Loss,
            (_, "" | "avg") => Figure::SecAvg,
            (_, "min") => Figure::SecMin,
            (_, "max") => Figure::SecMax,
            (_, mode) => return Err(format!("Mode \"{mode}\" is not supported.")),
        };
        let takes_redirected = match key.param(options_at) {
            "" => false,
            "allow_redirect" => true,
            _ => return Err("Invalid \"options\" parameter.".to_owned()),
        };
        let is_retry = key.name == "icmppingretry";
        let packets: u16 = if is_retry {
            1 + number(&key, 1, 1, 0..=9_999, |it| {
                format!("Number of retries \"{it}\" is not between 0 and 9999.")
            })?
        } else {
            number(&key, 1, 3, 1..=10_000, |it| {
                format!("Number of packets \"{it}\" is not between 1 and 10000.")
            })?
        };
        let interval_ms = if is_retry {
            0
        } else {
            number(&key, 2, 1_000, 20..=MS_MAX, |it| {
                format!("Interval \"{it}\" should be at least 20.")
            })?
        };
        let series = Series {
            takes_redirected,
            retry_growth: if is_retry { Some(growth(key.param(2))?) } else { None },
            packets,
            interval_ms,
            size: number(&key, 3, 56, 24..=65_507, |it| {
                format!("Packet size \"{it}\" is not between 24 and 65507.")
            })?,
            timeout_ms: number(&key, 4, 500, 50..=MS_MAX, |it| {
                format!("Timeout \"{it}\" should be at least 50.")
            })?,
        };
        Ok(Self { target: key.param(0).trim().to_owned(), series, figure })
    }
}

fn number<T: std::str::FromStr + PartialOrd>(
    key: &ItemKey,
    index: usize,
    default: T,
    range: std::ops::RangeInclusive<T>,
    complain: impl Fn(&str) -> String,
) -> Result<T, String> {
    let text = key.param(index);
    if text.is_empty() {
        return Ok(default);
    }
    let is_number = text.bytes().all(|it| it.is_ascii_digit());
    let number = if is_number { text.parse().ok() } else { None };
    number.filter(|it| range.contains(it)).ok_or_else(|| complain(text))
}

/// `1.5`: thousandths.
fn growth(text: &str) -> Result<u32, String> {
    if text.is_empty() {
        return Ok(1_000);
    }
    let is_number = text.bytes().all(|it| it.is_ascii_digit() || it == b'.');
    let number = text.parse::<f64>().ok().filter(|it| is_number && (1.0..=5.0).contains(it));
    let number = number.ok_or_else(|| format!("Backoff \"{text}\" is not between 1.0 and 5.0."))?;
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "1,000 to 5,000")]
    Ok((number * 1_000.0).round() as u32)
}

/// The result of a series.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Tally {
    pub(super) sent: u32,
    pub(super) received: u32,
    pub(super) min_ns: u64,
    pub(super) max_ns: u64,
    pub(super) sum_ns: u64,
}

impl Tally {
    pub(super) fn count(&mut self, time_ns: u64) {
        self.min_ns = if self.received == 0 { time_ns } else { self.min_ns.min(time_ns) };
        self.max_ns = self.max_ns.max(time_ns);
        self.sum_ns = self.sum_ns.saturating_add(time_ns);
        self.received += 1;
    }

    pub(super) fn value(&self, figure: Figure) -> CheckAnswer {
        let seconds = |ns: f64| {
            OwnedRaw::Float(if self.received == 0 { 0.0 } else { (ns * 1e-9).max(SEC_MIN) })
        };
        match figure {
            Figure::Alive => OwnedRaw::Unsigned(u64::from(0 < self.received)),
            Figure::Loss => {
                let lost = f64::from(self.sent.saturating_sub(self.received));
                OwnedRaw::Float(100.0 * lost / f64::from(self.sent.max(1)))
            }
            Figure::SecMin => seconds(self.min_ns as f64),
            Figure::SecMax => seconds(self.max_ns as f64),
            Figure::SecAvg => seconds(self.sum_ns as f64 / f64::from(self.received.max(1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_those_of_zabbix() {
        let ping = Ping::parse("icmpping").expect("valid");
        let series = Series {
            packets: 3,
            interval_ms: 1_000,
            size: 56,
            timeout_ms: 500,
            takes_redirected: false,
            retry_growth: None,
        };
        assert_eq!(ping, Ping { target: String::new(), series, figure: Figure::Alive });
        let ping = Ping::parse("icmppingsec[h,5,200,100,80,max]").expect("valid");
        let series = Series {
            packets: 5,
            interval_ms: 200,
            size: 100,
            timeout_ms: 80,
            takes_redirected: false,
            retry_growth: None,
        };
        assert_eq!(ping, Ping { target: "h".to_owned(), series, figure: Figure::SecMax });
        for key in ["icmpping[h,5,200,100,80,allow_redirect]", "icmppingsec[,,,,,,allow_redirect]"]
        {
            assert!(Ping::parse(key).expect("valid").series.takes_redirected, "{key}");
        }
    }

    #[test]
    fn retries_grow() {
        let series = |key: &str| Ping::parse(key).expect("valid").series;
        let default = series("icmppingretry");
        assert_eq!((default.packets, default.timeout_ms), (2, 500));
        assert_eq!(default.retry_growth, Some(1_000));
        let given = series("icmppingretry[h,0,2.5,100,80,allow_redirect]");
        assert_eq!((given.packets, given.retry_growth, given.size), (1, Some(2_500), 100));
        assert!(given.takes_redirected);
    }

    #[test]
    fn bad_parameters_are_reported() {
        for (key, text) in [
            ("icmpping[,0]", "Number of packets \"0\" is not between 1 and 10000."),
            ("icmpping[,+5]", "Number of packets \"+5\" is not between 1 and 10000."),
            ("icmpping[,,19]", "Interval \"19\" should be at least 20."),
            ("icmpping[,,,23]", "Packet size \"23\" is not between 24 and 65507."),
            ("icmppingloss[,,,,x]", "Timeout \"x\" should be at least 50."),
            ("icmppingsec[,,,,,mean]", "Mode \"mean\" is not supported."),
            ("icmpping[,,,,,avg]", "Invalid \"options\" parameter."),
            ("icmpping[,,,,,,]", "Too many arguments."),
            ("icmppingsec[,,,,,,,]", "Too many arguments."),
            ("icmppingretry[,-1]", "Number of retries \"-1\" is not between 0 and 9999."),
            ("icmppingretry[,,0.9]", "Backoff \"0.9\" is not between 1.0 and 5.0."),
            ("icmppingretry[,,1e0]", "Backoff \"1e0\" is not between 1.0 and 5.0."),
            ("icmppingretry[,,,,49]", "Timeout \"49\" should be at least 50."),
            ("icmppingretry[,,,,,,]", "Too many arguments."),
            ("icmpping[", "Invalid item key format."),
        ] {
            assert_eq!(Ping::parse(key).expect_err("invalid"), text, "{key}");
        }
    }

    #[test]
    fn figures_of_a_series() {
        let mut tally = Tally { sent: 4, ..Tally::default() };
        assert_eq!(tally.value(Figure::Alive), OwnedRaw::Unsigned(0));
        assert_eq!(tally.value(Figure::SecMin), OwnedRaw::Float(0.0));
        assert_eq!(tally.value(Figure::Loss), OwnedRaw::Float(100.0));
        [2_000_000, 10, 4_000_000].into_iter().for_each(|it| tally.count(it));
        assert_eq!(tally.value(Figure::Alive), OwnedRaw::Unsigned(1));
        assert_eq!(tally.value(Figure::Loss), OwnedRaw::Float(25.0));
        assert_eq!(tally.value(Figure::SecMin), OwnedRaw::Float(0.000_1), "nothing is shorter");
        assert_eq!(tally.value(Figure::SecMax), OwnedRaw::Float(0.004));
    }
}
