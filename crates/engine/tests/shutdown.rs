//! How runs end: the places where threads wait for each other, in a model checker and under load.
//!
//! The model checker (loom) runs the code of the program, not a copy: the two files that contain a condition variable
//! are compiled into this test with its locks in place of those of the standard library, and all interleavings are
//! tried (for runs, those with at most two preemptions). A worker that leaves without closing the frontier, or a helper
//! thread that ends without releasing its slot, shows as a deadlock here.

use std::sync::Arc;

mod sync {
    pub use loom::sync::{Condvar, Mutex, MutexGuard};
    pub use std::sync::PoisonError;
}

#[path = "../src/run/frontier.rs"]
#[allow(dead_code, missing_docs)]
mod frontier;
#[path = "../src/walk/slot.rs"]
#[allow(dead_code, missing_docs)]
mod slot;

use frontier::{Frontier, FrontierGuard};
use loom::sync::atomic::{AtomicBool, Ordering::Relaxed};
use loom::sync::{Mutex, mpsc};
use slot::ListingSlot;

/// The number of tasks, and how far workers may run ahead.
const TASKS: u64 = 2;
const WINDOW: u64 = 1;

/// A worker like `run::worker`, with one task at a time: it waits only when it holds nothing.
fn work(frontier: &Frontier, next: &Mutex<u64>, stop: &AtomicBool, send: &mpsc::Sender<Option<u64>>) {
    let _leaves = FrontierGuard(frontier);
    while !stop.load(Relaxed) {
        let mut place = next.lock().unwrap();
        let Some(handed_out) = frontier.place() else { return };
        if *place == TASKS {
            return;
        }
        if *place < handed_out + WINDOW {
            let taken = *place;
            *place += 1;
            drop(place);
            // A stop between taking and finishing drops the task: it will never be delivered.
            if !stop.load(Relaxed) {
                send.send(Some(taken)).unwrap();
            }
        } else {
            let until = *place + 1 - WINDOW;
            drop(place);
            frontier.wait(until);
        }
    }
}

/// A run with two workers, with delivery in the calling thread; `stopping` sets the stop flag at any moment.
fn run(stopping: bool) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(move || {
        let shared = Arc::new((Frontier::new(), Mutex::new(0), AtomicBool::new(false)));
        let (send, receive) = mpsc::channel();
        for _ in 0..2 {
            let (shared, send) = (shared.clone(), send.clone());
            loom::thread::spawn(move || {
                work(&shared.0, &shared.1, &shared.2, &send);
                send.send(None).unwrap();
            });
        }
        if stopping {
            let shared = shared.clone();
            loom::thread::spawn(move || shared.2.store(true, Relaxed));
        }
        let (mut running, mut done, mut handed_out) = (2, [false; TASKS as usize], 0);
        while running > 0 {
            match receive.recv().unwrap() {
                Some(task) => done[task as usize] = true,
                None => running -= 1,
            }
            while handed_out < TASKS && done[handed_out as usize] {
                handed_out += 1;
            }
            shared.0.advance(handed_out);
        }
        assert!(stopping || handed_out == TASKS);
    });
}

#[test]
fn run_finishes_in_every_interleaving() {
    run(false);
}

#[test]
fn stopped_run_finishes_in_every_interleaving() {
    run(true);
}

#[test]
fn folder_is_listed_once_and_its_consumer_never_deadlocks() {
    loom::model(|| {
        let slot = Arc::new(ListingSlot::new());
        let helper = slot.clone();
        let helper = loom::thread::spawn(move || {
            let begun = helper.begin()?;
            begun.put("by a helper");
            Some(())
        });
        let taken = slot.take();
        let helped = helper.join().unwrap();
        assert_eq!(taken.is_some(), helped.is_some(), "listed by the one or by the other");
    });
}

#[test]
fn helper_without_a_listing_does_not_block_the_consumer() {
    loom::model(|| {
        let slot = Arc::new(ListingSlot::<()>::new());
        let helper = slot.clone();
        let helper = loom::thread::spawn(move || drop(helper.begin()));
        assert_eq!(slot.take(), None);
        helper.join().unwrap();
    });
}

#[test]
fn abandoned_folder_is_not_listed_again() {
    loom::model(|| {
        let slot = Arc::new(ListingSlot::new());
        let helper = slot.clone();
        let helper = loom::thread::spawn(move || {
            if let Some(begun) = helper.begin() {
                begun.put(());
            }
        });
        slot.give_up();
        assert!(slot.begin().is_none());
        helper.join().unwrap();
        let slot = Arc::into_inner(slot).expect("the helper is gone");
        assert_eq!(slot.into_listed(), None, "and nothing is kept of it");
    });
}

/// Runs with real threads, each terminated if it hangs.
mod random_stops {
    use std::hash::{BuildHasher, Hasher, RandomState};
    use std::io;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::time::Duration;
    use truesum::walk::{Item, Options, Walk};
    use truesum::{Config, Job, Notice, Outcome, Progress, Sink, Special, Summary, Task, run};

    #[derive(Default)]
    struct Counting {
        outcomes: u64,
        /// The number of the outcome that cannot be written.
        refused: Option<u64>,
    }

    impl Sink for Counting {
        fn outcome(&mut self, _: Outcome) -> io::Result<()> {
            self.outcomes += 1;
            if self.refused == Some(self.outcomes) { Err(io::ErrorKind::StorageFull.into()) } else { Ok(()) }
        }
        fn notice(&mut self, notice: Notice) -> io::Result<()> {
            panic!("{notice:?}")
        }
    }

    /// Returns the result of a run on a separate thread, so that the test can stop waiting.
    fn start(
        mut tasks: impl Iterator<Item = Task> + Send + 'static,
        threads: usize,
        progress: &Arc<Progress>,
        mut sink: Counting,
    ) -> impl FnOnce() -> io::Result<Summary> {
        let (send, receive) = channel();
        let progress = progress.clone();
        std::thread::spawn(move || {
            let config = Config::default().threads(threads).special(Special::Read);
            let _ = send.send(run(&config, &mut tasks, &progress, &mut sink));
        });
        move || receive.recv_timeout(Duration::from_secs(60)).expect("the run ends")
    }

    // It needs a named pipe in a folder.
    #[cfg(unix)]
    #[test]
    fn worker_waiting_for_the_window_wakes_on_stop() {
        let folder = tempfile::tempdir().unwrap();
        let (pipe, small) = (folder.path().join("pipe"), folder.path().join("small"));
        std::fs::write(&small, "small").unwrap();
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let specs = Arc::from(["crc32".parse().unwrap()]);
        let first = Task::File(Job::hash(&pipe, &specs));
        let others = (0..40_000).map({
            let small = small.clone();
            move |_| Task::File(Job::hash(small.clone(), &specs))
        });
        let progress = Arc::new(Progress::default());
        let end = start(std::iter::once(first).chain(others), 2, &progress, Counting::default());
        // One worker reads the pipe, which holds more than it takes at a time; the other reaches the end of the window.
        let mut writer = std::fs::File::options().write(true).open(&pipe).unwrap();
        io::Write::write_all(&mut writer, &vec![0; 6 << 20]).unwrap();
        let window = 1 << 14;
        while progress.files() < window - 1 {
            std::thread::sleep(Duration::from_millis(5));
        }
        std::thread::sleep(Duration::from_millis(50));
        progress.stop();
        let summary = end().unwrap();
        assert!(summary.interrupted());
        assert_eq!(summary.files(), window - 1, "what was finished behind the pipe is reported");
        // Whether hashed or not.
        let of_pipe = progress.bytes() - summary.bytes();
        let left = rustix::io::ioctl_fionread(&writer).unwrap();
        assert_eq!(of_pipe + left, 6 << 20, "and what was read of the pipe is counted");
    }

    #[test]
    fn runs_stopped_or_failing_at_random_moments_end() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..400 {
            let sub = folder.path().join(format!("{}/{}", number % 7, number % 5));
            std::fs::create_dir_all(&sub).unwrap();
            let size = if number % 100 == 0 { 5 << 20 } else { number * 100 };
            std::fs::write(sub.join(format!("f{number}")), vec![number as u8; size]).unwrap();
        }
        let specs: Arc<[_]> = Arc::from(["sha256".parse().unwrap(), "crc32".parse().unwrap()]);
        let random = RandomState::new();
        let mut whole = 0;
        for round in 0..120u64 {
            let mut hasher = random.build_hasher();
            hasher.write_u64(round);
            let number = hasher.finish();
            let progress = Arc::new(Progress::default());
            let walk = Walk::new([folder.path().to_owned()], Options::default(), 4);
            let specs = specs.clone();
            let task = move |item| match item {
                Item::File(name, anchor) => Task::File(Job::hash(name, &specs).with_anchor(anchor)),
                other => panic!("{other:?}"),
            };
            let tasks = walk.until(progress.stop_flag()).map(task);
            let refused = (round % 3 == 0).then_some(number % 400 + 1);
            let end = start(tasks, 1 + (round % 4) as usize, &progress, Counting { outcomes: 0, refused });
            if round % 3 == 1 {
                std::thread::sleep(Duration::from_micros(number % 30_000));
                progress.stop();
            }
            match end() {
                Err(error) => {
                    assert_eq!((error.kind(), refused.is_some()), (io::ErrorKind::StorageFull, true))
                }
                Ok(summary) => {
                    assert!(refused.is_none() && (summary.files() == 400 || summary.interrupted()));
                    assert!(progress.bytes() >= summary.bytes());
                    whole += u64::from(summary.files() == 400);
                }
            }
        }
        assert!(whole >= 40, "those that nobody disturbs");
    }
}
