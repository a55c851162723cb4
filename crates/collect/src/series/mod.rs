//! Pushed series become items.
//!
//! Discovery rules decide on the items of a series, as everywhere: a host takes series if it has a
//! discovery rule of type Zabbix trapper with the key `push.series`, own or of a template. All
//! series of the host are rows of that rule, with macros for metric, labels and kind; its filter
//! admits them, its prototypes make the items, its lifetimes decide on stopped series. Prototypes
//! of type Zabbix trapper get the values.
//!
//! The first label of [`SeriesSettings::host_labels`] that a series has names its host: a host's
//! technical name, as it is or without a port.
//!
//! A series is looked up once ([`register`]); from then on a value costs the comparison of its
//! labels with known ones and a look-up in the directory. A request with new series waits until the
//! discovery ([`discovery`]) has made their items, a second or so, so that nothing is lost and
//! nothing is answered before it is written. If that takes too long, the sender is asked to send
//! the request again and none of its values is taken.
//!
//! Bounds: series of a host and of all hosts, new series and new hosts a minute, labels and their
//! lengths. Series beyond a bound are refused, counted by reason, and reported to the sender.

mod discovery;
mod learning;
mod receiver;
mod register;
mod report;

pub use discovery::{ROW, SeriesDiscovery};
pub use receiver::SeriesReceiver;
pub use register::RULE_KEY;
pub use report::{
    PushSeriesError, PushedMessage, SeriesJudge, SeriesRefusal, SeriesReport, SeriesSettings,
    SeriesStore,
};

#[cfg(test)]
mod tests;
