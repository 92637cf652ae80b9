/**
 * A condition that lets the commit of its statement not wait for the disk. After a crash of the database some deliveries
 * may be claimed or made again, as after the death of a worker.
 */
export const asyncCommit = "set_config('synchronous_commit', 'off', true) is not null";
