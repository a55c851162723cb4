//! Priorities of threads.

use std::io;

use rustix::process::{Pid, setpriority_process};
use rustix::thread::gettid;

/// The lowest priority: a thread with it gets the time that others leave.
const LOWEST: i32 = 19;

/// A thread of this process, as the operating system numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ThreadId(Pid);

impl ThreadId {
    /// The thread that asks.
    #[must_use]
    pub fn own() -> Self {
        Self(gettid())
    }

    /// Leaves the thread the processor time that no other thread wants.
    ///
    /// # Errors
    /// When the thread has ended.
    pub fn step_back(self) -> io::Result<()> {
        // Linux takes the number of a thread here, and changes that thread alone.
        Ok(setpriority_process(Some(self.0), LOWEST)?)
    }
}

#[cfg(test)]
mod tests {
    use rustix::process::getpriority_process;

    use super::*;

    #[test]
    fn one_thread_steps_back() {
        let before = getpriority_process(None).expect("a priority");
        let (sender, ids) = std::sync::mpsc::channel();
        let (end, ended) = std::sync::mpsc::channel::<()>();
        let thread = std::thread::spawn(move || {
            sender.send(ThreadId::own()).expect("somebody listens");
            ended.recv().ok();
        });
        let id = ids.recv().expect("an id");
        id.step_back().expect("it runs");
        assert_eq!(getpriority_process(Some(id.0)).expect("it runs"), LOWEST);
        assert_eq!(getpriority_process(Some(gettid())).expect("a priority"), before);
        drop(end);
        thread.join().expect("no panic");
    }
}
