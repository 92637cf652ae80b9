import pg from "pg";

/** Parts of a connection that the types of `pg` omit. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

const chunkBytes = 64 * 1024;

/**
 * Runs `COPY ... FROM STDIN` like PostgreSQL's own client. `rows` are in COPY's text format. Returns the milliseconds
 * from the statement to the commit.
 */
export async function copyIn(databaseUrl: string, statement: string, rows: Buffer): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const began = performance.now();
    await new Promise<void>((resolve, reject) => {
      client.query(new CopyIn(statement, rows, (error) => (error ? reject(error) : resolve())) as never);
    });
    return performance.now() - began;
  } finally {
    await client.end();
  }
}

/** A query object. `pg` calls the methods of the object when messages of the protocol arrive. */
class CopyIn {
  private failure: Error | undefined;

  constructor(
    private readonly statement: string,
    private readonly rows: Buffer,
    private readonly ended: (error?: Error) => void,
  ) {}

  submit(connection: CopyConnection): void {
    connection.query(this.statement);
  }

  handleCopyInResponse(connection: CopyConnection): void {
    for (let at = 0; at < this.rows.length; at += chunkBytes) {
      connection.sendCopyFromChunk(this.rows.subarray(at, at + chunkBytes));
    }
    connection.endCopyFrom();
  }

  handleCommandComplete(): void {}

  handleError(error: Error): void {
    this.failure = error;
    this.ended(error);
  }

  handleReadyForQuery(): void {
    if (!this.failure) this.ended();
  }
}
