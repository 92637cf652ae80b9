/**
 * A condition with which the commit of a statement does not wait for the disk. After a crash of the database some
 * deliveries are claimed or made again, which also happens when a worker dies.
 */
export const asyncCommit = "set_config('synchronous_commit', 'off', true) is not null";
