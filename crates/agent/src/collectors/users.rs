//! Logged-in users, counted in the login records (utmp) as `who` does.

use super::key::{Ask, Key};
use crate::outcome::Outcome;

pub(crate) const KEYS: &[Key] = &[Key::small("system.users.num", 0, count)];

/// C library's record; its size differs between architectures.
const RECORD_BYTES: usize = size_of::<nix::libc::utmpx>();
/// Both are at the start of the record on every Linux: a 16-bit type, padding, a 32-bit process id.
const PID_AT: usize = 4;

fn count(ask: &Ask<'_>) -> Outcome {
    // Without the file there are no logins: containers and systems without utmp.
    let records = ask.root.read_bytes("/var/run/utmp").unwrap_or_default();
    let n_users = records
        .chunks_exact(RECORD_BYTES)
        .filter(|record| {
            let kind = i16::from_ne_bytes([record[0], record[1]]);
            let pid = i32::from_ne_bytes([
                record[PID_AT],
                record[PID_AT + 1],
                record[PID_AT + 2],
                record[PID_AT + 3],
            ]);
            // A session that ended abnormally leaves its record.
            let alive = || ask.root.metadata(&format!("/proc/{pid}")).is_ok();
            kind == nix::libc::USER_PROCESS && alive()
        })
        .count();
    Ok((n_users as u64).into())
}
