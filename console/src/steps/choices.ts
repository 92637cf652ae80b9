/** A button, or an option of a list. */
export interface Choice {
  readonly title: string;
  readonly description: string;
  /** The original value, whose unknown properties are kept; undefined for a new choice. */
  readonly source?: unknown;
}

const titles = ["title", "titulo", "text", "texto", "nombre", "label"] as const;
const descriptions = ["description", "descripcion"] as const;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const nameOf = (value: unknown, names: readonly string[]): string | undefined =>
  isObject(value) ? names.find((name) => typeof value[name] === "string") : undefined;

function choiceIn(value: unknown): Choice | null {
  if (typeof value === "string") return { title: value, description: "", source: value };
  const title = nameOf(value, titles);
  if (!isObject(value) || title === undefined) return null;
  const description = nameOf(value, descriptions);
  return { title: String(value[title]), description: description ? String(value[description]) : "", source: value };
}

/** Null if the text is not a JSON array of choices. An empty text has no choices. */
export function choicesIn(text: string): Choice[] | null {
  if (text.trim() === "") return [];
  try {
    const list: unknown = JSON.parse(text);
    const choices = Array.isArray(list) ? list.map(choiceIn) : [null];
    return choices.every((choice) => choice !== null) ? choices : null;
  } catch {
    return null;
  }
}

/**
 * Writes texts if all choices were texts and have no description. Otherwise, choices that were objects keep their
 * property names, and all other choices are written in the platform's format: `{ id, title, description }`.
 */
export function writtenChoices(choices: readonly Choice[]): string {
  if (choices.length === 0) return "";
  const ids = new Set(choices.flatMap(({ source }) => (isObject(source) ? String(source.id) : [])));
  let last = 0;
  const freeId = (): string => {
    do last += 1;
    while (ids.has(String(last)));
    return String(last);
  };
  const areTexts = choices.every(
    ({ source, description }) => !isObject(source) && description === "" && source !== undefined,
  );
  return JSON.stringify(
    choices.map(({ title, description, source }) => {
      if (areTexts) return title;
      const before = isObject(source) ? source : { id: freeId() };
      const { [nameOf(before, descriptions) ?? "description"]: _, ...rest } = before;
      const described = nameOf(before, descriptions) ?? "description";
      return {
        ...rest,
        [nameOf(before, titles) ?? "title"]: title,
        ...(description !== "" && { [described]: description }),
      };
    }),
  );
}
