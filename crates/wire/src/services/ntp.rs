//! SNTP, as far as needed to check that a clock answers (RFC 4330).

/// Length of a packet without extensions.
const PACKET_LEN: usize = 48;
const CLIENT: u8 = 3;
const SERVER: u8 = 4;
const VERSION: u8 = 4;

/// A question; `mark` comes back in the answer: a sender that has not seen the question cannot know
/// it.
#[must_use]
pub fn request(mark: u64) -> Vec<u8> {
    let mut packet = vec![0; PACKET_LEN];
    if let Some(first) = packet.first_mut() {
        *first = VERSION << 3 | CLIENT;
    }
    if let Some(transmitted) = packet.last_chunk_mut() {
        *transmitted = mark.to_be_bytes();
    }
    packet
}

/// Whether a packet is the answer to the question with this mark, from a synchronized clock.
#[must_use]
pub fn is_answer(packet: &[u8], mark: u64) -> bool {
    let Some(packet) = packet.first_chunk::<PACKET_LEN>() else { return false };
    let [first, stratum, .., _, _, _, _, _, _, _, _] = *packet;
    let field = |at: usize| packet.get(at..at + 8).and_then(|it| it.try_into().ok());
    let number = |at| field(at).map_or(0, u64::from_be_bytes);
    let (version, mode) = (first >> 3 & 7, first & 7);
    let (originate, transmit) = (number(24), number(40));
    version != 0 && mode == SERVER && stratum != 0 && originate == mark && transmit != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_has_our_mark_and_a_clock_that_goes() {
        let mark = 0x0102_0304_0506_0708;
        let mut good = request(mark);
        assert!(!is_answer(&good, mark), "our own question");
        good[0] = 4 << 3 | SERVER;
        good[1] = 2;
        good[24..32].copy_from_slice(&mark.to_be_bytes());
        good[40] = 0xe9;
        assert!(is_answer(&good, mark));
        assert!(!is_answer(&good, mark + 1), "somebody else's");
        assert!(!is_answer(&good[..47], mark), "cut");
        for (at, byte, what) in [
            (0, SERVER, "no version"),
            (0, 4 << 3 | CLIENT, "another question"),
            (1, 0, "a refusal (kiss of death)"),
        ] {
            let mut bad = good.clone();
            bad[at] = byte;
            assert!(!is_answer(&bad, mark), "{what}");
        }
        good[40..48].fill(0);
        assert!(!is_answer(&good, mark), "no time");
    }
}
