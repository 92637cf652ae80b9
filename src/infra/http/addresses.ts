import { isIPv6 } from "node:net";

/** Without the port that some proxies add, which is another for each connection; IPv4 in its own notation. */
export function plainAddress(address: string): string {
  // Most addresses need no more than this.
  if (!address.includes(":")) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$|^\[(.*)\](:\d+)?$/, "$1$2");
}

/** The address, or for IPv6 its /64: a client that has one address of a /64 has all 2^64 of them. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:") || !isIPv6(address)) return address;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  // `::` stands for as many zeros as are missing; a tail in IPv4's notation for two groups.
  const missing = 8 - groups.length - last.length - (last.at(-1)?.includes(".") ? 1 : 0);
  return [...groups, ...Array(Math.max(0, missing)).fill("0"), ...last].slice(0, 4).join(":");
}
