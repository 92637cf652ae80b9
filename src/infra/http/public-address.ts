/** Where this service is reached from outside: as it is set, else where it listens. */
export class PublicAddress {
  private listening = "";

  /** @param given - empty where none is set */
  constructor(private readonly given: string) {}

  listensAt(host: string, port: number): void {
    const isEverywhere = host === "0.0.0.0" || host === "::";
    this.listening = `http://${isEverywhere ? "127.0.0.1" : host.includes(":") ? `[${host}]` : host}:${port}`;
  }

  /** Without a slash at its end. */
  get root(): string {
    return (this.given || this.listening).replace(/\/+$/, "");
  }
}
