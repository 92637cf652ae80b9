/**
 * A condition that makes the commit of its statement not wait for the disk. After a crash of the database something is
 * claimed or delivered again, which also happens when a worker dies.
 */
export const asyncCommit = "set_config('synchronous_commit', 'off', true) is not null";
