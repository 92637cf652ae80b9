/** The address at which others reach the service: the configured address or, without one, where the service listens. */
export class PublicAddress {
  private listening = "";

  /** @param given - the configured address; empty if there is none */
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
