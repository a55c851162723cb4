//! Answers agent keys on the machine it runs on.
