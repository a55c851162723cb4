#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| pipeline::fuzz::restore(data));
