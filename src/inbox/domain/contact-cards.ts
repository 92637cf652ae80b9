import { beginning, storableText } from "../../kernel/text.ts";

/** The most contacts that are read from one message. */
export const mostContacts = 100;
const longestCard = 8_192;
const mostLines = 200;
const mostOfEach = 20;
const longestValue = 500;

interface Line {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** The contacts in a file of cards (vCard). */
export const contactsIn = (file: string): object[] =>
  storableText(file)
    .split(/^END:VCARD\b.*$/im)
    .filter((card) => /^BEGIN:VCARD\b/im.test(card))
    .slice(0, mostContacts)
    .map((card) => contactIn(card, ""));

/** The contact of one card, with the cloud platform's field names. */
export function contactIn(card: string, displayName: string): object {
  const lines = linesOf(card);
  const all = (name: string) => lines.filter((line) => line.name === name).slice(0, mostOfEach);
  const [last = "", first = ""] = partsOf(all("N")[0]?.value);
  const [formatted = displayName] = all("FN").map(({ value }) => plain(value));
  const [company = ""] = partsOf(all("ORG")[0]?.value);
  const phones = all("TEL").map(({ value, parameters }) => {
    const waId = /;waid=(\d{1,64})(?:;|$)/i.exec(parameters)?.[1];
    return { phone: plain(value), ...typeIn(parameters), ...(waId !== undefined && { wa_id: waId }) };
  });
  const emails = all("EMAIL").map(({ value, parameters }) => ({ email: plain(value), ...typeIn(parameters) }));
  return {
    name: {
      formatted_name: formatted || displayName,
      ...(first !== "" && { first_name: first }),
      ...(last !== "" && { last_name: last }),
    },
    phones,
    ...(emails.length > 0 && { emails }),
    ...(company !== "" && { org: { company } }),
  };
}

/** Parses lines such as `item1.TEL;type=CELL;waid=591...:+591 ...`. An indented line continues the previous line. */
function linesOf(card: string): Line[] {
  const lines = beginning(card, longestCard)
    .replaceAll(/\r?\n[ \t]/g, "")
    .split(/\r?\n/);
  return lines.slice(0, mostLines).flatMap((line) => {
    const [, name = "", parameters = "", value = ""] =
      /^(?:[\w-]{1,30}\.)?([A-Za-z]{1,20})(;[^:]*)?:(.*)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name: name.toUpperCase(), parameters, value }];
  });
}

const partsOf = (value: string | undefined): string[] => (value ?? "").split(/(?<!\\);/).map(plain);

const plain = (value: string): string =>
  beginning(value, longestValue)
    .replaceAll(/\\n/gi, " ")
    .replaceAll(/\\([\\,;:])/g, "$1")
    .trim();

function typeIn(parameters: string): { readonly type?: string } {
  const type = /;type=([A-Za-z]{1,20})/i.exec(parameters)?.[1];
  return type === undefined ? {} : { type: type.toUpperCase() };
}
