import type { Knex } from "knex";
import { operatorsOfParts } from "./extensions.ts";

/**
 * Accented letters of Latin scripts, each one character when composed, and the letters that stand for them in a search.
 * The ñ is a letter of its own.
 */
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
/** Capitals as well: not every database knows the small ones of other letters than a to z. */
const pairs = Object.entries(letters).flatMap(([letter, forms]) =>
  [...forms].flatMap((form) => [form, form.toUpperCase()].map((each) => [each, letter] as const)),
);
const single = pairs.filter(([form]) => form.length === 1 && form > "\u007f");
const accented = single.map(([form]) => form).join("");
const plain = single.map(([, letter]) => letter).join("");

/** The argument `written` in small letters without accents, however they are encoded. */
export const withoutAccents = `translate(lower(normalize(written, NFC)), '${accented}', '${plain}')`;

/** Outside of a transaction: contacts are written while their index is built. */
export const config = { transaction: false };

/** Names are found without their accents, whichever way these are encoded. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    create or replace function searched_text(written text) returns text
    language sql immutable strict parallel safe
    return ${withoutAccents}`);
  // What an attempt that broke off has left is not valid.
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
