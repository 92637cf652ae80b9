import type { Schema } from "./schema.ts";

/** Maps each name on the wire to the field of the record that it shows, and to its schema. */
type WireFields<Shown> = Readonly<Record<string, readonly [field: keyof Shown, schema: Schema]>>;

/** The properties of a record's schema, and the record on the wire. JSON writes dates as ISO 8601 by itself. */
export function wireFields<Shown extends object>(fields: WireFields<Shown>) {
  const all = Object.entries(fields);
  return {
    properties: Object.fromEntries(all.map(([name, [, schema]]) => [name, schema])),
    toWire(shown: Shown): object {
      const wire: Record<string, unknown> = {};
      for (const [name, [field]] of all) wire[name] = shown[field];
      return wire;
    },
  };
}
