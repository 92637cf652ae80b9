import { type LookupAddress, lookup as systemLookup } from "node:dns";
import type https from "node:https";
import { BlockList, isIP, isIPv6, type LookupFunction, Socket, type TcpNetConnectOpts } from "node:net";
import type { Duplex } from "node:stream";
import { type RequestFilteringAgentOptions, RequestFilteringHttpsAgent } from "request-filtering-agent";

/**
 * IPv6 addresses outside of global unicast (2000::/3). request-filtering-agent allows some of these. IPv4 addresses
 * must not be checked with this list: all of them would match, as ::ffff:a.b.c.d.
 */
const notGlobal = new BlockList();
notGlobal.addSubnet("::", 3, "ipv6");
notGlobal.addSubnet("4000::", 2, "ipv6");
notGlobal.addSubnet("8000::", 1, "ipv6");

/** Azure's internal service, which has a public address. */
const internalService = "168.63.129.16";

const isNeverPublic = (address: string): boolean =>
  isIPv6(address) ? notGlobal.check(address, "ipv6") : address === internalService;

/** IPv4 networks that are not public, for `isPublicLiteral`. */
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
 * For validating input. Returns false for a literal address in a network that is not public, and true for every name.
 * The agent also refuses some reserved addresses that this function lets pass.
 *
 * @param host - the `hostname` of a `URL`
 */
export function isPublicLiteral(host: string): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return true;
  return !isNeverPublic(address) && (isIPv6(address) || !ownNetworks.check(address, "ipv4"));
}

export const notPublicCode = "ENOTPUBLIC";

/** Gives the filter's errors a code. Network errors already have one. */
function coded<Refused extends Error>(error: Refused & { code?: unknown }): Refused {
  if (error.code === undefined) error.code = notPublicCode;
  return error;
}

/**
 * An https agent for untrusted URLs. It connects only to public addresses and checks the address at connection time, so
 * DNS rebinding does not work. Set no `maxSockets`: Node's queue would never release a refused request.
 */
export class PublicOnlyAgent extends RequestFilteringHttpsAgent {
  /** @param options - connections are not kept by default. The addresses that `lookup` finds are checked, too */
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
    // A host name is resolved later. If its address is refused, the socket emits the error.
    socket?.once("error", coded);
    return socket;
  }
}

/** Refuses a name with an address that is never public. The parent class then applies its own list as well. */
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
      // Newer versions of Node throw for a name with a null byte, while Node 20.19 calls back.
      process.nextTick(found, error, []);
    }
  };
