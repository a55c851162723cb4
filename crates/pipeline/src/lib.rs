//! One shard as a state machine: preprocess, windows, triggers, effects.
