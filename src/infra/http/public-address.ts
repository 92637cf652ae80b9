/** The service's address for others: the configured one, or where it listens. */
export class PublicAddress {
  private listening = "";

  /** @param given - empty if none is configured */
  constructor(private readonly given: string) {}

  listensAt(host: string, port: number): void {
    const isEverywhere = host === "0.0.0.0" || host === "::";
    this.listening = `http://${isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  /** The address without a trailing slash. */
  get root(): string {
    return (this.given || this.listening).replace(/\/+$/, "");
  }
}
