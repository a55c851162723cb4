//! The one durable sequence: append, group sync, positions, cursors, replay, retention.
