/**
 * Of a statement, where it finds the row that it works on: its commit is not waited for on the disk. After a crash of the
 * database something is claimed or delivered again, which happens anyway when a worker dies.
 */
export const hasty = "set_config('synchronous_commit', 'off', true) is not null";
