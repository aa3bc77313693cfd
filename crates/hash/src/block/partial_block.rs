//! Bytes that wait for the rest of their block, in algorithms that process one message at a time without a
//! [`Chain`](super::Chain).

/// Less than a block of `N` bytes.
#[derive(Clone)]
pub(crate) struct PartialBlock<const N: usize> {
    block: [u8; N],
    len: usize,
}

impl<const N: usize> PartialBlock<N> {
    /// No bytes.
    pub(crate) const NONE: PartialBlock<N> = PartialBlock { block: [0; N], len: 0 };

    /// Adds bytes; `take` receives complete blocks, in order.
    pub(crate) fn feed(&mut self, mut data: &[u8], mut take: impl FnMut(&[[u8; N]])) {
        if self.len > 0 {
            let (first, rest) = data.split_at(data.len().min(N - self.len));
            self.block[self.len..][..first.len()].copy_from_slice(first);
            self.len += first.len();
            data = rest;
            if self.len < N {
                return;
            }
            take(&[self.block]);
        }
        // From here on, blocks are processed where they are; only the end of a slice is copied.
        let (blocks, rest) = data.as_chunks::<N>();
        if !blocks.is_empty() {
            take(blocks);
        }
        self.block[..rest.len()].copy_from_slice(rest);
        self.len = rest.len();
    }

    /// Removes and returns the remaining bytes at the end of the message.
    pub(crate) fn take_rest(&mut self) -> &[u8] {
        // The length is reset, because the next bytes belong to another message.
        &self.block[..std::mem::take(&mut self.len)]
    }
}
