//! Ask devices and listen to them.
