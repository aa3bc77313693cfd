//! The formats: one file holds all there is to say of one, and its row.

pub(crate) mod arch;
pub(crate) mod bagit;
pub(crate) mod bare;
pub(crate) mod bsd;
pub(crate) mod buildroot;
pub(crate) mod cargo_lock;
pub(crate) mod certutil;
pub(crate) mod conda;
pub(crate) mod deb822;
pub(crate) mod distinfo;
pub(crate) mod gentoo;
pub(crate) mod get_filehash;
pub(crate) mod gnu;
pub(crate) mod hashdeep;
pub(crate) mod jar;
pub(crate) mod jsonl;
pub(crate) mod loose;
mod mixed;
pub(crate) mod mtree;
pub(crate) mod record;
pub(crate) mod seven_zip;
pub(crate) mod sfv;
pub(crate) mod slackware;
pub(crate) mod squirrel;
pub(crate) mod torrent;
pub(crate) mod yocto;
