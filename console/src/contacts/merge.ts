/** The editable fields of a contact. */
export interface Draft {
  readonly name: string;
  readonly phone: string;
  readonly optedOut: boolean;
  readonly tags: readonly number[];
  readonly fields: Readonly<Record<string, string>>;
}

/** A field that two users changed to different values. */
export interface Clash {
  readonly part: "name" | "phone" | "optedOut" | "field";
  /** The name of the custom field, if `part` is `field`. */
  readonly field?: string;
  /** The other user's value; null if that user removed the custom field. */
  readonly theirs: string | boolean | null;
}

interface Merged {
  readonly draft: Draft;
  readonly clashes: readonly Clash[];
}

/**
 * Merges two users' changes. A field that both changed differently keeps `mine` and becomes a clash. Tags never clash.
 */
export function merge(base: Draft, mine: Draft, theirs: Draft): Merged {
  const clashes: Clash[] = [];
  const of = <Part extends "name" | "phone" | "optedOut">(part: Part): Draft[Part] => {
    if (mine[part] === base[part]) return theirs[part];
    if (theirs[part] !== base[part] && theirs[part] !== mine[part]) clashes.push({ part, theirs: theirs[part] });
    return mine[part];
  };
  const [name, phone, optedOut] = [of("name"), of("phone"), of("optedOut")];
  const fields = mergedFields(base.fields, mine.fields, theirs.fields, clashes);
  const removed = base.tags.filter((tag) => !mine.tags.includes(tag));
  const tags = [...new Set([...theirs.tags.filter((tag) => !removed.includes(tag)), ...added(base, mine)])];
  return { draft: { name, phone, optedOut, tags, fields }, clashes };
}

const added = (base: Draft, mine: Draft): number[] => mine.tags.filter((tag) => !base.tags.includes(tag));

type Fields = Draft["fields"];

const textIn = (fields: Fields, name: string): string | null =>
  Object.hasOwn(fields, name) ? (fields[name] ?? null) : null;

function mergedFields(base: Fields, mine: Fields, theirs: Fields, clashes: Clash[]): Fields {
  const kept: [string, string][] = [];
  for (const field of new Set([...Object.keys(mine), ...Object.keys(theirs), ...Object.keys(base)])) {
    const [before, own, other] = [textIn(base, field), textIn(mine, field), textIn(theirs, field)];
    const isMine = own !== before;
    if (isMine && other !== before && other !== own) clashes.push({ part: "field", field, theirs: other });
    const text = isMine ? own : other;
    if (text !== null) kept.push([field, text]);
  }
  return Object.fromEntries(kept);
}

/** Returns the draft with the other user's value of the clashing field. */
export function taken(draft: Draft, { part, field = "", theirs }: Clash): Draft {
  if (part !== "field") return { ...draft, [part]: theirs };
  const { [field]: _, ...others } = draft.fields;
  return { ...draft, fields: theirs === null ? others : { ...others, [field]: String(theirs) } };
}
