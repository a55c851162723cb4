//! Kinds of items whose values arrive without polling.

use std::sync::Arc;

use model::content::ItemContent;
use model::snapshot::{Host, ItemRow, Snapshot};

use crate::active::ActiveChecks;
use crate::snmp_traps::SnmpTraps;

/// The part that receives values.
pub(crate) struct Listening {
    pub(crate) active: Arc<ActiveChecks>,
    pub(crate) traps: Arc<SnmpTraps>,
}

/// A kind of items whose values arrive without polling. The receiver is elsewhere (active agents:
/// the trapper port, SNMP traps: `snmp_traps`); this is the part that the configuration of items
/// needs.
pub(crate) struct Listener {
    pub(super) takes: fn(&ItemContent) -> bool,
    /// Why an item gets no values as it is configured, for the user.
    pub(super) refusal: fn(&Listening, &Snapshot, &Arc<Host>, &ItemRow) -> Option<String>,
}
