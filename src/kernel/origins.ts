/** Whether a page of this origin was served by this host. Both texts may omit the default port. */
export function isOriginOf(origin: string, host: string): boolean {
  try {
    const { protocol, host: named } = new URL(origin);
    return /^https?:$/.test(protocol) && host !== "" && named === new URL(`${protocol}//${host}`).host;
  } catch {
    return false;
  }
}
