/** Names of the code's own, such as states, as SQL writes them: `'a', 'b'`. What users give is a parameter. */
export const quoted = (...names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** The same for each name by itself: `{ a: "'a'", b: "'b'" }`. */
export const literalsOf = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> =>
  Object.fromEntries(names.map((name) => [name, quoted(name)])) as Record<Name, string>;

/** The place of a value in an order, from 1. */
export const rankIn = (order: readonly string[], value: string): string =>
  `array_position(array[${quoted(...order)}], ${value})`;

/** For each field of an object the expression that it comes from. */
export type Columns<View> = { readonly [Field in keyof View]-?: string };

/** The object as `jsonb`: a field without an expression does not compile. */
export const jsonOf = <View extends object>(columns: Columns<View>): string =>
  `jsonb_build_object(${Object.entries(columns)
    .map(([field, column]) => `'${field}', ${column}`)
    .join(", ")})`;
