#!/bin/bash
# One job array computes all bundles of a plan: job I of N takes bundles I, I + N, ...
#
#   truesum shard plan -o plan.jsonl --root /data /data
#   sbatch --array=0-999 slurm.sh plan.jsonl
#   sbatch --array=17,512 slurm.sh plan.jsonl      jobs that failed: they take the same bundles again
#   truesum shard merge plan.jsonl -o /data/SHA256SUMS
#
# The size of the first array is recorded next to the parts.
#SBATCH --job-name=truesum
#SBATCH --nodes=1
#SBATCH --exclusive
#SBATCH --time=04:00:00
#SBATCH --requeue
#SBATCH --open-mode=append
set -u
plan=$1
status=0
# As many threads as the job has cores: one process per node.
truesum shard run --progress=never --die-with-parent \
    -j "${SLURM_CPUS_ON_NODE:-1}" "$plan" --index-from-env || status=$?
# 4: a failure of this node's device, network or memory; another node may succeed. Finished bundles are not repeated.
if [ "$status" = 4 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ] && [ -n "${SLURM_JOB_ID:-}" ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
exit "$status"
