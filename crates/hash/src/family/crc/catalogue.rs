//! The catalogue of parametrised CRC algorithms (<https://reveng.sourceforge.io/crc-catalogue/all.htm>, as of 2024):
//! one row each, except for those that are among the usual algorithms.
//!
//! The catalogue's CRC-32/CKSUM, which is POSIX `cksum` without the length, uses its other name CRC-32/POSIX, because
//! `cksum` here is the output of that program.

use crate::algorithm::{Algorithm, Crc, Kind, Linear, Parameters, Status};

macro_rules! catalogue {
    ($($name:literal $tag:literal [$($alias:literal),*]
       $width:literal $poly:literal $init:literal $refin:literal $refout:literal $xorout:literal $check:literal;)*) => {
        /// The CRCs in the catalogue of parametrised CRC algorithms. [`find`](crate::find) finds them as well.
        pub static CRC_CATALOGUE: &[Algorithm] = &[$(Algorithm {
            name: $name,
            tag: $tag,
            aliases: &[$($alias),*],
            digest_len: ($width as usize).div_ceil(8),
            status: Status::Checksum(concat!($width, " bits of error detection (catalogue of parametrised CRC algorithms)")),
            summary: concat!("CRC with polynomial ", stringify!($poly)),
            check: $check,
            kind: Kind::Linear(&Linear::Crc(Crc::of(Parameters {
                width: $width,
                poly: $poly,
                init: $init,
                refin: $refin,
                refout: $refout,
                xorout: $xorout,
            }))),
            ..Algorithm::PLAIN
        }),*];
    };
}

// Name, tag, aliases; width, polynomial, initial value, refin, refout, xorout; the value of `123456789`.
catalogue! {
    "crc-3/gsm" "CRC-3/GSM" [] 3 0x3 0x0 false false 0x7 "04";
    "crc-3/rohc" "CRC-3/ROHC" [] 3 0x3 0x7 true true 0x0 "06";
    "crc-4/g-704" "CRC-4/G-704" ["crc-4/itu"] 4 0x3 0x0 true true 0x0 "07";
    "crc-4/interlaken" "CRC-4/INTERLAKEN" [] 4 0x3 0xf false false 0xf "0b";
    "crc-5/epc-c1g2" "CRC-5/EPC-C1G2" ["crc-5/epc"] 5 0x09 0x09 false false 0x00 "00";
    "crc-5/g-704" "CRC-5/G-704" ["crc-5/itu"] 5 0x15 0x00 true true 0x00 "07";
    "crc-5/usb" "CRC-5/USB" [] 5 0x05 0x1f true true 0x1f "19";
    "crc-6/cdma2000-a" "CRC-6/CDMA2000-A" [] 6 0x27 0x3f false false 0x00 "0d";
    "crc-6/cdma2000-b" "CRC-6/CDMA2000-B" [] 6 0x07 0x3f false false 0x00 "3b";
    "crc-6/darc" "CRC-6/DARC" [] 6 0x19 0x00 true true 0x00 "26";
    "crc-6/g-704" "CRC-6/G-704" ["crc-6/itu"] 6 0x03 0x00 true true 0x00 "06";
    "crc-6/gsm" "CRC-6/GSM" [] 6 0x2f 0x00 false false 0x3f "13";
    "crc-7/mmc" "CRC-7/MMC" ["crc-7"] 7 0x09 0x00 false false 0x00 "75";
    "crc-7/rohc" "CRC-7/ROHC" [] 7 0x4f 0x7f true true 0x00 "53";
    "crc-7/umts" "CRC-7/UMTS" [] 7 0x45 0x00 false false 0x00 "61";
    "crc-8/autosar" "CRC-8/AUTOSAR" [] 8 0x2f 0xff false false 0xff "df";
    "crc-8/bluetooth" "CRC-8/BLUETOOTH" [] 8 0xa7 0x00 true true 0x00 "26";
    "crc-8/cdma2000" "CRC-8/CDMA2000" [] 8 0x9b 0xff false false 0x00 "da";
    "crc-8/darc" "CRC-8/DARC" [] 8 0x39 0x00 true true 0x00 "15";
    "crc-8/dvb-s2" "CRC-8/DVB-S2" [] 8 0xd5 0x00 false false 0x00 "bc";
    "crc-8/gsm-a" "CRC-8/GSM-A" [] 8 0x1d 0x00 false false 0x00 "37";
    "crc-8/gsm-b" "CRC-8/GSM-B" [] 8 0x49 0x00 false false 0xff "94";
    "crc-8/hitag" "CRC-8/HITAG" [] 8 0x1d 0xff false false 0x00 "b4";
    "crc-8/i-432-1" "CRC-8/I-432-1" ["crc-8/itu"] 8 0x07 0x00 false false 0x55 "a1";
    "crc-8/i-code" "CRC-8/I-CODE" [] 8 0x1d 0xfd false false 0x00 "7e";
    "crc-8/lte" "CRC-8/LTE" [] 8 0x9b 0x00 false false 0x00 "ea";
    "crc-8/maxim-dow" "CRC-8/MAXIM-DOW" ["crc-8/maxim", "dow-crc"] 8 0x31 0x00 true true 0x00 "a1";
    "crc-8/mifare-mad" "CRC-8/MIFARE-MAD" [] 8 0x1d 0xc7 false false 0x00 "99";
    "crc-8/nrsc-5" "CRC-8/NRSC-5" [] 8 0x31 0xff false false 0x00 "f7";
    "crc-8/opensafety" "CRC-8/OPENSAFETY" [] 8 0x2f 0x00 false false 0x00 "3e";
    "crc-8/rohc" "CRC-8/ROHC" [] 8 0x07 0xff true true 0x00 "d0";
    "crc-8/sae-j1850" "CRC-8/SAE-J1850" [] 8 0x1d 0xff false false 0xff "4b";
    "crc-8/smbus" "CRC-8/SMBUS" ["crc-8"] 8 0x07 0x00 false false 0x00 "f4";
    "crc-8/tech-3250" "CRC-8/TECH-3250" ["crc-8/aes", "crc-8/ebu"] 8 0x1d 0xff true true 0x00 "97";
    "crc-8/wcdma" "CRC-8/WCDMA" [] 8 0x9b 0x00 true true 0x00 "25";
    "crc-10/atm" "CRC-10/ATM" ["crc-10", "crc-10/i-610"] 10 0x233 0x000 false false 0x000 "0199";
    "crc-10/cdma2000" "CRC-10/CDMA2000" [] 10 0x3d9 0x3ff false false 0x000 "0233";
    "crc-10/gsm" "CRC-10/GSM" [] 10 0x175 0x000 false false 0x3ff "012a";
    "crc-11/flexray" "CRC-11/FLEXRAY" ["crc-11"] 11 0x385 0x01a false false 0x000 "05a3";
    "crc-11/umts" "CRC-11/UMTS" [] 11 0x307 0x000 false false 0x000 "0061";
    "crc-12/cdma2000" "CRC-12/CDMA2000" [] 12 0xf13 0xfff false false 0x000 "0d4d";
    "crc-12/dect" "CRC-12/DECT" ["crc-12-x"] 12 0x80f 0x000 false false 0x000 "0f5b";
    "crc-12/gsm" "CRC-12/GSM" [] 12 0xd31 0x000 false false 0xfff "0b34";
    "crc-12/umts" "CRC-12/UMTS" ["crc-12/3gpp"] 12 0x80f 0x000 false true 0x000 "0daf";
    "crc-13/bbc" "CRC-13/BBC" [] 13 0x1cf5 0x0000 false false 0x0000 "04fa";
    "crc-14/darc" "CRC-14/DARC" [] 14 0x0805 0x0000 true true 0x0000 "082d";
    "crc-14/gsm" "CRC-14/GSM" [] 14 0x202d 0x0000 false false 0x3fff "30ae";
    "crc-15/can" "CRC-15/CAN" ["crc-15"] 15 0x4599 0x0000 false false 0x0000 "059e";
    "crc-15/mpt1327" "CRC-15/MPT1327" [] 15 0x6815 0x0000 false false 0x0001 "2566";
    "crc-16/arc" "CRC-16/ARC" ["arc", "crc-16/lha", "crc-ibm"] 16 0x8005 0x0000 true true 0x0000 "bb3d";
    "crc-16/cdma2000" "CRC-16/CDMA2000" [] 16 0xc867 0xffff false false 0x0000 "4c06";
    "crc-16/cms" "CRC-16/CMS" [] 16 0x8005 0xffff false false 0x0000 "aee7";
    "crc-16/dds-110" "CRC-16/DDS-110" [] 16 0x8005 0x800d false false 0x0000 "9ecf";
    "crc-16/dect-r" "CRC-16/DECT-R" ["r-crc-16"] 16 0x0589 0x0000 false false 0x0001 "007e";
    "crc-16/dect-x" "CRC-16/DECT-X" ["x-crc-16"] 16 0x0589 0x0000 false false 0x0000 "007f";
    "crc-16/dnp" "CRC-16/DNP" [] 16 0x3d65 0x0000 true true 0xffff "ea82";
    "crc-16/en-13757" "CRC-16/EN-13757" [] 16 0x3d65 0x0000 false false 0xffff "c2b7";
    "crc-16/genibus" "CRC-16/GENIBUS" ["crc-16/darc", "crc-16/epc", "crc-16/epc-c1g2", "crc-16/i-code"] 16 0x1021 0xffff false false 0xffff "d64e";
    "crc-16/gsm" "CRC-16/GSM" [] 16 0x1021 0x0000 false false 0xffff "ce3c";
    "crc-16/ibm-3740" "CRC-16/IBM-3740" ["crc-16/autosar", "crc-16/ccitt-false"] 16 0x1021 0xffff false false 0x0000 "29b1";
    "crc-16/ibm-sdlc" "CRC-16/IBM-SDLC" ["crc-16/iso-hdlc", "crc-16/iso-iec-14443-3-b", "crc-16/x-25", "crc-b", "x-25"] 16 0x1021 0xffff true true 0xffff "906e";
    "crc-16/iso-iec-14443-3-a" "CRC-16/ISO-IEC-14443-3-A" ["crc-a"] 16 0x1021 0xc6c6 true true 0x0000 "bf05";
    "crc-16/kermit" "CRC-16/KERMIT" ["crc-16/bluetooth", "crc-16/ccitt", "crc-16/ccitt-true", "crc-16/v-41-lsb", "crc-ccitt", "kermit"] 16 0x1021 0x0000 true true 0x0000 "2189";
    "crc-16/lj1200" "CRC-16/LJ1200" [] 16 0x6f63 0x0000 false false 0x0000 "bdf4";
    "crc-16/m17" "CRC-16/M17" [] 16 0x5935 0xffff false false 0x0000 "772b";
    "crc-16/maxim-dow" "CRC-16/MAXIM-DOW" ["crc-16/maxim"] 16 0x8005 0x0000 true true 0xffff "44c2";
    "crc-16/mcrf4xx" "CRC-16/MCRF4XX" [] 16 0x1021 0xffff true true 0x0000 "6f91";
    "crc-16/modbus" "CRC-16/MODBUS" ["modbus"] 16 0x8005 0xffff true true 0x0000 "4b37";
    "crc-16/nrsc-5" "CRC-16/NRSC-5" [] 16 0x080b 0xffff true true 0x0000 "a066";
    "crc-16/opensafety-a" "CRC-16/OPENSAFETY-A" [] 16 0x5935 0x0000 false false 0x0000 "5d38";
    "crc-16/opensafety-b" "CRC-16/OPENSAFETY-B" [] 16 0x755b 0x0000 false false 0x0000 "20fe";
    "crc-16/profibus" "CRC-16/PROFIBUS" ["crc-16/iec-61158-2"] 16 0x1dcf 0xffff false false 0xffff "a819";
    "crc-16/riello" "CRC-16/RIELLO" [] 16 0x1021 0xb2aa true true 0x0000 "63d0";
    "crc-16/spi-fujitsu" "CRC-16/SPI-FUJITSU" ["crc-16/aug-ccitt"] 16 0x1021 0x1d0f false false 0x0000 "e5cc";
    "crc-16/t10-dif" "CRC-16/T10-DIF" [] 16 0x8bb7 0x0000 false false 0x0000 "d0db";
    "crc-16/teledisk" "CRC-16/TELEDISK" [] 16 0xa097 0x0000 false false 0x0000 "0fb3";
    "crc-16/tms37157" "CRC-16/TMS37157" [] 16 0x1021 0x89ec true true 0x0000 "26b1";
    "crc-16/umts" "CRC-16/UMTS" ["crc-16/buypass", "crc-16/verifone"] 16 0x8005 0x0000 false false 0x0000 "fee8";
    "crc-16/usb" "CRC-16/USB" [] 16 0x8005 0xffff true true 0xffff "b4c8";
    "crc-16/xmodem" "CRC-16/XMODEM" ["crc-16/acorn", "crc-16/lte", "crc-16/v-41-msb", "xmodem", "zmodem"] 16 0x1021 0x0000 false false 0x0000 "31c3";
    "crc-17/can-fd" "CRC-17/CAN-FD" [] 17 0x1685b 0x00000 false false 0x00000 "004f03";
    "crc-21/can-fd" "CRC-21/CAN-FD" [] 21 0x102899 0x000000 false false 0x000000 "0ed841";
    "crc-24/ble" "CRC-24/BLE" [] 24 0x00065b 0x555555 true true 0x000000 "c25a56";
    "crc-24/flexray-a" "CRC-24/FLEXRAY-A" [] 24 0x5d6dcb 0xfedcba false false 0x000000 "7979bd";
    "crc-24/flexray-b" "CRC-24/FLEXRAY-B" [] 24 0x5d6dcb 0xabcdef false false 0x000000 "1f23b8";
    "crc-24/interlaken" "CRC-24/INTERLAKEN" [] 24 0x328b63 0xffffff false false 0xffffff "b4f3e6";
    "crc-24/lte-a" "CRC-24/LTE-A" [] 24 0x864cfb 0x000000 false false 0x000000 "cde703";
    "crc-24/lte-b" "CRC-24/LTE-B" [] 24 0x800063 0x000000 false false 0x000000 "23ef52";
    "crc-24/openpgp" "CRC-24/OPENPGP" ["crc-24"] 24 0x864cfb 0xb704ce false false 0x000000 "21cf02";
    "crc-24/os-9" "CRC-24/OS-9" [] 24 0x800063 0xffffff false false 0xffffff "200fa5";
    "crc-30/cdma" "CRC-30/CDMA" [] 30 0x2030b9c7 0x3fffffff false false 0x3fffffff "04c34abf";
    "crc-31/philips" "CRC-31/PHILIPS" [] 31 0x04c11db7 0x7fffffff false false 0x7fffffff "0ce9e46c";
    "crc-32/aixm" "CRC-32/AIXM" ["crc-32q"] 32 0x814141ab 0x00000000 false false 0x00000000 "3010bf7f";
    "crc-32/autosar" "CRC-32/AUTOSAR" [] 32 0xf4acfb13 0xffffffff true true 0xffffffff "1697d06a";
    "crc-32/base91-d" "CRC-32/BASE91-D" ["crc-32d"] 32 0xa833982b 0xffffffff true true 0xffffffff "87315576";
    "crc-32/bzip2" "CRC-32/BZIP2" ["crc-32/aal5", "crc-32/dect-b", "b-crc-32"] 32 0x04c11db7 0xffffffff false false 0xffffffff "fc891918";
    "crc-32/cd-rom-edc" "CRC-32/CD-ROM-EDC" [] 32 0x8001801b 0x00000000 true true 0x00000000 "6ec2edc4";
    "crc-32/posix" "CRC-32/POSIX" ["crc-32/cksum"] 32 0x04c11db7 0x00000000 false false 0xffffffff "765e7680";
    "crc-32/jamcrc" "CRC-32/JAMCRC" ["jamcrc"] 32 0x04c11db7 0xffffffff true true 0x00000000 "340bc6d9";
    "crc-32/mef" "CRC-32/MEF" [] 32 0x741b8cd7 0xffffffff true true 0x00000000 "d2c22f51";
    "crc-32/mpeg-2" "CRC-32/MPEG-2" [] 32 0x04c11db7 0xffffffff false false 0x00000000 "0376e6e7";
    "crc-32/xfer" "CRC-32/XFER" ["xfer"] 32 0x000000af 0x00000000 false false 0x00000000 "bd0be338";
    "crc-40/gsm" "CRC-40/GSM" [] 40 0x0004820009 0x0000000000 false false 0xffffffffff "d4164fc646";
    "crc-64/ecma-182" "CRC-64/ECMA-182" ["crc-64"] 64 0x42f0e1eba9ea3693 0x0000000000000000 false false 0x0000000000000000 "6c40df5f0b497347";
    "crc-64/go-iso" "CRC-64/GO-ISO" [] 64 0x000000000000001b 0xffffffffffffffff true true 0xffffffffffffffff "b90956c775a41001";
    "crc-64/ms" "CRC-64/MS" [] 64 0x259c84cba6426349 0xffffffffffffffff true true 0x0000000000000000 "75d4b74f024eceea";
    "crc-64/redis" "CRC-64/REDIS" [] 64 0xad93d23594c935a9 0x0000000000000000 true true 0x0000000000000000 "e9c6d914c4b8d9ca";
    "crc-64/we" "CRC-64/WE" [] 64 0x42f0e1eba9ea3693 0xffffffffffffffff false false 0xffffffffffffffff "62ec59e3f1a4f00a";
    "crc-82/darc" "CRC-82/DARC" [] 82 0x0308c0111011401440411 0x000000000000000000000 true true 0x000000000000000000000 "009ea83f625023801fd612";
}
