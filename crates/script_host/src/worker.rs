//! The role of a process that runs scripts for a server: frames arrive by standard input, answers
//! go to standard output.
//!
//! Effects of a script stay in this process: it has no files but these two, no environment, and no
//! more memory than its scripts may take, with some for the engine. It ends as soon as the other
//! end is gone, also while a script does not return: the input is read by a thread of its own.

use std::fs;
use std::io::{self, Read, Write};
use std::sync::mpsc::{self, Receiver};
use std::thread;

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, raise};
use rt::clock::Clock;
use script::frames::{FRAME_BYTES_MAX, LENGTH_BYTES};
use script::{Channel, Limits};

/// Stack of the engine's thread: far more than scripts may take.
const STACK_BYTES: usize = 16 << 20;
/// In addition to twice the memory of scripts: results and answers on their way through the pipe,
/// of 64 MiB each. An engine that needs more is ended.
const MORE_BYTES: u64 = 1 << 30;
const PAGE_BYTES: u64 = 4_096;
/// Frames that wait for the engine. At most one is under way.
const WAITING_MAX: usize = 2;
/// A machine that runs out of memory ends this process first.
const OOM_SCORE: &str = "800";

/// Runs scripts until there are no more.
///
/// # Errors
/// If there is no thread, or a frame is malformed.
pub fn run() -> io::Result<()> {
    close_inherited();
    // Without it the kernel chooses this process later when memory runs out, but it is limited all
    // the same.
    fs::write("/proc/self/oom_score_adj", OOM_SCORE).ok();
    setrlimit(Resource::RLIMIT_CORE, 0, 0).ok();
    setrlimit(Resource::RLIMIT_FSIZE, 0, 0).ok();
    let (to, frames) = mpsc::sync_channel(WAITING_MAX);
    thread::Builder::new().name("input".to_owned()).spawn(move || {
        let mut input = io::stdin().lock();
        while let Ok(Some(frame)) = read_frame(&mut input) {
            if to.send(frame).is_err() {
                break;
            }
        }
        // The engine may be in a function that does not return.
        raise(Signal::SIGKILL).ok();
    })?;
    let engine = thread::Builder::new().name("engine".to_owned()).stack_size(STACK_BYTES);
    let served =
        engine.spawn(move || script::serve(Box::new(Pipes { frames, clock: Clock::real() })))?;
    match served.join() {
        Ok(served) => served.map_err(io::Error::other),
        Err(_panic) => Err(io::Error::other("the engine has panicked")),
    }
}

/// Closes the descriptors that the server inherited from its parent.
fn close_inherited() {
    let Ok(open) = fs::read_dir("/proc/self/fd") else { return };
    let names: Vec<_> = open.filter_map(|it| Some(it.ok()?.file_name())).collect();
    let numbers = names.iter().filter_map(|it| it.to_str()?.parse::<i32>().ok());
    for number in numbers.filter(|it| 2 < *it) {
        // The descriptor of the folder itself is closed already.
        nix::unistd::close(number).ok();
    }
}

fn read_frame(input: &mut impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut head = [0; LENGTH_BYTES];
    input.read_exact(&mut head)?;
    let n = usize::try_from(u32::from_le_bytes(head)).unwrap_or(usize::MAX);
    if FRAME_BYTES_MAX < n {
        return Ok(None);
    }
    let mut frame = Vec::new();
    let n_bytes = u64::try_from(n).unwrap_or(u64::MAX);
    input.take(n_bytes).read_to_end(&mut frame)?;
    Ok((frame.len() == n).then_some(frame))
}

struct Pipes {
    frames: Receiver<Vec<u8>>,
    clock: Clock,
}

impl Channel for Pipes {
    fn send(&mut self, frame: &[u8]) -> bool {
        let Ok(length) = u32::try_from(frame.len()) else { return false };
        let mut output = io::stdout().lock();
        let head = length.to_le_bytes();
        let sent = output.write_all(&head).and_then(|()| output.write_all(frame));
        sent.and_then(|()| output.flush()).is_ok()
    }

    fn receive(&mut self) -> Option<Vec<u8>> {
        self.frames.recv().ok()
    }

    fn now_ns(&self) -> u64 {
        self.clock.mono_ns()
    }

    fn bound(&mut self, limits: &Limits) {
        let statm = fs::read_to_string("/proc/self/statm").unwrap_or_default();
        let pages = statm.split(' ').next().and_then(|it| it.parse::<u64>().ok()).unwrap_or(0);
        let memory = u64::try_from(limits.memory_bytes).unwrap_or(u64::MAX);
        let more = memory.saturating_mul(2).saturating_add(MORE_BYTES);
        let max = pages.saturating_mul(PAGE_BYTES).saturating_add(more);
        // Without it the engine's own limit holds.
        setrlimit(Resource::RLIMIT_AS, max, max).ok();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_whole_or_not_at_all() {
        let framed = |n: u32, bytes: &[u8]| [&n.to_le_bytes()[..], bytes].concat();
        let read = |bytes: Vec<u8>| read_frame(&mut bytes.as_slice());
        assert_eq!(read(framed(3, b"abc, and more")).unwrap(), Some(b"abc".to_vec()));
        assert_eq!(read(framed(0, b"")).unwrap(), Some(Vec::new()));
        assert_eq!(read(framed(4, b"abc")).unwrap(), None, "cut");
        assert_eq!(read(framed(u32::MAX, b"abc")).unwrap(), None, "too long");
        assert!(read(vec![1, 2]).is_err());
    }
}
