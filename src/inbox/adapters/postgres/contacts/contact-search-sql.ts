import { type Part, placeholders, type Query, sql } from "../../../../infra/postgres/dynamic-sql.ts";
import type { ContactSearch } from "../../../../infra/postgres/search-text.ts";
import type { ContactFilter } from "../../../application/contacts/ports.ts";
import { addSearch, areFew, areMany, isNearEnough, mostNear, searchedColumns, searchOf } from "../search-sql.ts";

export const at = placeholders({
  business: "bigint",
  viewer: "bigint",
  limit: "bigint",
  after: "bigint",
  tag: "bigint",
});

const unerased = (query: Query): Query =>
  query.where("contact.business_id", at.business).whereNull("contact.erased_at");

/** Joins the row `contact` that has the same id as the row `page`. */
export const contactOfPage = (query: Query): Query =>
  query.joinRaw(
    `cross join lateral (
      select * from contacts as known where known.business_id = ? and known.id = page.id limit 1
    ) as contact`,
    [at.business],
  );

/** Parts of statements about contacts that meet a filter, with ids below `after` unless it is null. */
export class ContactWalk {
  readonly search: ContactSearch | undefined;
  readonly shape: readonly (string | undefined | false)[];
  readonly values: Readonly<Record<string, unknown>>;

  constructor(
    businessId: number,
    private readonly filter: ContactFilter,
    private readonly after: number | null = null,
  ) {
    const { text, tagId: tag, optedOut } = filter;
    this.search = text === null ? undefined : searchOf(text);
    const inOrOut = optedOut !== null && (optedOut ? "out" : "in");
    this.shape = [after !== null && "next", this.search?.key, tag !== null && "tag", inOrOut];
    this.values = { business: businessId, after, tag, ...this.search?.values };
  }

  /** Adds all conditions except the text and the tag to a query of rows `contact`. */
  ofAnyTag(query: Query): Query {
    return this.inOrOut(unerased(query));
  }

  private inOrOut(query: Query): Query {
    const { optedOut } = this.filter;
    if (optedOut === null) return query;
    return optedOut ? query.whereNotNull("contact.opted_out_at") : query.whereNull("contact.opted_out_at");
  }

  tagged(query: Query): Query {
    if (this.filter.tagId === null) return query;
    const hasTag = `exists (
      select from contact_tags as tagged
      where tagged.business_id = contact.business_id and tagged.contact_id = contact.id and tagged.tag_id = ?)`;
    return query.whereRaw(hasTag, [at.tag]);
  }

  searched(query: Query): Query {
    return this.search ? query.where(this.search.condition()) : query;
  }

  /** The rows `contact` that meet the filter apart from its text, newest first. With a tag, walks `contact_tags`. */
  newest(limit: Part, columns: readonly string[] = ["contact.id"]): Query {
    return this.walk(limit, (query) => this.ofAnyTag(query.select(columns)));
  }

  /** The rows `contact`, newest first. If the filter has a tag, only contacts with this tag. */
  private walk(limit: Part, meeting: (query: Query) => Query): Query {
    if (this.filter.tagId === null) return this.first(limit, meeting(sql({ contact: "contacts" })));
    const tagged = sql({ tagged: "contact_tags" })
      .joinRaw(`
        cross join lateral (
          select * from contacts where business_id = tagged.business_id and id = tagged.contact_id offset 0
        ) as contact`)
      .where({ "tagged.business_id": at.business, "tagged.tag_id": at.tag });
    return this.first(limit, meeting(tagged), "tagged.contact_id");
  }

  private first(limit: Part, query: Query, id = "contact.id"): Query {
    const behind = this.after === null ? query : query.where(id, "<", at.after);
    return behind.orderByRaw(`${id} desc limit ?`, [limit]);
  }

  /**
   * A query for the `id` of the first `limit` contacts; its rows come in no particular order. Adds to `whole` the CTEs
   * that the query needs.
   */
  page(whole: Query): Query {
    if (!this.search) return this.newest(at.limit);
    addSearch(whole, {
      looked: this.walk(sql.raw(`${mostNear}`), (query) => unerased(query.select(searchedColumns))),
      near: this.first(at.limit, this.inOrOut(this.searched(sql({ contact: "looked" }).select("contact.id")))),
      contacts: this.searched(this.ofAnyTag(sql({ contact: "contacts" }))),
      limit: at.limit,
    });
    const near = sql("near").select("id").where(isNearEnough);
    const few = this.tagged(sql({ contact: "found" }).select("contact.id").where(areFew));
    const many = this.searched(this.newest(at.limit).where(areMany));
    return sql.queryBuilder().unionAll([near, this.first(at.limit, few), many], true);
  }
}
