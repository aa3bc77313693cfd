//! Hashes every file in a directory tree on all cores: `hash_tree ALGORITHM[,ALGORITHM] FOLDER`.
use std::io::{self, BufWriter, Write};
use std::sync::Arc;
use truesum::walk::{Options, Walk};
use truesum::{Config, Notice, Outcome, Progress, Sink, run};

struct Lines(BufWriter<io::Stdout>);

impl Sink for Lines {
    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        match outcome.result {
            Ok(found) => {
                for digest in found.digests() {
                    write!(self.0, "{digest}  ")?;
                    self.0.write_all(outcome.job.name())?;
                    self.0.write_all(b"\n")?;
                }
            }
            Err(error) => eprintln!("{error}"),
        }
        Ok(())
    }
    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        eprintln!("{notice:?}");
        Ok(())
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut args = std::env::args().skip(1);
    let algorithms = args.next().ok_or("which algorithm?")?;
    let folder = args.next().ok_or("which folder?")?;
    let specs: Arc<[_]> = algorithms.split(',').map(str::parse).collect::<Result<Vec<_>, _>>()?.into();
    let walk = Walk::new([folder], Options::default(), 2);
    let mut tasks = walk.map(|item| item.task(&specs));
    let mut lines = Lines(BufWriter::new(io::stdout()));
    let summary = run(&Config::default(), &mut tasks, &Progress::default(), &mut lines)?;
    lines.0.flush()?;
    eprintln!("{summary:?}");
    Ok(())
}
