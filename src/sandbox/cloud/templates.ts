import { createHash } from "node:crypto";
import { type Fields, isObject } from "../core/input.ts";
import { badParameter, GraphError, invalidParameter, missingParameter } from "../graph/graph.ts";
import type { SandboxTemplate } from "../settings.ts";
import { expandCodeTemplates, requireContent } from "./template-rules.ts";

/** The placeholders `{{...}}` of a text. If `names` is null, the placeholders are the numbers from 1 to `count`. */
export interface Placeholders {
  readonly text: string;
  readonly count: number;
  readonly names: ReadonlySet<string> | null;
}

/** A template, with the requirements for messages that use it: `body`, `header` and `openButtons`. */
export interface StoredTemplate extends SandboxTemplate {
  readonly id: string;
  /** Each stored template gets the next number. The cursors of the template list contain it. */
  readonly sequence: number;
  readonly rejectedReason?: string | undefined;
  /** Id of the number whose settings contain the template. A client's template gets the account's first number. */
  readonly owner: string;
  readonly body: Placeholders;
  /** `null` for a template without header; `format` is TEXT, IMAGE, VIDEO, DOCUMENT or LOCATION. */
  readonly header: { readonly format: string; readonly placeholders: Placeholders } | null;
  /** Indexes of the URL buttons with a placeholder. */
  readonly openButtons: readonly number[];
}

const maxTemplates = 6_000;
const pageSize = { default: 25, max: 250 };

const nodeFields = ["id", "name", "language", "status", "category", "components"] as const;
/** Shown only to clients that ask for it. */
const reasonField = "rejected_reason";
/** Fields of the platform that clients may ask for, but that never have a value here. */
const emptyFields = [
  "parameter_format",
  "quality_score",
  "previous_category",
  "correct_category",
  "sub_category",
  "library_template_name",
  "cta_url_link_tracking_opted_out",
  "message_send_ttl_seconds",
  "last_updated_time",
];

/** The templates of one business account, by name and language. */
export class Templates {
  private readonly stored = new Map<string, StoredTemplate>();
  private sequence = 0;

  constructor(private readonly accountId: string) {}

  /** Replaces all templates of the number `owner`. */
  replace(owner: string, templates: readonly SandboxTemplate[]): void {
    for (const [key, template] of this.stored) if (template.owner === owner) this.stored.delete(key);
    for (const template of templates) this.put(owner, template);
  }

  find(name: string, language: string): StoredTemplate | undefined {
    return this.stored.get(keyOf(name, language));
  }

  byId(id: string): StoredTemplate | undefined {
    return [...this.stored.values()].find((template) => template.id === id);
  }

  /** Adds a client's template, which waits for approval. */
  create(owner: string, input: unknown): StoredTemplate {
    if (!isObject(input)) throw invalidParameter("body must be a JSON object");
    const { name, language, category, components, parameter_format: format } = input;
    if (typeof name !== "string" || !/^[a-z0-9_]{1,512}$/.test(name)) {
      throw badParameter("Param name must have only lowercase letters, digits and underscores");
    }
    if (typeof language !== "string" || language === "") throw missingParameter("language");
    const written = expandCodeTemplates(category, requireContent(category, components, format), language);
    const content = { category: String(category), components: written };
    if (this.find(name, language)) {
      throw new GraphError(100, "There is already content in this language for this template", { subcode: 2388024 });
    }
    if (this.stored.size >= maxTemplates) {
      throw new GraphError(100, `This account has ${maxTemplates} templates`, { subcode: 2388019 });
    }
    return this.put(owner, { name, language, status: "PENDING", ...content });
  }

  /** Replaces the content of a template, which then waits for approval again. */
  edit(template: StoredTemplate, changes: Fields): StoredTemplate {
    const { category = template.category, components, parameter_format: format = formatOf(template) } = changes;
    if (!["APPROVED", "REJECTED", "PAUSED"].includes(template.status)) {
      throw new GraphError(100, "Message template can only be edited once it is approved, rejected or paused", {
        subcode: 2593002,
      });
    }
    if (template.status === "APPROVED" && category !== template.category) {
      throw new GraphError(100, "The category of an approved template cannot be edited", { subcode: 2388025 });
    }
    const { name, language, owner } = template;
    const written = expandCodeTemplates(category, requireContent(category, components, format), language);
    const content = { category: String(category), components: written };
    return this.put(owner, { name, language, status: "PENDING", ...content });
  }

  named(name: string): StoredTemplate[] {
    return [...this.stored.values()].filter((template) => template.name === name);
  }

  /** Changes the template without moving it in the list. */
  change(
    { name, language }: StoredTemplate,
    change: Partial<Pick<StoredTemplate, "status" | "category" | "rejectedReason">>,
  ): void {
    const key = keyOf(name, language);
    const template = this.stored.get(key);
    if (template) this.stored.set(key, { ...template, ...change });
  }

  /** Removes all templates with this name, or only the one that also has this id. */
  remove(name: string | null, id: string | null): void {
    if (name === null) throw missingParameter("name");
    const gone = [...this.stored].filter(([, each]) => each.name === name && (id === null || each.id === id));
    if (gone.length === 0) throw new GraphError(100, "Message template was not found", { subcode: 2593002 });
    for (const [key] of gone) this.stored.delete(key);
  }

  /** @param address - the address of the list, for links to other pages */
  page(query: URLSearchParams, address: string): object {
    const fields = fieldsOf(query);
    const limit = limitOf(query);
    const after = cursorOf(query, "after");
    const before = cursorOf(query, "before");
    const matching = [...this.stored.values()].filter((template) => matches(template, query));

    const rest = matching.filter(
      ({ sequence }) => sequence > (after ?? 0) && sequence < (before ?? Number.POSITIVE_INFINITY),
    );
    const shown = before === null ? rest.slice(0, limit) : rest.slice(-limit);
    const [first, last] = [shown[0], shown.at(-1)];
    if (first === undefined || last === undefined) return { data: [] };

    const link = (direction: "after" | "before", sequence: number) => {
      const other = new URLSearchParams(query);
      other.delete("after");
      other.delete("before");
      other.set(direction, cursor(sequence));
      return `${address}?${other}`;
    };
    return {
      data: shown.map((template) => nodeOf(template, fields)),
      paging: {
        cursors: { before: cursor(first.sequence), after: cursor(last.sequence) },
        ...(matching.at(-1) === last ? {} : { next: link("after", last.sequence) }),
        ...(matching[0] === first ? {} : { previous: link("before", first.sequence) }),
      },
    };
  }

  private put(owner: string, template: SandboxTemplate): StoredTemplate {
    const key = keyOf(template.name, template.language);
    this.sequence += 1;
    const stored = { ...template, ...requirementsOf(template), owner, sequence: this.sequence, id: this.idOf(key) };
    // The template moves to the end, because pages need the order of `sequence`.
    this.stored.delete(key);
    this.stored.set(key, stored);
    return stored;
  }

  /** A template has the same id after a restart, so an id that a client has stored stays valid. */
  private idOf(key: string): string {
    const digest = createHash("sha256").update(`${this.accountId}\n${key}`).digest();
    return String(1e15 + (digest.readUIntBE(0, 6) % 9e14));
  }
}

/** A template as a node of the Graph API, with the requested fields. */
export function nodeOf(template: StoredTemplate, fields: ReadonlySet<string>): object {
  const node: Record<string, unknown> = { id: template.id };
  for (const field of nodeFields) if (fields.has(field) && template[field] !== undefined) node[field] = template[field];
  if (fields.has(reasonField)) node[reasonField] = template.rejectedReason ?? "NONE";
  return node;
}

export function fieldsOf(query: URLSearchParams): ReadonlySet<string> {
  const asked = query.get("fields");
  if (!asked) return new Set(nodeFields);
  const known: readonly string[] = [...nodeFields, reasonField, ...emptyFields];
  const names = asked.replace(/\{[^}]*\}/g, "").split(",");
  for (const name of names) {
    if (known.includes(name.trim())) continue;
    throw badParameter(`Tried accessing nonexisting field (${name}) on node type (MessageTemplate)`);
  }
  return new Set(names.map((name) => name.trim()));
}

/** As on the platform, `count` is the highest placeholder number. In a text with names, it counts different names. */
function placeholdersOf(text: string): Placeholders {
  const found = new Set([...text.matchAll(/\{\{\s*([^{}\s]+)\s*\}\}/g)].map(([, name]) => name ?? ""));
  const named = [...found].some((name) => !/^\d+$/.test(name));
  if (named) return { text, count: found.size, names: found };
  return { text, count: Math.max(0, ...[...found].map(Number)), names: null };
}

const formatOf = ({ body, header }: StoredTemplate): "NAMED" | "POSITIONAL" =>
  body.names || header?.placeholders.names ? "NAMED" : "POSITIONAL";

function requirementsOf({ components }: SandboxTemplate): Pick<StoredTemplate, "body" | "header" | "openButtons"> {
  const component = (type: string) =>
    components.filter(isObject).find((each) => typeof each.type === "string" && each.type.toUpperCase() === type);
  const textOf = (value: unknown) => placeholdersOf(typeof value === "string" ? value : "");

  const header = component("HEADER");
  const buttons = component("BUTTONS")?.buttons;
  return {
    body: textOf(component("BODY")?.text),
    header: header
      ? { format: String(header.format ?? "TEXT").toUpperCase(), placeholders: textOf(header.text) }
      : null,
    openButtons: (Array.isArray(buttons) ? buttons : []).flatMap((button, index) =>
      isObject(button) && String(button.type).toUpperCase() === "URL" && textOf(button.url).count > 0 ? [index] : [],
    ),
  };
}

/** As on the platform, the parameter `name` finds all templates whose names contain its value. */
function matches(template: SandboxTemplate, query: URLSearchParams): boolean {
  const contains = (parameter: string) => template.name.includes(query.get(parameter)?.toLowerCase() ?? "");
  const among = (parameter: string, value = "") => {
    const wanted = query.get(parameter);
    return !wanted || (wanted.toUpperCase().match(/\w+/g)?.includes(value.toUpperCase()) ?? false);
  };
  return (
    contains("name") &&
    contains("name_or_content") &&
    among("status", template.status) &&
    among("language", template.language) &&
    among("category", template.category)
  );
}

function limitOf(query: URLSearchParams): number {
  const asked = query.get("limit");
  if (!asked) return pageSize.default;
  if (!/^[1-9]\d{0,8}$/.test(asked)) throw badParameter("Param limit must be a positive integer");
  return Math.min(Number(asked), pageSize.max);
}

const cursor = (sequence: number): string => Buffer.from(`t${sequence}`).toString("base64url");

function cursorOf(query: URLSearchParams, parameter: string): number | null {
  const given = query.get(parameter);
  if (!given) return null;
  const sequence = /^t(\d{1,15})$/.exec(Buffer.from(given, "base64url").toString())?.[1];
  if (sequence === undefined) throw badParameter("Invalid cursor");
  return Number(sequence);
}

const keyOf = (name: string, language: string): string => `${name}\n${language}`;
