import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type https from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction, Socket, type TcpNetConnectOpts } from "node:net";
import type { Duplex } from "node:stream";
import { type RequestFilteringAgentOptions, RequestFilteringHttpsAgent } from "request-filtering-agent";

/**
 * IPv6 outside of global unicast (2000::/3). request-filtering-agent takes some of it for public, among it the
 * old form ::127.0.0.1. A list of its own: an IPv4 address matches IPv6 rules as ::ffff:a.b.c.d.
 */
const notGlobal = new BlockList();
notGlobal.addSubnet("::", 3, "ipv6");
notGlobal.addSubnet("4000::", 2, "ipv6");
notGlobal.addSubnet("8000::", 1, "ipv6");

/** A cloud's internal service on an address of the public range. */
const internalService = "168.63.129.16";

const isNeverPublic = (address: string): boolean =>
  isIPv6(address) ? notGlobal.check(address, "ipv6") : address === internalService;

/** The IPv4 networks that machines of ones own have, for `isPublicLiteral`. */
const ownNetworks = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
  ["224.0.0.0", 3],
] as const) {
  ownNetworks.addSubnet(network, bits, "ipv4");
}

/**
 * False for an address that is certain to be refused when a connection is made, true for every name: for people who enter
 * one. The agent alone keeps out of the own network.
 *
 * @param host - as `URL` has it
 */
export function isPublicLiteral(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return true;
  return !isNeverPublic(address) && (isIPv6(address) || !ownNetworks.check(address, "ipv4"));
}

/** The code of the error with which `PublicOnlyAgent` refuses to connect. */
export const notPublicCode = "ENOTPUBLIC";

/** What is refused by this agent or its parent class has no code; errors of the network have one. */
function coded<Refused extends Error>(error: Refused & { code?: unknown }): Refused {
  if (error.code === undefined) error.code = notPublicCode;
  return error;
}

/**
 * An https agent for addresses that somebody else chose: it connects to public addresses only, whether written
 * as a literal or found by name, and checks the address it is about to connect to, not an earlier lookup.
 * A connection that is kept stays with the address that was checked. Give it no limit of sockets: Node's queue would
 * never let go of a refused request.
 */
export class PublicOnlyAgent extends RequestFilteringHttpsAgent {
  /** @param options - connections are not kept unless they say so; what their `lookup` finds is checked, too */
  constructor(
    { lookup = systemLookup, ...options }: https.AgentOptions & RequestFilteringAgentOptions = { keepAlive: false },
  ) {
    super({ ...options, lookup: publicOnly(lookup) });
  }

  override createConnection(
    options: TcpNetConnectOpts,
    listener?: (error: Error | null, socket: Duplex) => void,
  ): Duplex | Socket {
    const told = listener && ((error: Error | null, to: Duplex) => listener(error && coded(error), to));
    if (isNeverPublic(options.host ?? "")) {
      const socket = new Socket();
      told?.(new Error("not a public address"), socket);
      return socket;
    }
    const socket = super.createConnection(options, told);
    // A name is looked up later, and a refusal then ends the connection.
    socket?.once("error", coded);
    return socket;
  }
}

/** The parent class checks what this returns once more, by its own list. */
const publicOnly =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    const found = (error: Error | null, answer: string | LookupAddress[]) => {
      if (error) return callback(error, "");
      const addresses = typeof answer === "string" ? [{ address: answer, family: isIP(answer) }] : answer;
      if (addresses.some(({ address }) => isNeverPublic(address)))
        return callback(new Error("not a public address"), "");
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return callback(null, first?.address ?? "", first?.family);
    };
    try {
      lookup(hostname, { ...options, all: true }, found);
    } catch (error) {
      // Newer versions of Node throw for a name with a null byte; Node 20.19 calls back.
      process.nextTick(found, error, []);
    }
  };
