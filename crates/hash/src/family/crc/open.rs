//! CRCs without a name: `crc;width=16;poly=0x1021;init=0xffff;refin=false;refout=false;xorout=0x0`.
//!
//! Such an algorithm is created when it is first requested, and is never freed. Its name is the canonical spelling of
//! its parameters.

use super::register::of_part;
use crate::algorithm::{Algorithm, Crc, Kind, Linear, Parameters, Status};
use std::sync::{Mutex, PoisonError};

/// The text before the parameters.
pub(crate) const KEY: &str = "crc";

/// The supported widths: those in the catalogue.
const WIDTHS: std::ops::RangeInclusive<u8> = 3..=82;

/// The maximum number of such algorithms: a manifest that names more and more of them would fill the memory with their
/// tables.
const MOST: usize = 1024;

/// Returns the CRC with these parameters, `key=value` separated by `;`. `width` and `poly` are required, the others
/// default to 0 or false.
///
/// # Errors
/// Fails if a parameter is unknown, repeated, missing or out of range; the text names it.
pub(crate) fn open(text: &str) -> Result<&'static Algorithm, String> {
    static CREATED: Mutex<Vec<&'static Algorithm>> = Mutex::new(Vec::new());
    let (parameters, check) = parameters(text)?;
    let name = name(&parameters);
    let mut made = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
    let known = made.iter().find(|row| row.name == name).copied();
    if known.is_none() && made.len() == MOST {
        return Err(format!("at most {MOST} CRCs with custom parameters are possible"));
    }
    let row = known.unwrap_or_else(|| {
        let row = &*Box::leak(Box::new(row(name, parameters)));
        made.push(row);
        row
    });
    match check {
        Some(check) if u128::from_str_radix(row.check, 16) != Ok(check) => {
            Err(format!("check={check:#x} does not match these parameters (their check value is 0x{})", row.check))
        }
        _ => Ok(row),
    }
}

fn row(name: String, parameters: Parameters) -> Algorithm {
    let crc = Crc::of(parameters);
    Algorithm {
        tag: name.to_uppercase().leak(),
        name: name.leak(),
        digest_len: parameters.bytes(),
        status: Status::Checksum("error detection by a CRC with custom parameters"),
        summary: "a CRC with custom parameters",
        check: of_part(&crc, b"123456789").to_hex().leak(),
        kind: Kind::Linear(Box::leak(Box::new(Linear::Crc(crc)))),
        ..Algorithm::PLAIN
    }
}

/// Returns all parameters in the order of the catalogue.
fn name(parameters: &Parameters) -> String {
    let Parameters { width, poly, init, refin, refout, xorout } = parameters;
    format!(
        "{KEY};width={width};poly={poly:#x};init={init:#x};refin={refin};refout={refout};xorout={xorout:#x}"
    )
}

/// Parses the parameters, and the value of `123456789` if it is given. A line of the catalogue also contains the
/// residue and the name.
fn parameters(text: &str) -> Result<(Parameters, Option<u128>), String> {
    const KEYS: [&str; 9] =
        ["width", "poly", "init", "refin", "refout", "xorout", "check", "residue", "name"];
    let mut values = [None; KEYS.len()];
    for part in text.split(';') {
        let known = part.split_once('=').and_then(|(key, value)| {
            let at = KEYS.iter().position(|known| known.eq_ignore_ascii_case(key))?;
            Some((at, value))
        });
        let Some((at, value)) = known else {
            return Err(format!("invalid parameter '{part}' (expected width, poly, init, refin, refout or xorout, followed by =VALUE)"));
        };
        if values[at].replace(value).is_some() {
            return Err(format!("{} is specified twice", KEYS[at]));
        }
    }
    let [width, poly, init, refin, refout, xorout, check, ..] = values;
    let width = width.and_then(|width| width.parse().ok()).filter(|width| WIDTHS.contains(width));
    let Some(width) = width else {
        return Err(format!("width= must be a number of bits from {} to {}", WIDTHS.start(), WIDTHS.end()));
    };
    let number = |key: &str, value: Option<&str>| {
        let Some(value) = value else { return Ok(0) };
        let lower = value.to_ascii_lowercase();
        let digits = lower.strip_prefix("0x").unwrap_or(&lower);
        let plain = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = u128::from_str_radix(digits, 16).ok().filter(|number| plain && *number < 1 << width);
        number.ok_or_else(|| format!("{key}={value} is not a hexadecimal number of at most {width} bits"))
    };
    let truth = |key: &str, value: Option<&str>| match value.unwrap_or("false").to_ascii_lowercase().as_str() {
        "true" => Ok(true),
        "false" => Ok(false),
        other => Err(format!("{key}= must be true or false, not '{other}'")),
    };
    if poly.is_none() {
        return Err("poly= is missing (specify the polynomial in hexadecimal)".to_owned());
    }
    let parameters = Parameters {
        width,
        poly: number("poly", poly)?,
        init: number("init", init)?,
        refin: truth("refin", refin)?,
        refout: truth("refout", refout)?,
        xorout: number("xorout", xorout)?,
    };
    if parameters.poly == 0 {
        return Err("poly=0 yields the same value for every message".to_owned());
    }
    Ok((parameters, check.map(|check| number("check", Some(check))).transpose()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::family::crc::{CRC_CATALOGUE, ROWS};
    use crate::{Spec, SpecError};

    #[test]
    fn every_named_crc_can_be_given_by_parameters() {
        for row in ROWS.iter().chain(CRC_CATALOGUE) {
            let Kind::Linear(Linear::Crc(crc)) = row.kind else { unreachable!("a CRC") };
            if crc.length_suffix {
                continue;
            }
            let spec: Spec = name(&crc.parameters).parse().unwrap();
            assert_eq!(spec.digest(b"123456789").to_hex(), row.check, "{}", row.name);
            assert_eq!(spec.to_string(), name(&crc.parameters));
            assert_eq!(spec.tag().parse(), Ok(spec.clone()), "the tag is read too");
            assert_eq!(spec.to_string().to_uppercase().parse(), Ok(spec));
        }
    }

    #[test]
    fn equivalent_spellings_give_one_canonical_name() {
        let name = "crc;width=16;poly=0x1021;init=0xffff;refin=false;refout=false;xorout=0x0";
        for text in [
            name,
            "CRC;POLY=1021;WIDTH=16;init=FFFF",
            "crc;width=16;poly=0x01021;init=0xffff;refin=FALSE",
            "crc:width=16,poly=0x1021,init=0xffff",
            r#"crc:width=16 poly=0x1021 init=0xffff refin=false refout=false xorout=0x0 check=0x29b1 residue=0x0000 name="CRC-16/IBM-3740""#,
        ] {
            assert_eq!(text.parse::<Spec>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn invalid_crc_parameters_are_rejected_with_the_reason() {
        for (text, why) in [
            ("crc;width=2;poly=3", "width="),
            ("crc;width=83;poly=3", "width="),
            ("crc;poly=3", "width="),
            ("crc;width=16", "poly="),
            ("crc;width=8;poly=0x107", "poly=0x107"),
            ("crc;width=8;poly=+7", "poly=+7"),
            ("crc;width=8;poly=", "poly="),
            ("crc;width=8;poly=7;init=100", "init=100"),
            ("crc;width=8;poly=7;poly=7", "twice"),
            ("crc;width=8;poly=7;refin=1", "refin"),
            ("crc;width=8;poly=7;", "''"),
            ("crc;width=16;poly=0", "poly=0"),
            ("crc:width=16,poly=0x1021,check=0x31c4", "is 0x31c3"),
            ("crc;leaf=4KiB", "'leaf=4KiB'"),
        ] {
            match text.parse::<Spec>() {
                Err(SpecError::Parameter("crc", said)) => assert!(said.contains(why), "{text}: {said}"),
                other => panic!("{text}: {other:?}"),
            }
        }
    }
}
