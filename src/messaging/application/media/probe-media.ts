import type { MediaProbe, MediaProbeOutcome } from "../sends/ports.ts";
import type { ReadMedia } from "./read-media.ts";

/**
 * Answers for our own files as a HEAD request to them would: their address may well lead into the own network, where
 * no request of a customer's choosing may go.
 */
export class ProbeMedia implements MediaProbe {
  constructor(
    private readonly outside: MediaProbe,
    private readonly own: Pick<ReadMedia, "find">,
    /** Ends in a slash; empty where there are none. */
    private readonly baseUrl: string,
  ) {}

  async probe(url: string): Promise<MediaProbeOutcome> {
    const [address = ""] = url.split(/[?#]/);
    if (this.baseUrl === "" || !`${address}/`.startsWith(this.baseUrl)) return await this.outside.probe(url);
    const name = address.slice(this.baseUrl.length);
    const isThere = name !== "" && (await this.own.find(name)) !== null;
    return { kind: "answered", status: isThere ? 200 : 404 };
  }
}
