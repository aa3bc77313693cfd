"""The attacks, one module per topic, and the table of all attacks.

Every attack is a function `(lab, tally)`, whose docstring describes the scenario and the correct outcome. It counts its
observations in a `Tally`: `right`, `wrong`, and `missed` if the attack came too early or too late.
"""
from scenarios.clocks import check_clocks
from scenarios.concurrency import concurrent_updates
from scenarios.cuts import regrow
from scenarios.damage import contradictory_manifests, damaged_manifests
from scenarios.kills import killed_writers
from scenarios.links import links_reused, links_rewritten
from scenarios.manifests import deep_round_trip, leftovers, old_manifest, round_trip
from scenarios.memory import depth, little_memory
from scenarios.outputs import outputs_over_inputs, second_mount
from scenarios.promises import damaged_signatures, promises
from scenarios.signals import interrupts, signal_in_hole
from scenarios.stamps import stamps_ext2, stamps_ext4, stamps_ramfs
from scenarios.streams import closed_streams, closed_streams_gnu, nonblocking_streams
from scenarios.terminals import terminal_escapes
from scenarios.trees import damaged_trees, repair_moving, resume_build, resume_verify
from scenarios.walks import check_outside, walk_exchange
from scenarios.writes import long_write, mapped_disk, mapped_memory, restored_stamps

# Number, name, function, seconds for its rounds. The limit for the whole attack is three times that plus 30.
ATTACKS = [
    (1, 'long-write', long_write, 14),
    (2, 'stamps-ext4', stamps_ext4, 12),
    (2, 'stamps-ext2', stamps_ext2, 12),
    (2, 'stamps-ramfs', stamps_ramfs, 8),
    (3, 'mapped-disk', mapped_disk, 8),
    (3, 'mapped-memory', mapped_memory, 8),
    (4, 'resume-build', resume_build, 10),
    (4, 'resume-verify', resume_verify, 10),
    (5, 'links-rewritten', links_rewritten, 8),
    (5, 'links-reused', links_reused, 8),
    (6, 'closed-streams', closed_streams, 10),
    (6, 'closed-streams-gnu', closed_streams_gnu, 5),
    (7, 'repair-moving', repair_moving, 14),
    (8, 'walk-exchange', walk_exchange, 8),
    (9, 'check-outside', check_outside, 5),
    (10, 'signal-in-hole', signal_in_hole, 40),
    (11, 'depth', depth, 20),
    (12, 'deep-round-trip', deep_round_trip, 10),
    (13, 'interrupts', interrupts, 40),
    (14, 'old-manifest', old_manifest, 3),
    (15, 'round-trip', round_trip, 8),
    (16, 'regrow', regrow, 25),
    (17, 'leftovers', leftovers, 15),
    (18, 'restored-stamps', restored_stamps, 6),
    (19, 'nonblocking-streams', nonblocking_streams, 6),
    (20, 'damaged-trees', damaged_trees, 6),
    (21, 'little-memory', little_memory, 20),
    (22, 'killed-writers', killed_writers, 20),
    (23, 'concurrent-updates', concurrent_updates, 8),
    (24, 'check-clocks', check_clocks, 12),
    (25, 'damaged-manifests', damaged_manifests, 15),
    (25, 'contradictory-manifests', contradictory_manifests, 8),
    (26, 'terminal-escapes', terminal_escapes, 15),
    (27, 'outputs-over-inputs', outputs_over_inputs, 15),
    (27, 'second-mount', second_mount, 8),
    (28, 'promises', promises, 8),
    (28, 'damaged-signatures', damaged_signatures, 8),
]
