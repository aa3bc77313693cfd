//! Job arrays as schedulers start them, and processes on one machine.

use crate::program::Folder;
use std::process::Command;

/// Returns a tree of small files in seven bundles, and the manifest from a single run.
fn seven_bundles() -> (Folder, Vec<u8>) {
    let folder = Folder::new();
    for at in 0..35 {
        folder.write(format!("d/{}/{at}", at % 3), format!("content {at}"));
    }
    let ran = folder.run(&["shard", "plan", "-q", "-o", "plan", "--bundle-files", "5", "d"]);
    assert_eq!(ran.out(), "7\n", "{}", ran.err);
    let local = folder.run(&["hash", "d"]).out;
    (folder, local)
}

fn merged(folder: &Folder) -> Vec<u8> {
    let ran = folder.run(&["shard", "merge", "-q", "plan", "-o", "M"]);
    assert_eq!((ran.code, &ran.err[..]), (Some(0), ""));
    folder.read("M")
}

/// Runs a worker with these variables; returns its exit status and messages.
fn worker(folder: &Folder, variables: &[(&str, u64)], words: &[&str]) -> (Option<i32>, String) {
    let mut command = folder.command();
    command.envs(variables.iter().map(|(name, value)| (name, value.to_string())));
    let output = command.args(["shard", "run", "--progress=never", "plan"]).args(words).output().unwrap();
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Returns the variables of element `id` of a Slurm array with the elements `first..=last`.
fn slurm(id: u64, first: u64, last: u64) -> [(&'static str, u64); 5] {
    [
        ("SLURM_ARRAY_TASK_ID", id),
        ("SLURM_ARRAY_TASK_MIN", first),
        ("SLURM_ARRAY_TASK_MAX", last),
        ("SLURM_ARRAY_TASK_COUNT", last - first + 1),
        ("SLURM_ARRAY_TASK_STEP", 1),
    ]
}

#[test]
fn elements_that_are_submitted_again_compute_the_same_bundles() {
    for first in [0, 1] {
        let (folder, local) = seven_bundles();
        let again = [first + 1, first + 2];
        for id in first..first + 3 {
            // The node of two elements fails.
            if !again.contains(&id) {
                assert_eq!(worker(&folder, &slurm(id, first, first + 2), &["--index-from-env"]).0, Some(0));
            }
        }
        let done = folder.run(&["shard", "merge", "-q", "plan", "-o", "M"]);
        assert_eq!(done.code, Some(1));
        let missing = done.err.matches("its part is missing").count();
        for id in again {
            // `sbatch --array=2` or `--array=1,2`, which look like an array of one or two elements.
            for (low, high) in [(id, id), (again[0], again[1])] {
                let (code, message) = worker(&folder, &slurm(id, low, high), &["--index-from-env"]);
                assert_eq!(code, Some(0), "{message}");
                assert!(
                    message.matches("truesum: bundle ").count() <= missing,
                    "only its own bundles: {message}"
                );
            }
        }
        assert_eq!(merged(&folder), local);
        // More elements than the first array had.
        let (code, message) = worker(&folder, &slurm(5, 0, 9), &["--index-from-env"]);
        assert!(
            code == Some(2) && message.contains("SLURM_ARRAY_TASK_ID is 5, but the number of workers is 3"),
            "{message}"
        );
        assert_eq!(worker(&folder, &slurm(5, 0, 9), &["--index-from-env", "--of", "10"]).0, Some(0));
    }
}

#[test]
fn mpi_ranks_share_the_bundles() {
    let (folder, local) = seven_bundles();
    for rank in 0..3 {
        let variables = [
            ("OMPI_COMM_WORLD_RANK", rank),
            ("OMPI_COMM_WORLD_SIZE", 3),
            ("SLURM_PROCID", 0),
            ("SLURM_NTASKS", 1),
        ];
        assert_eq!(worker(&folder, &variables, &["--index-from-env"]).0, Some(0));
    }
    assert_eq!(merged(&folder), local);
    let both = [&slurm(0, 0, 6)[..], &[("SLURM_PROCID", 1), ("SLURM_STEP_NUM_TASKS", 4)]].concat();
    let (code, message) = worker(&folder, &both, &["--index-from-env"]);
    assert!(
        code == Some(2) && message.contains("SLURM_ARRAY_TASK_ID and SLURM_PROCID are both set"),
        "{message}"
    );
}

#[test]
fn array_index_from_environment_selects_the_bundle() {
    for (name, first) in [
        ("SLURM_ARRAY_TASK_ID", 0),
        ("JOB_COMPLETION_INDEX", 0),
        ("AWS_BATCH_JOB_ARRAY_INDEX", 0),
        ("PBS_ARRAY_INDEX", 0),
        ("PBS_ARRAYID", 1),
        ("SGE_TASK_ID", 1),
        ("LSB_JOBINDEX", 1),
        ("SLURM_PROCID", 0),
        ("OMPI_COMM_WORLD_RANK", 0),
        ("MY_NUMBER", 1),
    ] {
        let (folder, local) = seven_bundles();
        let option = if name == "MY_NUMBER" {
            format!("--index-from-env={name}")
        } else {
            "--index-from-env".to_owned()
        };
        for index in [6, 0, 3, 1, 5, 4, 2] {
            assert_eq!(worker(&folder, &[(name, first + index)], &[&option]).0, Some(0), "{name} {index}");
        }
        assert_eq!(merged(&folder), local);
    }
    let (folder, _) = seven_bundles();
    for (pairs, message) in [
        (
            &[("SLURM_ARRAY_TASK_ID", "1"), ("JOB_COMPLETION_INDEX", "2")][..],
            "SLURM_ARRAY_TASK_ID is 1, but JOB_COMPLETION_INDEX is 2",
        ),
        (&[("SLURM_ARRAY_TASK_ID", "x")], "SLURM_ARRAY_TASK_ID: not a worker number"),
        (
            &[("SLURM_ARRAY_TASK_ID", "8")],
            "SLURM_ARRAY_TASK_ID is 8, but the number of bundles in the plan is ",
        ),
    ] {
        let mut command = folder.command();
        command.envs(pairs.iter().copied()).args(["shard", "run", "plan", "--index-from-env"]);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(message), "{output:?}");
    }
}

#[test]
fn workers_share_bundles_in_any_number() {
    for workers in [1, 3, 9] {
        let (folder, local) = seven_bundles();
        for worker in 0..workers {
            let words = ["shard", "run", "-q", "plan", &worker.to_string(), "--of", &workers.to_string()];
            assert_eq!(folder.run(&words).code, Some(0));
        }
        assert_eq!(merged(&folder), local, "{workers}");
    }
}

/// As shown in README and docs.
#[test]
fn xargs_and_parallel_start_workers() {
    for (tool, script) in [
        ("xargs", "seq 0 6 | xargs -P 4 -n 1 \"$0\" shard run -q plan"),
        ("parallel", "seq 0 6 | parallel -j 4 \"$0\" shard run -q plan"),
    ] {
        if !Command::new(tool).arg("--version").output().is_ok_and(|output| output.status.success()) {
            truesum_test_support::oracle::missing(tool);
            continue;
        }
        let (folder, local) = seven_bundles();
        let mut shell = Command::new("sh");
        shell.args(["-c", script, env!("CARGO_BIN_EXE_truesum")]).current_dir(folder.root());
        assert!(shell.status().unwrap().success(), "{tool}");
        assert_eq!(merged(&folder), local, "{tool}");
    }
}

#[test]
fn part_does_not_depend_on_threads() {
    let (folder, _) = seven_bundles();
    for (threads, parts) in [("1", "one"), ("4", "two")] {
        let words = ["shard", "run", "-q", "plan", "0..7", "-j", threads, "-o", parts];
        assert_eq!(folder.run(&words).code, Some(0));
    }
    let output = Command::new("diff").args(["-r", "one", "two"]).current_dir(folder.root()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

/// What an indexed job must contain according to the reference of `batch/v1`, because there is no cluster to run it on.
const JOB: &str = r#"
import sys, yaml
job = yaml.safe_load(open(sys.argv[1]))
assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job")
assert set(job) == {"apiVersion", "kind", "metadata", "spec"} and job["metadata"]["name"]
spec = job["spec"]
known = {"completionMode", "completions", "parallelism", "backoffLimitPerIndex", "maxFailedIndexes", "podFailurePolicy", "template"}
assert set(spec) <= known, set(spec) - known
assert spec["completionMode"] == "Indexed" and 0 < spec["parallelism"] <= spec["completions"] <= 100000
pod = spec["template"]["spec"]
# A policy for failures, and limits for each index, ask for this.
assert pod["restartPolicy"] == "Never"
[container] = pod["containers"]
for rule in spec["podFailurePolicy"]["rules"]:
    assert rule["action"] in ("FailJob", "FailIndex", "Ignore", "Count")
    if codes := rule.get("onExitCodes"):
        assert codes["containerName"] == container["name"] and codes["operator"] in ("In", "NotIn")
        assert 0 not in codes["values"] and codes["values"] == sorted(set(codes["values"]))
mounts = {mount["name"] for mount in container["volumeMounts"]}
assert mounts == {volume["name"] for volume in pod["volumes"]}
args = container["args"]
assert args[args.index("--of") + 1] == str(spec["completions"])
print(*args)
"#;

#[test]
fn kubernetes_example_is_a_working_job() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shards/kubernetes.yaml");
    let has_yaml =
        Command::new("python3").args(["-c", "import yaml"]).status().is_ok_and(|status| status.success());
    if !has_yaml {
        return truesum_test_support::oracle::missing("yaml (Python)");
    }
    let output = Command::new("python3").args(["-c", JOB]).arg(path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (folder, local) = seven_bundles();
    let words = String::from_utf8(output.stdout).unwrap();
    for index in 0..64 {
        let words =
            words.split_whitespace().map(|word| if word == "/data/plan.jsonl" { "plan" } else { word });
        let mut command = folder.command();
        let output = command.env("JOB_COMPLETION_INDEX", index.to_string()).args(words).output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(merged(&folder), local);
}

#[test]
fn slurm_example_works() {
    let script = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shards/slurm.sh");
    let (folder, local) = seven_bundles();
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_truesum")).parent().unwrap();
    let path = format!("{}:{}", program.display(), std::env::var("PATH").unwrap());
    let job = |task: u64| {
        let mut command = Command::new("bash");
        command.arg(&script).arg("plan").current_dir(folder.root()).env("PATH", &path);
        for (name, value) in slurm(task, 0, 2) {
            command.env(name, value.to_string());
        }
        command.output().unwrap()
    };
    for task in 0..3 {
        let output = job(task);
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(merged(&folder), local);
    assert_eq!(job(4).status.code(), Some(2), "there are three");
}
