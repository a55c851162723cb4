//! The whole surface over HTTP, on a real database of its own (SQLite) and with the rest of the
//! server played by [`fake`].
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod acknowledge_links;
mod backtests;
mod configuration;
mod connections;
mod discovery;
mod documents;
mod explain;
mod fake;
mod flows;
mod gets;
mod history;
mod hosts;
mod http;
mod httptests;
mod import;
mod inventory;
mod latest;
mod live;
mod maintenances;
mod media;
mod network_discovery;
mod oncall;
mod opdata;
mod origin;
mod overrides;
mod params;
mod parents;
mod problem_filters;
mod queue;
mod refused;
mod refused_items;
mod regexps;
mod scripts;
mod selects;
mod series;
mod services;
mod session;
mod settings;
mod storage;
mod streams;
mod tags;
mod trials;
mod views;
