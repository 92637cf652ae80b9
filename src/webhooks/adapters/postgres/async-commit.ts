/**
 * A statement with this condition commits without waiting for the disk. If the database crashes, its last changes may
 * be lost. Then some deliveries are attempted again, as after the crash of a worker.
 */
export const asyncCommit = "set_config('synchronous_commit', 'off', true) is not null";
