//! Where the files of a SQLite database are damaged, as far as that can be seen.
//!
//! - **The log of changes** (`saker.db-wal`). SQLite reads it up to the first frame with a wrong checksum, and says nothing:
//!   after a power cut that is the frame that was being written. Where whole frames follow, it is none of those, and
//!   changes that were answered are lost. [`look_at_log`] distinguishes the two before SQLite opens
//!   it.
//! - **The database itself** has no checksums. SQLite finds inconsistent pages when it reads them;
//!   [`places`] finds out which pages. A flipped bit within a text is not noticed.
//!
//! The log, numbers of the header and of frames in big-endian order:
//!
//! ```text
//! header  signature u32 · version u32 · page bytes u32 · u32 · salt [u32; 2] · checksum [u32; 2]
//! frame   page u32 · pages of the database, if it ends a transaction u32 · salt [u32; 2] · checksum [u32; 2] · page
//! ```
//!
//! A frame's checksum continues that of the frame before it, over its first 8 bytes and its page. Frames of an earlier turn of
//! the log have another salt.

use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use rt::health::{Health, Level};
use rusqlite::{Connection, OpenFlags};
use tracing::{error, warn};

const HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
/// The last bit: whether checksums take numbers in big-endian order.
const SIGNATURE: u32 = 0x377f_0682;
const PAGE_BYTES_MAX: u32 = 65_536;
/// The most damaged places that are reported; `quick_check` ends there.
const PLACES_MAX: usize = 10;

/// The log of a database.
fn log_of(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// The part of the server's health that shows a damaged log of changes, until the next start.
const LOG_PART: &str = "database-log";

/// Reports damage that SQLite would skip silently.
pub(crate) fn look_at_log(database: &Path, health: &Health) {
    let log = log_of(database);
    let path = log.display();
    match damaged_frame(&log) {
        Ok(None) => {}
        Ok(Some(LogDamage { offset, n_transactions })) => {
            let mut kept = log.as_os_str().to_owned();
            kept.push(".damaged");
            let kept = PathBuf::from(kept);
            let what = format!(
                "{path} is damaged at offset {offset}: {n_transactions} changes of the configuration, of events or of \
                 alerts from there on are lost"
            );
            match set_aside(&log, &kept, offset) {
                Ok(()) => error!(kept = %kept.display(), "{what}; the file as it was is kept"),
                Err(error) => error!(%error, "{what}; the file could not be copied"),
            }
            health.set(LOG_PART, Level::Degraded, what);
        }
        Err(error) => warn!(%error, "{path} cannot be read before the database is opened"),
    }
}

/// Keeps a copy, and cuts off what SQLite does not read: the next start would find it again.
fn set_aside(log: &Path, kept: &Path, offset: u64) -> io::Result<()> {
    std::fs::copy(log, kept)?;
    let file = OpenOptions::new().write(true).open(log)?;
    file.set_len(offset)?;
    file.sync_all()
}

/// The unreadable part of a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct LogDamage {
    offset: u64,
    /// Transactions from there on: they are lost.
    n_transactions: u64,
}

/// The first place from which on SQLite does not read a log though whole frames follow; `None` if there is no such
/// place, or no log.
///
/// # Errors
/// The file cannot be read.
fn damaged_frame(log: &Path) -> io::Result<Option<LogDamage>> {
    let file = match File::open(log) {
        Ok(it) => it,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Frames::read(BufReader::with_capacity(1 << 20, file))?.damage()
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Sum(u32, u32);

struct Frames<R> {
    file: R,
    is_big_endian: bool,
    salt: [u8; 8],
    is_header_whole: bool,
    header_sum: Sum,
    /// Of one page; empty: there is nothing to be read.
    page: Vec<u8>,
}

struct Frame {
    /// 1 if it does.
    ends_transaction: u64,
    salt: [u8; 8],
    /// As it is written.
    sum: Sum,
    head: [u8; 8],
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let four = bytes.get(at..at + 4).and_then(|it| it.try_into().ok());
    four.map_or(0, u32::from_be_bytes)
}

/// As much as there is.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

impl<R: Read> Frames<R> {
    fn read(mut file: R) -> io::Result<Self> {
        let mut header = [0; HEADER_BYTES];
        let has_header = fill(&mut file, &mut header)?;
        let signature = number(&header, 0);
        let page_bytes = number(&header, 8);
        let is_page = page_bytes.is_power_of_two() && (512..=PAGE_BYTES_MAX).contains(&page_bytes);
        let (mut salt, is_big_endian) = ([0; 8], signature == SIGNATURE | 1);
        salt.copy_from_slice(&header[16..24]);
        let mut frames = Self {
            file,
            is_big_endian,
            salt,
            is_header_whole: false,
            header_sum: Sum(number(&header, 24), number(&header, 28)),
            page: Vec::new(),
        };
        let sum = frames.sum(Sum(0, 0), &header[..24]);
        frames.is_header_whole = signature & !1 == SIGNATURE && is_page && sum == frames.header_sum;
        if !frames.is_header_whole {
            // The flipped bit may be the one that says the byte order.
            frames.is_big_endian = !is_big_endian;
            header[3] ^= 1;
            let is_that_bit = frames.sum(Sum(0, 0), &header[..24]) == frames.header_sum;
            frames.is_big_endian = is_big_endian != is_that_bit;
        }
        // A damaged header does not show the length of a page: that of SQLite's default, which is
        // ours.
        let page_bytes = if frames.is_header_whole { page_bytes } else { 4_096 };
        if has_header {
            frames.page = vec![0; usize::try_from(page_bytes).unwrap_or(0)];
        }
        Ok(frames)
    }

    fn sum(&self, of: Sum, bytes: &[u8]) -> Sum {
        let Sum(mut a, mut b) = of;
        for pair in bytes.chunks_exact(8) {
            let of = |at: usize| {
                let four: [u8; 4] = pair.get(at..at + 4)?.try_into().ok()?;
                let turned =
                    if self.is_big_endian { u32::from_be_bytes } else { u32::from_le_bytes };
                Some(turned(four))
            };
            a = a.wrapping_add(of(0).unwrap_or(0)).wrapping_add(b);
            b = b.wrapping_add(of(4).unwrap_or(0)).wrapping_add(a);
        }
        Sum(a, b)
    }

    fn next(&mut self) -> io::Result<Option<Frame>> {
        let mut head = [0; FRAME_HEADER_BYTES];
        if self.page.is_empty() || !fill(&mut self.file, &mut head)? {
            return Ok(None);
        }
        let mut page = std::mem::take(&mut self.page);
        let is_whole = fill(&mut self.file, &mut page)?;
        self.page = page;
        if !is_whole {
            return Ok(None);
        }
        let eight = |at: usize| -> [u8; 8] {
            let found = head.get(at..at + 8).and_then(|it| it.try_into().ok());
            found.unwrap_or_default()
        };
        Ok(Some(Frame {
            ends_transaction: u64::from(number(&head, 4) != 0),
            salt: eight(8),
            sum: Sum(number(&head, 16), number(&head, 20)),
            head: eight(0),
        }))
    }

    /// The checksum of the frame that was read last, after another checksum.
    fn sum_after(&self, before: Sum, frame: &Frame) -> Sum {
        self.sum(self.sum(before, &frame.head), &self.page)
    }

    fn damage(mut self) -> io::Result<Option<LogDamage>> {
        let frame_bytes = (FRAME_HEADER_BYTES + self.page.len()) as u64;
        let mut found: Option<LogDamage> = None;
        // A frame that continues nothing, and transactions that end after it: without any it may be
        // the rest of an unfinished one.
        let mut suspect =
            (!self.is_header_whole).then_some(LogDamage { offset: 0, n_transactions: 0 });
        let mut is_headless = !self.is_header_whole;
        // The checksums that the next frame may continue: for a suspect, the written one and the
        // computed one.
        let mut before = vec![self.header_sum];
        let mut offset = HEADER_BYTES as u64;
        while let Some(frame) = self.next()? {
            if is_headless {
                self.salt = frame.salt;
            }
            let sums: Vec<Sum> = before.iter().map(|it| self.sum_after(*it, &frame)).collect();
            let continues = frame.salt == self.salt && sums.contains(&frame.sum);
            before = vec![frame.sum];
            match &mut suspect {
                Some(it) if continues || is_headless => {
                    it.n_transactions += frame.ends_transaction;
                    let ends_one = continues && frame.ends_transaction == 1;
                    if let Some(it) = suspect.take_if(|_| ends_one) {
                        let n_before = found.map_or(0, |of| of.n_transactions);
                        let offset = found.map_or(it.offset, |of| of.offset);
                        let n_transactions = n_before + it.n_transactions;
                        found = Some(LogDamage { offset, n_transactions });
                    }
                }
                // Two in a row. The following frames are of another turn of the log.
                Some(_) => break,
                None if continues => {
                    if let Some(it) = &mut found {
                        it.n_transactions += frame.ends_transaction;
                    }
                }
                None => {
                    suspect = Some(LogDamage { offset, n_transactions: frame.ends_transaction });
                    before.extend(sums);
                }
            }
            is_headless = false;
            offset += frame_bytes;
        }
        Ok(found)
    }
}

/// Which pages of a damaged database SQLite finds wrong, in words; "" if it cannot say.
pub(crate) fn places(database: &Path) -> String {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let found = Connection::open_with_flags(database, flags).and_then(|connection| {
        let page_bytes: u64 =
            connection.query_row("pragma page_size", [], |row| row.get::<_, u32>(0))?.into();
        let check = format!("pragma quick_check({PLACES_MAX})");
        let mut statement = connection.prepare(&check)?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        // The lines that SQLite returned before it failed on the damage count.
        let texts: Vec<String> = rows.map_while(Result::ok).collect();
        Ok(damaged_pages(&texts, page_bytes))
    });
    match found {
        Ok(it) => it,
        Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::NotADatabase) => {
            " at offset 0 (page 1)".to_owned()
        }
        Err(_) => String::new(),
    }
}

/// `Tree 12 page 345 cell 6: …` and the like.
fn damaged_pages(texts: &[String], page_bytes: u64) -> String {
    let lines = texts.iter().flat_map(|it| it.lines());
    let mut pages: Vec<u64> = lines.filter_map(page_of).collect();
    pages.sort_unstable();
    pages.dedup();
    let places: Vec<String> = pages
        .iter()
        .map(|it| format!("offset {} (page {it})", it.saturating_sub(1) * page_bytes))
        .collect();
    if places.is_empty() { String::new() } else { format!(" at {}", places.join(", ")) }
}

fn page_of(line: &str) -> Option<u64> {
    let (_, behind) = line.to_lowercase().split_once("page ").map(|it| ((), it.1.to_owned()))?;
    let digits: String = behind.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|it| 0 < *it)
}

#[cfg(test)]
mod tests;
