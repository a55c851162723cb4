//! Names of hosts.

use lang::host_name;
use serde_json::json;

use crate::case::{Answer, Case, Topics};

/// The topics of this file.
pub(crate) const TOPICS: Topics =
    &[("hosts/make_name", make), ("hosts/name", name), ("hosts/prototype_name", prototype_name)];

fn make(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"host_out": host_name::make(case.text("host"))}))
}

fn name(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": host_name::is_valid(case.text("host"))}))
}

fn prototype_name(case: &Case<'_>) -> Answer {
    Answer::Out(json!({"ok": host_name::is_valid_prototype(case.text("host"))}))
}
