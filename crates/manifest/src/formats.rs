//! The formats: one file holds all there is to say of one, and its row.

pub(crate) mod bsd;
pub(crate) mod csv;
pub(crate) mod dfxml;
pub(crate) mod electron;
pub(crate) mod fciv;
pub(crate) mod foreign;
pub(crate) mod gnu;
pub(crate) mod gzip;
pub(crate) mod hashdeep;
pub(crate) mod internet_archive;
pub(crate) mod json;
pub(crate) mod jsonl;
pub(crate) mod metalink;
pub(crate) mod mhl;
mod mixed;
pub(crate) mod par;
pub(crate) mod s3;
pub(crate) mod sfv;
pub(crate) mod torrent;
mod xml;
pub(crate) mod zsync;
