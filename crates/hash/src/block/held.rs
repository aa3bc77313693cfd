//! Bytes that wait for their block to be whole, in what is computed one message at a time and without a [`Chain`](super::Chain).

/// Fewer bytes than a block of `N`.
#[derive(Clone)]
pub(crate) struct Held<const N: usize> {
    block: [u8; N],
    len: usize,
}

impl<const N: usize> Held<N> {
    /// Nothing yet.
    pub(crate) const NONE: Held<N> = Held { block: [0; N], len: 0 };

    /// Takes the bytes that come next; `take` gets whole blocks, in order.
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
        let (blocks, rest) = data.as_chunks::<N>();
        if !blocks.is_empty() {
            take(blocks);
        }
        self.block[..rest.len()].copy_from_slice(rest);
        self.len = rest.len();
    }

    /// What waits at the end of the message; then nothing does.
    pub(crate) fn rest(&mut self) -> &[u8] {
        &self.block[..std::mem::take(&mut self.len)]
    }
}
