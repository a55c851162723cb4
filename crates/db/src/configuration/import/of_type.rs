//! Fields of steps and operations by type. Files may hold more, left from the type that they had
//! before or written by hand; it means nothing, as in Zabbix. Items: `objects/item/of_type.rs`.

/// The treatment of errors that a step of this type may have.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnError {
    /// It says so, or the error stays.
    Any,
    /// It says so, or the value is discarded.
    Replaced,
    Nothing,
}

pub(super) fn on_error(step: &str) -> OnError {
    match step {
        "26" => OnError::Replaced,
        // Trimming, throttling, scripts and replacing.
        "2" | "3" | "4" | "19" | "20" | "21" | "25" => OnError::Nothing,
        _ => OnError::Any,
    }
}

/// Whether a step of this type has parameters.
pub(super) fn has_parameters(step: &str) -> bool {
    !matches!(step, "6" | "7" | "8" | "9" | "10" | "19" | "27")
}

/// Whether overrides for prototypes of this kind may set a field.
pub(super) fn may_override(object: &str, field: &str) -> bool {
    const ITEM: &str = "0";
    const TRIGGER: &str = "1";
    const GRAPH: &str = "2";
    const HOST: &str = "3";
    const RULE: &str = "4";
    match field {
        "status" => object != GRAPH,
        "delay" => matches!(object, ITEM | RULE),
        "history" | "trends" => object == ITEM,
        "severity" => object == TRIGGER,
        "tags" => matches!(object, ITEM | TRIGGER | HOST),
        "templates" | "inventory_mode" => object == HOST,
        _ => true,
    }
}
