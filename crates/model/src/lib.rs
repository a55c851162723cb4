//! The nouns: ids, values, time, limits, configuration snapshot and deltas.
