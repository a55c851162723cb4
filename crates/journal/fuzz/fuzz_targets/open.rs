#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| journal::fuzz::open(data));
