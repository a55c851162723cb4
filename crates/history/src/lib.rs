//! Where values live, one trait: embedded now; delivery from the journal.
