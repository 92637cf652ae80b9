/** Keeps the digits of a phone number written in any way; `null` when none is left. */
export function phoneDigits(written: string): string | null {
  const digits = written.replace(/\D/g, "");
  return digits === "" ? null : digits;
}
