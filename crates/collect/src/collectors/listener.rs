//! What the kinds of items have to say for themselves whose values come unasked.

use std::sync::Arc;

use model::content::ItemContent;
use model::snapshot::{Host, ItemRow, Snapshot};

use crate::active::ActiveChecks;
use crate::snmp_traps::SnmpTraps;

/// Who receives.
pub(crate) struct Listening {
    pub(crate) active: Arc<ActiveChecks>,
    pub(crate) traps: Arc<SnmpTraps>,
}

/// A kind of items whose values come by themselves. Where they are received is the listener's own
/// business (active agents: the trapper port, SNMP traps: `snmp_traps`); here is what all of them have to say.
pub(crate) struct Listener {
    pub(super) takes: fn(&ItemContent) -> bool,
    /// Why an item gets no values as it is configured, in words for the user.
    pub(super) refusal: fn(&Listening, &Snapshot, &Arc<Host>, &ItemRow) -> Option<String>,
}
