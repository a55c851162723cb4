//! SNMP traps: nobody listens for them yet, and the user is told so.

use model::content::ItemType;

use super::listener::Listener;

pub(super) const LISTENER: Listener = Listener {
    takes: |it| it.kind == ItemType::SnmpTrap,
    refusal: |_, _, _, _| Some("SNMP traps are not supported yet.".to_owned()),
};
