import { createHmac } from "node:crypto";

/** All values of each field: a field may occur several times. */
export type Form = ReadonlyMap<string, ReadonlySet<string>>;

/** Empty if the field is missing. */
export type FieldReader = (name: string) => string;

const mostFields = 200;

/** Null if there are more fields than a webhook ever has. */
export function formIn(body: Buffer): Form | null {
  if (separatorsIn(body) >= mostFields) return null;
  const form = new Map<string, Set<string>>();
  for (const [name, value] of new URLSearchParams(body.toString("utf8"))) {
    form.set(name, (form.get(name) ?? new Set()).add(value));
  }
  return form;
}

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

/** The valid signatures of a form that was sent to this URL. The provider may sign the URL with or without the port. */
export const signaturesOf = (token: string, url: string, form: Form): string[] =>
  urlVariants(url).map((address) => signatureOf(token, address, form));

function signatureOf(token: string, url: string, form: Form): string {
  const names = [...form.keys()].sort();
  const written = names.flatMap((name) => [...(form.get(name) ?? [])].sort().map((value) => name + value));
  return createHmac("sha1", token)
    .update(url + written.join(""), "utf8")
    .digest("base64");
}

const parts = /^((https?):\/\/(?:\[[^\]]*\]|[^/?#:]*))(:\d+)?(.*)$/is;

function urlVariants(url: string): string[] {
  const [, start, scheme = "", port, rest] = parts.exec(url) ?? [];
  if (start === undefined) return [url];
  return [`${start}${rest}`, `${start}${port ?? (scheme.toLowerCase() === "https" ? ":443" : ":80")}${rest}`];
}
