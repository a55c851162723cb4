//! The allocator of the process ([decision](../../../docs/decisions/0017-allocator.md)).

use tikv_jemallocator::Jemalloc;

/// Returns free memory within seconds, by threads of its own: one large response or import must not
/// determine the size of the process.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Settings of jemalloc; `MALLOC_CONF` of the environment is read after them. Free pages are
/// returned within one second, not ten: the parts of a large piece of work (a run of discovery with
/// 50,000 rows, an import) follow each other in seconds, and the freed pages of each would add up.
#[expect(unsafe_code, reason = "jemalloc finds its settings by the name of a symbol")]
// SAFETY: jemalloc declares it as a weak pointer to a text that ends with a zero byte, and only reads it.
#[unsafe(export_name = "malloc_conf")]
static SETTINGS: &[u8; 20] = b"dirty_decay_ms:1000\0";

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::time::Duration;
    use std::{env, fs};

    const PIECE_BYTES: usize = 1_000;

    fn anonymous_mb() -> usize {
        let status = fs::read_to_string("/proc/self/status").expect("of this process");
        let line = status.lines().find_map(|it| it.strip_prefix("RssAnon:")).expect("a line");
        let kb: usize = line.trim_end_matches("kB").trim().parse().expect("a number");
        kb >> 10
    }

    /// Some 50 MB of pieces, of which every thousandth is kept.
    fn work() -> Vec<Vec<u8>> {
        let pieces: Vec<Vec<u8>> = (0..50_000).map(|_| vec![1; PIECE_BYTES]).collect();
        pieces.into_iter().step_by(1_000).collect()
    }

    /// Set in the separate process that measures: memory of other tests must not count.
    const ALONE: &str = "SAKER_TEST_ALLOCATOR_ALONE";

    #[test]
    fn jemalloc_has_the_settings_of_this_file() {
        // It prints them at the end of a process.
        let mut printing = Command::new(env::current_exe().expect("of this process"));
        let printed = printing.arg("--list").env("MALLOC_CONF", "stats_print:true").output();
        let printed = printed.expect("it runs");
        let said = String::from_utf8_lossy(&printed.stderr);
        for setting in ["opt.dirty_decay_ms: 1000 ", "opt.background_thread: true "] {
            assert!(said.contains(setting), "no {setting:?} in {said}");
        }
    }

    #[test]
    fn memory_of_ended_threads_is_returned() {
        if env::var_os(ALONE).is_some() {
            return needs_and_gives_back();
        }
        let this = "allocator::tests::memory_of_ended_threads_is_returned";
        let mut alone = Command::new(env::current_exe().expect("of this process"));
        let alone = alone.args(["--exact", this]).env(ALONE, "1").output().expect("it runs");
        let said = String::from_utf8_lossy(&alone.stdout);
        assert!(alone.status.success() && said.contains("1 passed"), "{said}");
    }

    #[expect(clippy::disallowed_methods, reason = "waits for threads of the allocator")]
    fn needs_and_gives_back() {
        let before = anonymous_mb();
        let kept: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6).map(|_| scope.spawn(work)).collect();
            threads.into_iter().map(|it| it.join().expect("it counts only")).collect()
        });
        let is_back = || anonymous_mb() < before + 60;
        let looks = (0..600).position(|_| {
            std::thread::sleep(Duration::from_millis(100));
            is_back()
        });
        let now = anonymous_mb();
        assert!(looks.is_some(), "{now} MB of {before} MB at first, {} kept", kept.len());
    }
}
