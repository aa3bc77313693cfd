//! The manifest formats. Each module defines one format or a family of related ones: the row in the
//! table of formats, the parser and, if the format can be written, the writer.
//!
//! To add a format, write its file, and add its `mod` line and its line in [`FORMATS`] here.
//! Recognition, `truesum list`, conversion and the round-trip tests follow from the row.

mod apkbuild;
mod apt;
mod arch;
pub(crate) mod bagit;
mod bao;
mod bare;
mod bsd;
mod buildroot;
mod cargo_lock;
mod casync;
mod certutil;
mod cfv_csv;
mod chkbit;
mod clrmamepro;
mod conan;
mod conda;
mod console;
mod csv;
mod deb822;
mod dfxml;
mod distinfo;
mod electron;
mod ena;
mod foreign;
mod freebsd_dist;
mod fsum;
mod gem_lock;
mod gentoo;
mod get_filehash;
pub(crate) mod gnu;
mod gpg;
mod gsutil;
mod hashdeep;
mod hashrat;
mod jar;
mod jpegsheriff;
mod json;
mod jsonl;
mod known_set;
mod lfs;
mod librsync;
mod links;
mod loose;
mod md5deep;
mod metalink;
pub(crate) mod mhl;
pub(crate) mod mixed;
mod mtree;
pub(crate) mod nameless;
mod narinfo;
mod openssl;
mod packed;
mod pacman;
mod padded;
mod pairs;
mod par;
mod pc_tools;
mod prelude;
mod pylock;
mod python_lock;
mod rclone;
mod record;
mod requirements;
mod rhash_simple;
mod rpm_dump;
mod s3;
mod s3_inventory;
mod s3_parts;
mod seven_zip;
mod sfv;
mod sfvmd5;
mod shasum;
pub(crate) mod signature;
mod sized;
mod slackware;
mod spdx;
mod squirrel;
mod sri;
mod timestamp;
mod torrent;
mod tth;
mod verity;
mod wrapper;
mod xml;
mod xml_lists;
mod yaml;
mod yaml_lists;
mod yocto;
mod zsync;

use crate::format::Format;

/// All formats. If two are recognized equally well, the first one is used.
pub static FORMATS: &[&Format] = &[
    &jsonl::JSONL,
    &bsd::BSD,
    &openssl::OPENSSL,
    &lfs::LS_FILES,
    &gnu::GNU,
    &sfv::SFV,
    &hashdeep::HASHDEEP,
    &torrent::TORRENT,
    &torrent::TORRENT_V2,
    &torrent::TORRENT_HYBRID,
    &bare::BARE,
    &loose::LOOSE,
    &fsum::FSUM,
    &sized::SIZED,
    &padded::PADDED,
    &distinfo::DISTINFO,
    &freebsd_dist::FREEBSD_DIST,
    &deb822::DEB822,
    &slackware::SLACKWARE,
    &squirrel::SQUIRREL,
    &spdx::SPDX,
    &certutil::CERTUTIL,
    &get_filehash::GET_FILEHASH,
    &seven_zip::SEVEN_ZIP,
    &buildroot::BUILDROOT,
    &gentoo::GENTOO,
    &record::RECORD,
    &jar::JAR,
    &signature::OPENPGP,
    &signature::MINISIGN,
    &signature::SIGNIFY_DETACHED,
    &signature::SSH,
    &signature::CMS,
    &signature::SIGSTORE,
    &timestamp::OPENTIMESTAMPS,
    &timestamp::REPLY,
    &timestamp::TOKEN,
    &timestamp::REQUEST,
    &signature::SIGNIFY,
    &sfvmd5::SFVMD5,
    &md5deep::MD5DEEP,
    &pc_tools::PC_TOOLS,
    &mtree::MTREE,
    &rhash_simple::RHASH_SIMPLE,
    &links::LINKS,
    &links::ED2K,
    &sri::SRI,
    &cfv_csv::CFV_CSV,
    &jpegsheriff::JPEGSHERIFF,
    &tth::TTH,
    &gpg::GPG,
    &gpg::GPG_COLONS,
    &shasum::SHASUM,
    &rclone::RCLONE,
    &gsutil::GSUTIL,
    &bagit::BAGIT,
    &yocto::YOCTO,
    &arch::ARCH,
    &apkbuild::APKBUILD,
    &apt::APT_URIS,
    &cargo_lock::CARGO_LOCK,
    &gem_lock::GEM_LOCK,
    &lfs::POINTER,
    &lfs::PAYLOAD,
    &conda::CONDA,
    &foreign::GO_SUM,
    &foreign::TERRAFORM_LOCK,
    &foreign::FFMPEG,
    &chkbit::CHKBIT,
    &foreign::BITROT,
    &python_lock::PYTHON_LOCK,
    &pylock::PYLOCK,
    &wrapper::WRAPPER,
    &narinfo::NARINFO,
    &pacman::PACMAN,
    &rpm_dump::RPM_DUMP,
    &foreign::RECIPE,
    &foreign::DATABASE,
    &requirements::PIP_HASH,
    &requirements::REQUIREMENTS,
    &known_set::NSRL,
    &known_set::ENCASE,
    &known_set::CLAMAV,
    &known_set::SQLITE,
    &json::JSON,
    &electron::ELECTRON,
    &yaml_lists::DVC,
    &yaml_lists::DVC_LOCK,
    &yaml_lists::HELM,
    &yaml_lists::WINGET,
    &yaml_lists::CONDA_LOCK,
    &yaml_lists::SIEGFRIED,
    &yaml::YAML,
    &hashrat::HASHRAT,
    &conan::CONAN,
    &csv::CSV,
    &pairs::PAIRS,
    &ena::ENA,
    &s3::S3_REPORT,
    &s3_inventory::S3_INVENTORY,
    &dfxml::DFXML,
    &metalink::METALINK4,
    &metalink::METALINK3,
    &mhl::ASCMHL,
    &mhl::CHAIN,
    &mhl::MHL,
    &xml_lists::CLIXML,
    &xml_lists::FCIV,
    &xml_lists::INTERNET_ARCHIVE,
    &xml_lists::REPOMD,
    &xml_lists::RPM_PRIMARY,
    &xml_lists::PREMIS,
    &xml_lists::METS,
    &xml_lists::XFDU,
    &xml_lists::GRADLE,
    &xml_lists::LOGIQX,
    &xml_lists::CYCLONEDX,
    &clrmamepro::CLRMAMEPRO,
    &xml_lists::AZURE,
    &par::PAR2,
    &par::PAR1,
    &zsync::ZSYNC,
    &casync::CAIBX,
    &librsync::RDIFF,
    &bao::OBAO,
    &bao::OBAO4,
    &verity::FSVERITY,
    &verity::DM_VERITY,
    &verity::IDSIG,
    &s3_parts::S3_PARTS,
    &packed::GZIP,
    &packed::XZ,
    &packed::ZSTD,
    &packed::LZMA,
    &foreign::AUDIO,
    &foreign::LOCK,
    &foreign::WEB_PAGE,
    &foreign::IMAGE,
    &packed::BZIP2,
    &packed::LZ4,
    &packed::ZIP,
    &packed::SEVEN_Z,
    &bsd::BSD_Z,
    &gnu::GNU_Z,
    &hashdeep::HASHDEEP_Z,
];
