/**
 * A statement with this condition commits without waiting for the disk. If the database crashes, changes made
 * just before may be lost. Some deliveries are then attempted again, as after the crash of a worker.
 */
export const asyncCommit = "set_config('synchronous_commit', 'off', true) is not null";
