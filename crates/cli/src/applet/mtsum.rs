//! Drop-in replacement for `mtsum`: the same options and output, without its bugs.
//!
//! Unlike mtsum, it prints no digest after a read error, and rejects folders instead of hanging.

use super::row::{Applet, Call};
use crate::console::Console;
use crate::drawing::outline::dot;
use crate::exit::Exit;
use crate::terminal::print_parser;
use crate::values::color::Color;
use crate::watch::Watch;
use clap::Parser;
use std::ffi::OsString;
use std::time::Instant;
use truesum::hash::Spec;
use truesum::tree::outline::outline;

/// The table row of this program.
pub(super) static APPLET: Applet = Applet { name: "mtsum", run: |call| mtsum(call).into() };

/// Compute the checksum of a file with several threads
#[derive(Parser)]
#[command(name = APPLET.name, version, disable_version_flag = true)]
struct MtsumArgs {
    /// File to hash
    path: OsString,
    /// Number of threads
    #[arg(short, long = "processor", default_value_t = 8)]
    processors: usize,
    /// Algorithm: md5, sha1, sha256, sha384, sha512 or any other that truesum supports
    #[arg(short, long, default_value = "sha256")]
    algorithm: String,
    /// Print the tree in DOT format instead of the digest
    #[arg(short, long)]
    graph: bool,
    /// Print the elapsed time
    #[arg(long)]
    benchmark: bool,
    /// Print algorithm, threads, size and time
    #[arg(long)]
    verbose: bool,
    /// Print the version
    #[arg(short, long, action = clap::ArgAction::Version)]
    version: Option<bool>,
}

fn mtsum(call: Call) -> Exit {
    let args = match MtsumArgs::try_parse_from([call.called].into_iter().chain(call.arguments)) {
        Ok(args) => args,
        Err(error) => {
            print_parser(&error);
            return if error.exit_code() == 0 { Exit::Done } else { Exit::Failed };
        }
    };
    let mut console = Console::new(Color::Auto);
    let spec: Spec = match format!("mtsum-{}", args.algorithm.to_lowercase()).parse() {
        Ok(spec) => spec,
        Err(_) => {
            console.error(&format!("mtsum: unknown algorithm '{}'", args.algorithm));
            return Exit::Failed;
        }
    };
    let name = &args.path;
    let threads = args.processors.max(1);
    let size = std::fs::metadata(&args.path).map_or(0, |metadata| metadata.len());
    let watch = Watch::of_one(Some(size), &mut console);
    let started = Instant::now();
    let mut text = String::new();
    if args.verbose {
        text = format!(
            "Algorithm: {}\nNumber of processors: {threads}\nFile size: {size} bytes\n",
            args.algorithm.to_lowercase()
        );
    }
    let result = match args.graph {
        true => outline(name, &spec, usize::MAX, &watch.reading(threads)).map(|outline| dot(&outline, &spec)),
        false => watch
            .digests(name, std::slice::from_ref(&spec), threads)
            .map(|found| format!("{}\n", found.digests()[0])),
    };
    let result = result.map(|result| {
        let mut text = text + &result;
        if args.benchmark || args.verbose {
            let seconds = started.elapsed().as_secs_f64();
            text += &format!("{seconds:.2} s ({:.2} GB/s)\n", size as f64 / seconds.max(1e-9) / 1e9);
        }
        text
    });
    watch.print(result, &mut console)
}
