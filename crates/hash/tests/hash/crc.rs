//! CRCs of every width and name compared with an independent implementation and table of parameters, and combined from
//! parts.

use crate::input;
use crc::Crc;
use std::collections::BTreeMap;
use truesum_hash::tree::Linear;
use truesum_hash::{ALGORITHMS, CRC_CATALOGUE, Spec, find};

type Oracle = Box<dyn Fn(&[u8]) -> u128>;

macro_rules! oracles {
    ($($word:ty: $($name:ident)*;)*) => {
        vec![$($((stringify!($name), {
            let crc = Crc::<$word>::new(&crc::$name);
            Box::new(move |data: &[u8]| u128::from(crc.checksum(data))) as Oracle
        })),*),*]
    };
}

/// Every CRC of the `crc` crate's catalogue.
fn oracles() -> Vec<(&'static str, Oracle)> {
    oracles! {
        u8: CRC_3_GSM CRC_3_ROHC CRC_4_G_704 CRC_4_INTERLAKEN CRC_5_EPC_C1G2 CRC_5_G_704 CRC_5_USB CRC_6_CDMA2000_A CRC_6_CDMA2000_B CRC_6_DARC CRC_6_G_704 CRC_6_GSM CRC_7_MMC CRC_7_ROHC CRC_7_UMTS CRC_8_AUTOSAR CRC_8_BLUETOOTH CRC_8_CDMA2000 CRC_8_DARC CRC_8_DVB_S2 CRC_8_GSM_A CRC_8_GSM_B CRC_8_HITAG CRC_8_I_432_1 CRC_8_I_CODE CRC_8_LTE CRC_8_MAXIM_DOW CRC_8_MIFARE_MAD CRC_8_NRSC_5 CRC_8_OPENSAFETY CRC_8_ROHC CRC_8_SAE_J1850 CRC_8_SMBUS CRC_8_TECH_3250 CRC_8_WCDMA;
        u16: CRC_10_ATM CRC_10_CDMA2000 CRC_10_GSM CRC_11_FLEXRAY CRC_11_UMTS CRC_12_CDMA2000 CRC_12_DECT CRC_12_GSM CRC_12_UMTS CRC_13_BBC CRC_14_DARC CRC_14_GSM CRC_15_CAN CRC_15_MPT1327 CRC_16_ARC CRC_16_CDMA2000 CRC_16_CMS CRC_16_DDS_110 CRC_16_DECT_R CRC_16_DECT_X CRC_16_DNP CRC_16_EN_13757 CRC_16_GENIBUS CRC_16_GSM CRC_16_IBM_3740 CRC_16_IBM_SDLC CRC_16_ISO_IEC_14443_3_A CRC_16_KERMIT CRC_16_LJ1200 CRC_16_M17 CRC_16_MAXIM_DOW CRC_16_MCRF4XX CRC_16_MODBUS CRC_16_NRSC_5 CRC_16_OPENSAFETY_A CRC_16_OPENSAFETY_B CRC_16_PROFIBUS CRC_16_RIELLO CRC_16_SPI_FUJITSU CRC_16_T10_DIF CRC_16_TELEDISK CRC_16_TMS37157 CRC_16_UMTS CRC_16_USB CRC_16_XMODEM;
        u32: CRC_17_CAN_FD CRC_21_CAN_FD CRC_24_BLE CRC_24_FLEXRAY_A CRC_24_FLEXRAY_B CRC_24_INTERLAKEN CRC_24_LTE_A CRC_24_LTE_B CRC_24_OPENPGP CRC_24_OS_9 CRC_30_CDMA CRC_31_PHILIPS CRC_32_AIXM CRC_32_AUTOSAR CRC_32_BASE91_D CRC_32_BZIP2 CRC_32_CD_ROM_EDC CRC_32_CKSUM CRC_32_ISCSI CRC_32_ISO_HDLC CRC_32_JAMCRC CRC_32_MEF CRC_32_MPEG_2 CRC_32_XFER;
        u64: CRC_40_GSM CRC_64_ECMA_182 CRC_64_GO_ISO CRC_64_MS CRC_64_NVME CRC_64_REDIS CRC_64_WE CRC_64_XZ;
        u128: CRC_82_DARC;
    }
}

/// Removes from a name everything that differs between an identifier and the catalogue's spelling.
fn plain(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase()
}

/// Returns the algorithm for a catalogue name; the catalogue's `cksum` does not include the length, which ours does.
fn spec_of(constant: &str) -> Spec {
    let wanted = plain(if constant == "CRC_32_CKSUM" { "crc-32/posix" } else { constant });
    let row = ALGORITHMS.iter().chain(CRC_CATALOGUE).find(|row| {
        [row.name(), row.tag()]
            .iter()
            .chain(row.aliases())
            .any(|name| plain(name) == wanted && name.contains(['/', '-']))
    });
    Spec::new(row.unwrap_or_else(|| panic!("{constant} is not in the table")))
}

#[test]
fn every_crc_matches_another_implementation() {
    let data = input::bytes("sm64:23", 5000);
    let mut seen = BTreeMap::new();
    for (name, oracle) in oracles() {
        let spec = spec_of(name);
        let expected = |len: usize| {
            let value = oracle(&data[..len]).to_be_bytes();
            value[16 - spec.digest_len()..].to_vec()
        };
        for len in (0..=300).chain([511, 512, 513, 1023, 2049, 4096, 5000]) {
            let expected = expected(len);
            assert_eq!(spec.digest(&data[..len]).as_bytes(), expected, "{spec} of {len} bytes");
            for cut in [0, 1, 7, 8, 15, 16, 17, 128, 255, 256, len] {
                let (a, b) = data[..len].split_at(cut.min(len));
                let mut hasher = spec.hasher();
                hasher.update(a);
                hasher.update(b);
                assert_eq!(hasher.finish_reset().as_bytes(), expected, "{spec} of {cut} and {}", b.len());
                let linear = Linear::of(spec.algorithm()).expect("a CRC adds up");
                let joined = linear.join(&spec.digest(a), &spec.digest(b), b.len() as u64);
                assert_eq!(joined.as_bytes(), expected, "{spec} joined of {cut} and {}", b.len());
            }
        }
        assert!(seen.insert(spec.to_string(), name).is_none(), "{name} twice");
    }
    for row in CRC_CATALOGUE {
        assert!(seen.contains_key(row.name()), "nothing independent computes {}", row.name());
    }
    assert_eq!(seen.len(), CRC_CATALOGUE.len() + 4);
}

#[test]
fn crc_names_are_unique_and_resolve_to_their_row() {
    let mut seen = BTreeMap::new();
    for row in ALGORITHMS.iter().chain(CRC_CATALOGUE) {
        let mut names: Vec<String> = [row.name(), row.tag()]
            .iter()
            .chain(row.aliases())
            .map(|name| name.to_ascii_lowercase())
            .collect();
        names.dedup();
        for name in names {
            assert_eq!(find(&name), Some(row), "{name}");
            if let Some(other) = seen.insert(name.clone(), row.name()) {
                assert_eq!(other, row.name(), "{name} is in two rows");
            }
        }
        let spec = Spec::new(row);
        assert_eq!(spec.to_string().parse(), Ok(spec.clone()));
        assert_eq!(spec.tag().parse(), Ok(spec));
    }
}

#[test]
fn every_catalogue_crc_matches_its_check_value() {
    for row in CRC_CATALOGUE {
        assert_eq!(Spec::new(row).digest(b"123456789").to_hex(), row.check(), "{}", row.name());
        assert_eq!(row.check().len(), row.digest_len() * 2);
    }
}
