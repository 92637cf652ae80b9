/** Whether a page of this origin was answered by this host; of the usual port either may say it or not. */
export function isOriginOf(origin: string, host: string): boolean {
  try {
    const { protocol, host: named } = new URL(origin);
    return /^https?:$/.test(protocol) && host !== "" && named === new URL(`${protocol}//${host}`).host;
  } catch {
    return false;
  }
}
