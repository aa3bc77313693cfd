//! Hashes for which no other library is available, implemented literally and slowly from their authors' definitions.

/// ISA-L's multi-hash over another library's compression function: the words of each kibibyte go to sixteen chains in
/// turn, and the words of the chains, all first words first, form a message themselves.
fn multi<const N: usize>(
    message: &[u8],
    start: [u32; N],
    compress: fn(&mut [u32; N], &[[u8; 64]]),
    whole: fn(&[u8]) -> Vec<u8>,
) -> Vec<u8> {
    let mut chains = [start; 16];
    let mut take = |kibibyte: &[u8]| {
        for (number, chain) in chains.iter_mut().enumerate() {
            let block: [u8; 64] = std::array::from_fn(|at| kibibyte[at / 4 * 64 + 4 * number + at % 4]);
            compress(chain, &[block]);
        }
    };
    let mut kibibytes = message.chunks_exact(1024);
    kibibytes.by_ref().for_each(&mut take);
    let mut end = kibibytes.remainder().to_vec();
    end.push(0x80);
    end.resize((end.len() + 8).next_multiple_of(1024) - 8, 0);
    // The length is a 32-bit number.
    end.extend((8 * u64::from(message.len() as u32)).to_be_bytes());
    end.chunks(1024).for_each(&mut take);
    let words: Vec<u8> =
        (0..N).flat_map(|word| chains.map(|chain| chain[word].to_le_bytes())).flatten().collect();
    whole(&words)
}

pub fn mh_sha1(message: &[u8]) -> Vec<u8> {
    let start = [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    multi(message, start, sha1::block_api::compress, super::oracle::by::<sha1::Sha1>)
}

pub fn mh_sha256(message: &[u8]) -> Vec<u8> {
    let start = [
        0x6a09_e667,
        0xbb67_ae85,
        0x3c6e_f372,
        0xa54f_f53a,
        0x510e_527f,
        0x9b05_688c,
        0x1f83_d9ab,
        0x5be0_cd19,
    ];
    multi(message, start, sha2::block_api::compress256, super::oracle::by::<sha2::Sha256>)
}
