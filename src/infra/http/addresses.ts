import { isIPv6 } from "node:net";

/** Removes the port that some proxies add, and writes IPv4-mapped addresses as IPv4. */
export function plainAddress(address: string): string {
  // The fast path for IPv4.
  if (!address.includes(":")) return address;
  return address.replace(/^::ffff:(?=\d+\.)/i, "").replace(/^(\d+\.\d+\.\d+\.\d+):\d+$|^\[(.*)\](:\d+)?$/, "$1$2");
}

/** An IPv4 address itself, or the /64 network of an IPv6 address, since one client has all addresses of a /64. */
export function networkOf(address: string): string {
  if (!address.includes(":") || address.startsWith("::ffff:") || !isIPv6(address)) return address;
  const [head = "", tail] = address.split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  const last = tail === undefined || tail === "" ? [] : tail.split(":");
  // `::` stands for the missing groups. A last part in IPv4 notation stands for two groups.
  const missing = 8 - groups.length - last.length - (last.at(-1)?.includes(".") ? 1 : 0);
  return [...groups, ...Array(Math.max(0, missing)).fill("0"), ...last].slice(0, 4).join(":");
}
