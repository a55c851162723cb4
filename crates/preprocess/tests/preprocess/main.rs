//! Tests of preprocessing steps. Those with official templates are a program of their own
//! (`templates`).
#![allow(clippy::unwrap_used, reason = "helpers of tests: a panic is a failed test")]

mod rules;
mod shared;
mod step_errors;
