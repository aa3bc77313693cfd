//! What a check says of each entry as it comes, and where files that failed are damaged.

use crate::check::locate::{Locate, Located};
use crate::check::plan::Checking;
use crate::check::report::{self, Detail, Form};
use crate::check::total::Total;
use crate::console::Console;
use crate::drawing::page::Page;
use crate::output::Output;
use std::io;
use truesum::manifest::LineError;
use truesum::{Notice, Outcome, Sink, Verdict};

/// Malformed lines named for each manifest, unless `--warn` asks for all.
const NAMED_LINES: u64 = 20;
/// Missing names that are remembered, to look for them under the current folder.
const REMEMBERED: usize = 32;

/// Reports outcomes of one manifest.
pub struct Reporting<'a> {
    pub plan: &'a Checking,
    pub name: &'a [u8],
    pub console: &'a mut Console,
    pub output: &'a mut Output,
    pub lines: Vec<u8>,
    /// Missing files that are passed over.
    pub ignored: u64,
    /// Malformed lines named so far.
    pub named_lines: u64,
    /// The first missing names.
    pub missing: Vec<Vec<u8>>,
    pub required: &'a mut Vec<Vec<u8>>,
    pub page: &'a mut Page,
    pub locate: Locate<'a>,
}

impl<'a> Reporting<'a> {
    /// Reports what comes of the manifest `name`, and adds what is counted to `total`.
    pub fn new(
        plan: &'a Checking,
        name: &'a [u8],
        console: &'a mut Console,
        output: &'a mut Output,
        total: &'a mut Total,
        locate: Locate<'a>,
    ) -> Reporting<'a> {
        let Total { required, page, .. } = total;
        let (lines, missing) = (Vec::new(), Vec::new());
        Reporting {
            plan,
            name,
            console,
            output,
            lines,
            ignored: 0,
            named_lines: 0,
            missing,
            required,
            page,
            locate,
        }
    }

    /// Writes the lines that are ready.
    fn tell(&mut self) -> io::Result<()> {
        let Reporting { console, output, lines, .. } = self;
        if lines.is_empty() {
            return Ok(());
        }
        let written =
            if output.is_terminal { console.around(|| output.write(lines)) } else { output.write(lines) };
        lines.clear();
        written
    }

    /// Tells an entry, and where its file is damaged if that is asked for.
    fn report(&mut self, outcome: &Outcome) -> io::Result<()> {
        let form = self.plan.form;
        let wanted = self.plan.locate.as_ref().filter(|_| outcome.verdict() == Verdict::Mismatch);
        let map = wanted.is_some_and(|wanted| wanted.map);
        self.lines.clear();
        if form != Form::Json {
            // That a file failed is known long before a second read of it says where.
            report::entry(form, outcome, self.name, None, &mut self.lines);
            self.tell()?;
        }
        let located = wanted.map(|_| self.locate.look(outcome));
        match &located {
            _ if form == Form::Json => {
                report::entry(form, outcome, self.name, located.as_ref(), &mut self.lines);
            }
            Some(located) => self.lines.extend_from_slice(located.text(map).as_bytes()),
            None => {}
        }
        self.tell()?;
        if let (Some(located), Some(_)) = (&located, wanted.and_then(|wanted| wanted.page.as_ref())) {
            self.page.add(|| located.section(&outcome.job.name));
        }
        if let Some(hint) = located.as_ref().and_then(Located::hint) {
            self.console.hint(hint);
        }
        Ok(())
    }

    fn malformed(&mut self, error: &LineError) -> io::Result<()> {
        if self.plan.form == Form::Json {
            self.lines.clear();
            report::malformed(self.name, error.line, &error.reason.to_string(), &mut self.lines);
            return self.tell();
        }
        if self.plan.detail() != Detail::None && (self.plan.warn || self.named_lines < NAMED_LINES) {
            self.named_lines += 1;
            self.console.error_of(self.name, &error.to_string());
        }
        Ok(())
    }
}

impl Sink for Reporting<'_> {
    fn pause(&mut self) -> io::Result<()> {
        self.output.pause()
    }

    fn outcome(&mut self, outcome: Outcome) -> io::Result<()> {
        match outcome.verdict() {
            Verdict::Missing => {
                if self.missing.len() < REMEMBERED {
                    self.missing.push(outcome.job.name.clone());
                }
                if self.plan.ignore_missing {
                    self.ignored += 1;
                    return Ok(());
                }
            }
            Verdict::Verified if self.plan.require.contains(&outcome.job.name) => {
                self.required.push(outcome.job.name.clone());
            }
            _ => {}
        }
        self.report(&outcome)?;
        if let Err(error) = &outcome.result
            && self.plan.detail() != Detail::None
            && let Some(hint) = error.hint()
        {
            self.console.hint(hint);
        }
        Ok(())
    }

    fn notice(&mut self, notice: Notice) -> io::Result<()> {
        match notice {
            Notice::Malformed(error) => self.malformed(&error),
            Notice::Failed(error) => {
                self.console.failure(&error);
                Ok(())
            }
            // A check walks nothing while it runs.
            _ => Ok(()),
        }
    }
}
