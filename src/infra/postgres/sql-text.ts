/** Constants of the code as SQL literals: `'a', 'b'`. User input must be a parameter instead. */
export const quoted = (...names: readonly string[]): string => names.map((name) => `'${name}'`).join(", ");

/** Each name with its SQL literal: `{ a: "'a'", b: "'b'" }` for `a` and `b`. */
export const literalsOf = <Name extends string>(names: readonly Name[]): Readonly<Record<Name, string>> =>
  Object.fromEntries(names.map((name) => [name, quoted(name)])) as Record<Name, string>;

/** The position of a value in `order`, from 1. */
export const rankIn = (order: readonly string[], value: string): string =>
  `array_position(array[${quoted(...order)}], ${value})`;

export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** For each field, the column of `row` with the field's name in snake case. */
export const columnsOfRow = <Field extends string>(row: string, ...fields: readonly Field[]) =>
  Object.fromEntries(fields.map((field) => [field, `${row}.${snakeCase(field)}`])) as Readonly<Record<Field, string>>;

export type Columns<View> = { readonly [Field in keyof View]-?: string };

export const jsonOf = <View extends object>(columns: Columns<View>): string =>
  `jsonb_build_object(${Object.entries(columns)
    .map(([field, column]) => `'${field}', ${column}`)
    .join(", ")})`;
