//! Collectors and listeners against real peers and against devices that the tests play.

mod agents;
mod encryption;
mod external;
mod http;
mod ipmi;
mod jmx;
mod pings;
mod polling;
mod scripts;
mod secret_errors;
mod services;
mod shells;
mod snmp;
mod snmp_odd;
mod snmp_traps;
mod snmp_v3;
mod stats;
mod support;
