//! Passes outcomes from workers, which finish in any order, to the sink in the order of tasks.

use crate::job::Summary;
use crate::run::event::{Batch, WorkerEvent};
use crate::run::feed::Feeder;
use crate::run::order::Order;
use crate::task::{Notice, Sink};
use std::collections::VecDeque;
use std::io;

/// Restores the order of tasks and delivers events.
pub(super) struct Output<'a, 'f> {
    sink: &'a mut dyn Sink,
    summary: Summary,
    waiting: VecDeque<Option<WorkerEvent>>,
    next: u64,
    /// The number of jobs whose end has been delivered.
    ended: u64,
    order: Order,
    feeder: &'a Feeder<'f>,
}

impl<'a, 'f> Output<'a, 'f> {
    pub(super) fn new(sink: &'a mut dyn Sink, order: Order, feeder: &'a Feeder<'f>) -> Output<'a, 'f> {
        Output {
            sink,
            summary: Summary::default(),
            waiting: VecDeque::new(),
            next: 0,
            ended: 0,
            order,
            feeder,
        }
    }

    /// Accepts the events of a worker and delivers those that are next.
    ///
    /// # Errors
    /// Returns the error of the sink.
    pub(super) fn take(&mut self, batch: Batch) -> io::Result<()> {
        for (place, event) in batch {
            if self.order == Order::AsReady {
                self.hand_out(event)?;
                self.next += 1;
                continue;
            }
            // No underflow: each place is delivered once, so `next` has not passed it. The window
            // of the feeder limits the length of the queue.
            let index = (place - self.next) as usize;
            if index >= self.waiting.len() {
                self.waiting.resize_with(index + 1, || None);
            }
            self.waiting[index] = Some(event);
        }
        while let Some(Some(_)) = self.waiting.front() {
            let event = self.waiting.pop_front().flatten();
            self.next += 1;
            event.map_or(Ok(()), |event| self.hand_out(event))?;
        }
        // Once for each batch, because workers that wait are woken by it.
        self.feeder.handed_out(self.next);
        self.sink.pause()
    }

    /// Lets the sink flush what was delivered while nothing new arrives.
    ///
    /// # Errors
    /// Returns the error of the sink.
    pub(super) fn pause(&mut self) -> io::Result<()> {
        self.sink.pause()
    }

    /// Delivers the outcomes that still wait for a file that a stopped run did not finish, and
    /// returns the counts of the run.
    ///
    /// # Errors
    /// Returns the error of the sink.
    pub(super) fn end(mut self, interrupted: bool) -> io::Result<Summary> {
        // Places of dropped tasks remain empty.
        for event in std::mem::take(&mut self.waiting).into_iter().flatten() {
            self.hand_out(event)?;
        }
        if interrupted {
            self.summary.interrupted = true;
            self.summary.unreached = self.feeder.found().saturating_sub(self.ended);
        }
        self.sink.pause()?;
        Ok(self.summary)
    }

    fn hand_out(&mut self, event: WorkerEvent) -> io::Result<()> {
        match event {
            WorkerEvent::Outcome(outcome) => {
                self.ended += 1;
                self.summary.count(&outcome);
                self.sink.outcome(outcome)
            }
            WorkerEvent::Notice(notice) => {
                // The job of an own output was counted as found, so it must not count as unreached.
                self.ended += u64::from(matches!(notice, Notice::Own(_)));
                if let Notice::Failed(error) = &notice {
                    self.summary.count_failed(error);
                }
                self.summary.malformed += u64::from(matches!(notice, Notice::Malformed(_)));
                self.sink.notice(notice)
            }
        }
    }
}
