//! Hashes for which no other library is available, implemented literally and slowly from their authors' definitions.

/// The substitution table: from the entry for 8E on, each entry follows from the previous one by 116 steps of an
/// eight-bit register; the entry before 8E is zero.
fn belt_table() -> [u8; 256] {
    let mut table = [0; 256];
    let mut register = 0x8eu8;
    for at in 11..266 {
        table[at % 256] = register;
        for _ in 0..116 {
            register = register >> 1 | ((register & 0x63).count_ones() as u8 & 1) << 7;
        }
    }
    table
}

/// STB 34.101.31, 6.1: encrypts a block of four words with a key of eight words.
fn belt_block(table: &[u8; 256], block: [u32; 4], key: [u32; 8]) -> [u32; 4] {
    let g = |word: u32, turn: u32| {
        u32::from_le_bytes(word.to_le_bytes().map(|byte| table[usize::from(byte)])).rotate_left(turn)
    };
    let [mut a, mut b, mut c, mut d] = block;
    let mut keys = key.iter().cycle();
    for round in 1..=8 {
        let mut key = || *keys.next().expect("a cycle");
        b ^= g(a.wrapping_add(key()), 5);
        c ^= g(d.wrapping_add(key()), 21);
        a = a.wrapping_sub(g(b.wrapping_add(key()), 13));
        let e = g(b.wrapping_add(c).wrapping_add(key()), 21) ^ round;
        b = b.wrapping_add(e);
        c = c.wrapping_sub(e);
        d = d.wrapping_add(g(c.wrapping_add(key()), 13));
        b ^= g(a.wrapping_add(key()), 21);
        c ^= g(d.wrapping_add(key()), 5);
        (a, b, c, d) = (b, d, a, c);
    }
    [b, d, a, c]
}

/// STB 34.101.31, 7.8: a chain of two halves, the sum of all `sigma1`, and at the end the length in bits.
pub fn belt(message: &[u8]) -> Vec<u8> {
    type Half = [u32; 4];
    let table = &belt_table();
    let halves = |bytes: &[u8]| -> [Half; 2] {
        let mut words = bytes.chunks(4).map(|word| {
            let mut whole = [0; 4];
            whole[..word.len()].copy_from_slice(word);
            u32::from_le_bytes(whole)
        });
        [(); 2].map(|()| [(); 4].map(|()| words.next().unwrap_or(0)))
    };
    let xor = |a: Half, b: Half| -> Half { std::array::from_fn(|at| a[at] ^ b[at]) };
    let both =
        |a: Half, b: Half| -> [u32; 8] { std::array::from_fn(|at| if at < 4 { a[at] } else { b[at - 4] }) };
    let sigma1 = |[u1, u2]: [Half; 2], [u3, u4]: [Half; 2]| {
        let sum = xor(u3, u4);
        xor(belt_block(table, sum, both(u1, u2)), sum)
    };
    let sigma2 = |u: [Half; 2], [u3, u4]: [Half; 2]| {
        let sum = sigma1(u, [u3, u4]);
        let first = belt_block(table, u[0], both(sum, u4));
        let second = belt_block(table, u[1], both(sum.map(|word| !word), u3));
        [xor(first, u[0]), xor(second, u[1])]
    };
    let mut chain = halves(&table[..32]);
    let mut sum = [0; 4];
    for block in message.chunks(32).map(halves) {
        sum = xor(sum, sigma1(block, chain));
        chain = sigma2(block, chain);
    }
    let mut length = [0; 32];
    length[..16].copy_from_slice(&(8 * message.len() as u128).to_le_bytes());
    let digest = sigma2([halves(&length)[0], sum], chain);
    digest.as_flattened().iter().flat_map(|word| word.to_le_bytes()).collect()
}

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
