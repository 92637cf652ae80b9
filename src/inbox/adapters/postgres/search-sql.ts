import { type Part, placeholders, type Query, sql } from "../../../infra/postgres/dynamic-sql.ts";
import { type ContactSearch, contactPatterns, nameSearch, phoneSearch } from "../../../infra/postgres/search-text.ts";

/** This many of the newest rows are looked at one by one before the index of texts is asked. */
export const mostNear = 1_000;

/**
 * If the index of texts finds more contacts than this, its result is not used: rows are looked at one by one, newest
 * first.
 */
export const mostFound = 5_000;

export const isNearEnough = sql.raw("(select is_enough from nearness)");
export const areFew = sql.raw("(select are_few from sought)");
export const areMany = sql.raw("not (select are_few from sought)");

interface Searched {
  /**
   * At most `mostNear` of the newest rows. In a search for contacts, all of them have the filter's tag; `near` applies
   * the other conditions.
   */
  readonly looked: Query;
  /** The first `limit` rows of the CTE `looked` that have the text and meet the filter. */
  readonly near: Query;
  /** A query for the contacts that have the text, as rows `contact`. `addSearch` adds the columns. */
  readonly contacts: Query;
  readonly limit: Part;
}

/**
 * Adds the CTEs `near` and `found` to a query that pages through rows with a text.
 *
 * The index of texts returns all contacts with a text before they are sorted by age: too many for a common text. So the
 * newest rows are searched first (`near`). `isNearEnough` is true if `near` fills the page or there are no older rows.
 * Otherwise the index is asked (`found`). If it finds few contacts (`areFew`), their rows are sorted. If it finds many
 * (`areMany`), rows are looked at one by one, newest first, until the page is full.
 */
export function addSearch(query: Query, { looked, near, contacts, limit }: Searched): void {
  const isEnough = `(select count(*) from near) = ? or (select count(*) from looked) < ${mostNear}`;
  const found = contacts.select("contact.business_id", "contact.id").whereNot(isNearEnough);
  query
    .withMaterialized("looked", looked)
    .withMaterialized("near", near)
    .withMaterialized("nearness", sql.raw(`select ${isEnough} as is_enough`, [limit]))
    .withMaterialized("found", found.limit(mostFound + 1, { skipBinding: true }))
    .withMaterialized("sought", sql("found").select(sql.raw(`count(*) <= ${mostFound} as are_few`)));
}

const at = placeholders({ platformId: "text" });

/**
 * Ids of customers without a phone number have at least this many digits. A search for fewer digits looks only at phone
 * numbers.
 */
const shortestId = 15;

/** Finds contacts with the text in their name or number, or by their id on a channel without numbers. */
export function searchOf(text: string): ContactSearch {
  const { name, digits } = contactPatterns(text, 1);
  if (digits !== null) return digits.length < shortestId ? phoneSearch("contact", digits) : numberOrId(digits);
  if (name !== null) return nameSearch("contact", name);
  return { key: "nothing", values: {}, condition: () => sql.raw("false") };
}

function numberOrId(digits: string): ContactSearch {
  const number = phoneSearch("contact", digits);
  const hasEither = "(? or contact.known_on is not null and contact.platform_id = ?)";
  return {
    key: "id",
    values: { ...number.values, platformId: digits },
    condition: () => sql.raw(hasEither, [number.condition(), at.platformId]),
  };
}

/** The columns of `contacts` that the conditions of a search use, besides `erased_at`. */
export const searchedColumns = ["business_id", "id", "name", "phone", "known_on", "platform_id", "opted_out_at"].map(
  (name) => `contact.${name}`,
);
