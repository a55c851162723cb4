//! The simulation: seeds that pass, defects that it notices, and data of an older version.

mod alerting;
mod crashes;
mod defects;
mod followers;
mod seeds;
mod version_1;
