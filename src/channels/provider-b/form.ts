import { createHmac } from "node:crypto";

/** Each field's values; a field can be given twice. */
export type Form = ReadonlyMap<string, ReadonlySet<string>>;

/** The value of a field; empty if it is not there. */
export type FieldReader = (name: string) => string;

const mostFields = 200;

/** The fields of a form; null if there are more than a webhook ever has. */
export function formIn(body: Buffer): Form | null {
  if (separatorsIn(body) >= mostFields) return null;
  const form = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body.toString("utf8"))) {
    form.set(name, (form.get(name) ?? new Set()).add(value));
  }
  return form;
}

/** A field that is given twice counts as it was given first; empty if it is not given. */
export function fieldOf(form: Form, name: string): string {
  const [value = ""] = form.get(name) ?? [];
  return value;
}

const separator = "&".charCodeAt(0);

function separatorsIn(body: Buffer): number {
  let count = 0;
  for (const byte of body) if (byte === separator) count += 1;
  return count;
}

/** The signatures that prove a form at this address. The provider signs the port or leaves it out, as it likes. */
export const signaturesOf = (token: string, url: string, form: Form): string[] =>
  spellingsOf(url).map((address) => signatureOf(token, address, form));

function signatureOf(token: string, url: string, form: Form): string {
  const names = [...form.keys()].sort();
  const written = names.flatMap((name) => [...(form.get(name) ?? [])].sort().map((value) => name + value));
  return createHmac("sha1", token)
    .update(url + written.join(""), "utf8")
    .digest("base64");
}

const parts = /^((https?):\/\/(?:\[[^\]]*\]|[^/?#:]*))(:\d+)?(.*)$/is;

/** The address without its port, and with it. */
function spellingsOf(url: string): string[] {
  const [, start, scheme = "", port, rest] = parts.exec(url) ?? [];
  if (start === undefined) return [url];
  return [`${start}${rest}`, `${start}${port ?? (scheme.toLowerCase() === "https" ? ":443" : ":80")}${rest}`];
}
