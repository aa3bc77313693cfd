//! Numbers, times and byte strings as they are stored in a state file (docs/spec/state.md).

use truesum_manifest::Time;

/// Appends a number in groups of seven bits, the lowest first; all groups except the last have the highest bit set.
pub(crate) fn put_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Appends the length of a byte string, and the string.
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_number(bytes.len() as u64, out);
    out.extend_from_slice(bytes);
}

/// Appends a time in 12 bytes: seconds since 1970 and nanoseconds, both with the lowest byte first.
pub(crate) fn put_time(time: Time, out: &mut Vec<u8>) {
    out.extend_from_slice(&time.seconds.to_le_bytes());
    out.extend_from_slice(&time.nanos.to_le_bytes());
}

/// The rest of a block. Every method returns `None` if it ends too early or the value is invalid.
pub(crate) struct Rest<'b>(pub(crate) &'b [u8]);

impl<'b> Rest<'b> {
    pub(crate) fn take(&mut self, len: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    pub(crate) fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(crate) fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            // The tenth group has a single bit.
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub(crate) fn bytes(&mut self) -> Option<&'b [u8]> {
        let len = usize::try_from(self.number()?).ok()?;
        self.take(len)
    }

    pub(crate) fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    pub(crate) fn time(&mut self) -> Option<Time> {
        let seconds = i64::from_le_bytes(self.take(8)?.try_into().ok()?);
        let nanos = u32::from_le_bytes(self.take(4)?.try_into().ok()?);
        (nanos < 1_000_000_000).then_some(Time { seconds, nanos })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_back_and_overlong_ones_are_rejected() {
        for number in [0, 1, 127, 128, 300, u64::MAX >> 1, u64::MAX] {
            let mut bytes = Vec::new();
            put_number(number, &mut bytes);
            assert_eq!(Rest(&bytes).number(), Some(number));
            assert_eq!(Rest(&bytes[..bytes.len() - 1]).number(), None);
        }
        assert_eq!(Rest(&[0xff; 11]).number(), None);
        assert_eq!(Rest(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]).number(), None);
    }
}
