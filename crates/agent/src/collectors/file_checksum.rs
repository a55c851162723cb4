//! Checksums of files: POSIX cksum, MD5, SHA-256. At most 256 MiB are read.

use std::fmt::Write as _;
use std::io::Read as _;

use md5::Md5;
use sha2::{Digest, Sha256};

use super::file_content::{SEARCHED_BYTES_MAX, open, too_large};
use super::key::{Ask, Key};
use crate::outcome::{Outcome, Refusal};
use crate::params::invalid;

pub(crate) const KEYS: &[Key] = &[
    Key::may_block("vfs.file.md5sum", 1, digest::<Md5>),
    Key::may_block("vfs.file.cksum", 2, checksum),
];

fn checksum(ask: &Ask<'_>) -> Outcome {
    ask.params.required(0)?;
    match ask.params.get_or(1, "crc32") {
        "crc32" => posix(ask),
        "md5" => digest::<Md5>(ask),
        "sha256" => digest::<Sha256>(ask),
        _ => Err(invalid(1)),
    }
}

fn digest<D: Digest>(ask: &Ask<'_>) -> Outcome {
    let mut digest = D::new();
    each_block(ask, |block| digest.update(block))?;
    let mut text = String::new();
    for byte in digest.finalize() {
        write!(text, "{byte:02x}").expect("a string takes any text");
    }
    Ok(text.into())
}

fn posix(ask: &Ask<'_>) -> Outcome {
    let mut sum = 0;
    let mut n_bytes = 0_u64;
    each_block(ask, |block| {
        n_bytes += block.len() as u64;
        sum = block.iter().fold(sum, |sum, byte| crc_step(sum, *byte));
    })?;
    // The length follows the content, lowest byte first, without leading zeros.
    let mut rest = n_bytes;
    while rest > 0 {
        sum = crc_step(sum, rest.to_le_bytes()[0]);
        rest >>= 8;
    }
    Ok(u64::from(!sum).into())
}

fn each_block(ask: &Ask<'_>, mut look: impl FnMut(&[u8])) -> Result<(), Refusal> {
    let mut file = open(ask, SEARCHED_BYTES_MAX)?;
    let mut block = vec![0; 64 << 10];
    let mut n_bytes = 0_u64;
    loop {
        let read = file.read(&mut block);
        match read.map_err(|_source| Refusal::from("Cannot read from file."))? {
            0 => return Ok(()),
            n => {
                n_bytes += n as u64;
                if n_bytes > SEARCHED_BYTES_MAX {
                    // The file grows while it is read.
                    return Err(too_large());
                }
                look(&block[..n]);
            }
        }
    }
}

/// The CRC of POSIX: polynomial 04C11DB7, highest bit first.
const CRC_TABLE: [u32; 256] = {
    let mut table = [0; 256];
    let mut idx = 0;
    let mut first = 0_u32;
    while idx < 256 {
        let mut sum = first << 24;
        let mut bit = 0;
        while bit < 8 {
            sum = if sum & 0x8000_0000 == 0 { sum << 1 } else { (sum << 1) ^ 0x04c1_1db7 };
            bit += 1;
        }
        table[idx] = sum;
        idx += 1;
        first += 1;
    }
    table
};

fn crc_step(sum: u32, byte: u8) -> u32 {
    let [top, ..] = sum.to_be_bytes();
    (sum << 8) ^ CRC_TABLE[usize::from(top ^ byte)]
}
