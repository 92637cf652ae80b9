import type { Knex } from "knex";
import { operatorsOfParts } from "./extensions.ts";

/** Accented Latin letters and the letters that match them in a search. The ñ is a letter of its own. */
const letters: Readonly<Record<string, string>> = {
  a: "àáâãäåāăąǎǟǡǻȁȃȧạảấầẩẫậắằẳẵặ",
  b: "ḃḅḇ",
  c: "çćĉċčḉ",
  d: "ďđḋḍḏḑḓ",
  e: "èéêëēĕėęěȅȇȩḕḗḙḛḝẹẻẽếềểễệ",
  f: "ḟ",
  g: "ĝğġģǥǧǵḡ",
  h: "ĥħȟḣḥḧḩḫẖ",
  i: "ìíîïĩīĭįıǐȉȋḭḯỉị",
  j: "ĵǰ",
  k: "ķǩḱḳḵ",
  l: "ĺļľŀłḷḹḻḽ",
  m: "ḿṁṃ",
  n: "ńņňǹṅṇṉṋ",
  o: "òóôõöøōŏőơǒǫǭǿȍȏȫȭȯȱṍṏṑṓọỏốồổỗộớờởỡợ",
  p: "ṕṗ",
  r: "ŕŗřȑȓṙṛṝṟ",
  s: "śŝşšșṡṣṥṧṩ",
  t: "ţťŧțṫṭṯṱẗ",
  u: "ùúûüũūŭůűųưǔǖǘǚǜȕȗṳṵṷṹṻụủứừửữự",
  v: "ṽṿ",
  w: "ŵẁẃẅẇẉẘ",
  x: "ẋẍ",
  y: "ýÿŷȳẏẙỳỵỷỹ",
  z: "źżžƶẑẓẕ",
};
/** Includes capitals, since some databases lower-case only a to z. */
const pairs = Object.entries(letters).flatMap(([letter, forms]) =>
  [...forms].flatMap((form) => [form, form.toUpperCase()].map((each) => [each, letter] as const)),
);
const single = pairs.filter(([form]) => form.length === 1 && form > "\u007f");
const accented = single.map(([form]) => form).join("");
const plain = single.map(([, letter]) => letter).join("");

/** The argument `written` in lower case and without accents, in composed and decomposed form. */
export const withoutAccents = `translate(lower(normalize(written, NFC)), '${accented}', '${plain}')`;

/** Without a transaction, so that contacts can be written while the index is built. */
export const config = { transaction: false };

/** Searches ignore accents, in composed and decomposed form. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function searched_text(written text) returns text
    language sql immutable strict parallel safe
    return ${withoutAccents}`);
  // An interrupted build leaves an invalid index.
  await db.raw("drop index concurrently if exists contacts_by_searched_name_part");
  await db.raw(`
    create index concurrently contacts_by_searched_name_part
    on contacts using gin (business_id, searched_text(name) ${await operatorsOfParts(db)})`);
  await db.raw("drop index concurrently if exists contacts_by_name_part");
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop index concurrently if exists contacts_by_name_part");
  await db.raw(
    `create index concurrently contacts_by_name_part on contacts using gin (business_id, name ${await operatorsOfParts(db)})`,
  );
  await db.raw("drop index concurrently if exists contacts_by_searched_name_part");
  await db.raw("drop function searched_text");
}
