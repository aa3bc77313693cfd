//! Determines which bundles a worker of a job array or of an MPI job computes.
//!
//! Worker I of N computes the bundles I, I + N and so on. An array may be numbered from 0 or from 1, so I and N are the
//! numbers of the same worker modulo N. When single elements of an array are submitted again, the scheduler no longer
//! reports the size of the first array; it is therefore recorded next to the parts.

use crate::console::Console;
use crate::exit::Refusal;
use std::env::VarError;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use truesum::open::open_companion;
use truesum::shard::plan::Plan;
use truesum::{AtomicFile, Error};
use truesum_fs::name::OsStrExt;

/// Returns the value of an environment variable.
type Get<'g> = &'g dyn Fn(&str) -> Option<u64>;

/// A variable with the index of a worker.
struct Scheme {
    index: &'static str,
    /// Returns the number of workers, if the other variables show it.
    workers: fn(Get<'_>) -> Option<u64>,
}

/// The variables of schedulers with the index of a job in an array.
const ARRAYS: [Scheme; 7] = [
    Scheme {
        index: "SLURM_ARRAY_TASK_ID",
        workers: |get| {
            let [first, last, step, count] =
                ["MIN", "MAX", "STEP", "COUNT"].map(|name| get(&format!("SLURM_ARRAY_TASK_{name}")));
            complete(first?, last?, step.unwrap_or(1)).filter(|workers| count == Some(*workers))
        },
    },
    Scheme { index: "JOB_COMPLETION_INDEX", workers: |_| None },
    Scheme { index: "AWS_BATCH_JOB_ARRAY_INDEX", workers: |get| get("AWS_BATCH_JOB_ARRAY_SIZE") },
    Scheme {
        index: "SGE_TASK_ID",
        workers: |get| {
            complete(get("SGE_TASK_FIRST")?, get("SGE_TASK_LAST")?, get("SGE_TASK_STEPSIZE").unwrap_or(1))
        },
    },
    Scheme { index: "PBS_ARRAY_INDEX", workers: |_| None },
    Scheme { index: "PBS_ARRAYID", workers: |_| None },
    Scheme { index: "LSB_JOBINDEX", workers: |_| None },
];

/// The variables of programs that start a fixed number of processes, with the index of a process. Those of MPI come
/// first, because `mpirun` starts its own processes with `srun`.
const LAUNCHERS: [Scheme; 3] = [
    Scheme { index: "OMPI_COMM_WORLD_RANK", workers: |get| get("OMPI_COMM_WORLD_SIZE") },
    Scheme { index: "PMI_RANK", workers: |get| get("PMI_SIZE") },
    // SLURM_NTASKS is also set in a batch script, which is a single process.
    Scheme { index: "SLURM_PROCID", workers: |get| get("SLURM_STEP_NUM_TASKS") },
];

/// Returns the number of elements of an array that appears to be complete: numbered without gaps, from 0 or 1.
fn complete(first: u64, last: u64, step: u64) -> Option<u64> {
    (first <= 1 && step == 1 && first <= last).then(|| last - first + 1)
}

/// A worker, as described by the environment.
#[derive(Debug, PartialEq)]
pub struct Place {
    index: u64,
    /// The variable that contains the index.
    name: String,
    /// The number of workers, if it is known.
    workers: Option<u64>,
    /// Whether it is an element of an array, of which some may be submitted again.
    in_array: bool,
}

/// Returns the names of all variables.
pub fn names() -> String {
    let names: Vec<&str> = ARRAYS.iter().chain(&LAUNCHERS).map(|scheme| scheme.index).collect();
    names.join(", ")
}

impl Place {
    /// Returns the place that this variable describes, or, if the name is empty, those of schedulers.
    ///
    /// # Errors
    /// Fails if there is none, it is not a number, or variables contradict each other.
    pub fn from_env(named: &str) -> Result<Place, Refusal> {
        Place::find(named, &|name| match std::env::var(name) {
            Ok(text) => Some(text),
            Err(VarError::NotPresent) => None,
            Err(VarError::NotUnicode(_)) => Some(String::new()),
        })
    }

    fn find(named: &str, get: &dyn Fn(&str) -> Option<String>) -> Result<Place, Refusal> {
        let number = |name: &str| get(name).and_then(|text| text.parse::<u64>().ok());
        let at = |scheme: &Scheme, in_array| -> Result<Option<Place>, Refusal> {
            let name = scheme.index;
            let Some(text) = get(name) else { return Ok(None) };
            // Grid Engine and LSF set these for jobs that are not in an array.
            if in_array && (text == "undefined" || name == "LSB_JOBINDEX" && text == "0") {
                return Ok(None);
            }
            parsed(name, &text, (scheme.workers)(&number), in_array).map(Some)
        };
        let missing =
            |names: String| Refusal::new(format!("none of these environment variables is set: {names}"));
        if !named.is_empty() {
            let known = |schemes: &'static [Scheme]| schemes.iter().find(|scheme| scheme.index == named);
            let found = match (known(&ARRAYS), known(&LAUNCHERS)) {
                (Some(scheme), _) => at(scheme, true)?,
                (None, Some(scheme)) => at(scheme, false)?,
                (None, None) => get(named).map(|text| parsed(named, &text, None, true)).transpose()?,
            };
            return found.ok_or_else(|| Refusal::new(format!("the environment variable {named} is not set")));
        }
        let mut array: Option<Place> = None;
        for scheme in &ARRAYS {
            let Some(found) = at(scheme, true)? else { continue };
            match &array {
                Some(Place { index, name, .. }) if *index != found.index => {
                    return Err(Refusal::new(format!(
                        "{name} is {index}, but {} is {}: select a variable with --index-from-env=NAME",
                        found.name, found.index
                    )));
                }
                Some(_) => {}
                None => array = Some(found),
            }
        }
        let mut launched = None;
        for scheme in &LAUNCHERS {
            launched = launched.or(at(scheme, false)?);
        }
        match (array, launched) {
            (Some(Place { name, .. }), Some(Place { workers: Some(2..), name: other, .. })) => {
                Err(Refusal::with_hint(
                    format!(
                        "{name} and {other} are both set, so several processes would compute the same bundles"
                    ),
                    "start one process for each element of the array, or select a variable with --index-from-env=NAME",
                ))
            }
            (Some(place), _) | (None, Some(place)) => Ok(place),
            (None, None) => Err(missing(names())),
        }
    }

    /// Returns the bundles of the worker. `of` is the number of workers if it was given.
    ///
    /// # Errors
    /// Fails if there is no such worker.
    pub fn bundles(
        &self,
        of: Option<u64>,
        plan: &Plan,
        folder: &Path,
        console: &mut Console,
        notes: bool,
    ) -> Result<Vec<usize>, Refusal> {
        let all = plan.totals().bundles();
        let workers = match (of, self.in_array) {
            (Some(of), _) => of,
            (None, false) => self.workers.unwrap_or(all),
            (None, true) => {
                let record = record(plan, folder);
                match recorded(&record) {
                    Some(first) => {
                        if notes && self.workers.is_some_and(|workers| workers != first) {
                            console.note(&format!(
                                "the bundles are divided among {first} workers, as in the first job array that was used for this plan; to change this number, use --of N"
                            ));
                        }
                        first
                    }
                    None => {
                        if let Some(workers) = self.workers {
                            // Without the record, elements that are submitted again must specify --of.
                            if let Err(error) = write_record(&record, workers) {
                                console.failure(&error);
                            }
                        }
                        self.workers.unwrap_or(all)
                    }
                }
            }
        };
        if self.index > workers {
            let (name, index) = (&self.name, self.index);
            let why = match of.is_none() && workers == all {
                true => format!("{name} is {index}, but the number of bundles in the plan is {all}"),
                false => format!("{name} is {index}, but the number of workers is {workers}"),
            };
            return Err(Refusal::with_hint(
                why,
                "specify the number of workers with --of N, or submit a smaller array",
            ));
        }
        let worker = self.index % workers;
        Ok((worker..all)
            .step_by(usize::try_from(workers).unwrap_or(usize::MAX))
            .map(|bundle| bundle as usize)
            .collect())
    }
}

/// Returns the place with this text as its index.
fn parsed(name: &str, text: &str, workers: Option<u64>, in_array: bool) -> Result<Place, Refusal> {
    let index = text.parse().map_err(|_| Refusal::new(format!("{name}: not a worker number")))?;
    Ok(Place { index, name: name.to_owned(), workers: workers.filter(|workers| *workers > 0), in_array })
}

/// Returns the path of the record of the number of workers.
fn record(plan: &Plan, folder: &Path) -> PathBuf {
    folder.join(format!("{}-workers", &plan.id()[..8]))
}

/// Returns the recorded number of workers.
fn recorded(path: &Path) -> Option<u64> {
    let mut text = String::new();
    open_companion(path).ok()?.take(32).read_to_string(&mut text).ok()?;
    text.strip_suffix('\n')?.parse().ok().filter(|workers| *workers > 0)
}

/// Records the number of workers.
fn write_record(path: &Path, workers: u64) -> Result<(), Error> {
    let mut file = AtomicFile::create(path)?;
    let written = file.write_all(format!("{workers}\n").as_bytes()).and_then(|()| file.flush());
    written.map_err(|error| Error::io(path.as_os_str().as_bytes(), "write", error))?;
    file.commit()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(named: &str, variables: &[(&str, &str)]) -> Result<(u64, Option<u64>), String> {
        let get = |name: &str| {
            variables.iter().find(|(other, _)| *other == name).map(|(_, value)| (*value).to_owned())
        };
        Place::find(named, &get).map(|place| (place.index, place.workers)).map_err(|refusal| refusal.text)
    }

    fn slurm(
        id: &'static str,
        first: &'static str,
        last: &'static str,
        count: &'static str,
    ) -> Vec<(&'static str, &'static str)> {
        vec![
            ("SLURM_ARRAY_TASK_ID", id),
            ("SLURM_ARRAY_TASK_MIN", first),
            ("SLURM_ARRAY_TASK_MAX", last),
            ("SLURM_ARRAY_TASK_COUNT", count),
            ("SLURM_ARRAY_TASK_STEP", "1"),
        ]
    }

    #[test]
    fn number_of_workers_is_derived_only_from_complete_arrays() {
        assert_eq!(found("", &slurm("2", "0", "9", "10")), Ok((2, Some(10))));
        assert_eq!(found("", &slurm("2", "1", "9", "9")), Ok((2, Some(9))));
        // Elements that are submitted again.
        assert_eq!(found("", &slurm("2", "2", "3", "2")), Ok((2, None)));
        assert_eq!(found("", &slurm("5", "1", "9", "3")), Ok((5, None)));
        let sge = [
            ("SGE_TASK_ID", "3"),
            ("SGE_TASK_FIRST", "1"),
            ("SGE_TASK_LAST", "7"),
            ("SGE_TASK_STEPSIZE", "1"),
        ];
        assert_eq!(found("", &sge), Ok((3, Some(7))));
        assert_eq!(found("SGE_TASK_ID", &sge), Ok((3, Some(7))));
        assert_eq!(found("", &[("LSB_JOBINDEX", "7")]), Ok((7, None)));
        assert_eq!(found("", &[("PBS_ARRAY_INDEX", "0")]), Ok((0, None)));
    }

    #[test]
    fn ranks_of_launchers_are_used_outside_arrays() {
        let mpi = [("OMPI_COMM_WORLD_RANK", "3"), ("OMPI_COMM_WORLD_SIZE", "8")];
        // `mpirun` in a Slurm job: each node has one process of `srun`.
        let both = [&mpi[..], &[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "2")]].concat();
        assert_eq!(found("", &both), Ok((3, Some(8))));
        assert_eq!(found("SLURM_PROCID", &both), Ok((1, Some(2))));
        // A batch script of an array, and jobs that are not in one.
        let script =
            [&slurm("2", "0", "9", "10")[..], &[("SLURM_PROCID", "0"), ("SLURM_NTASKS", "4")]].concat();
        assert_eq!(found("", &script), Ok((2, Some(10))));
        let alone =
            [("SGE_TASK_ID", "undefined"), ("LSB_JOBINDEX", "0"), ("PMI_RANK", "1"), ("PMI_SIZE", "2")];
        assert_eq!(found("", &alone), Ok((1, Some(2))));
        let step = [&slurm("2", "0", "9", "10")[..], &[("SLURM_PROCID", "1"), ("SLURM_STEP_NUM_TASKS", "4")]]
            .concat();
        assert!(
            found("", &step)
                .is_err_and(|why| why.contains("SLURM_ARRAY_TASK_ID and SLURM_PROCID are both set"))
        );
    }

    #[test]
    fn missing_or_invalid_variables_are_errors() {
        assert!(
            found("", &[])
                .is_err_and(|why| why.contains("none of these environment variables is set: SLURM"))
        );
        assert!(found("MINE", &[]).is_err_and(|why| why.ends_with("MINE is not set")));
        assert_eq!(found("MINE", &[("MINE", "4")]), Ok((4, None)));
        assert!(
            found("", &[("SLURM_ARRAY_TASK_ID", "x")]).is_err_and(|why| why.contains("not a worker number"))
        );
    }
}
