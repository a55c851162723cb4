//! The binary: settings, roles, wiring; no logic.

fn main() {}
