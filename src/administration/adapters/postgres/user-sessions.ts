import type { Queries } from "../../../infra/postgres/database.ts";
import type { EndedSessions, UserSession } from "../../application/user-access.ts";
import { type Query, run, sql } from "./query.ts";

/** Only a safety limit of the list: sign-ins leave a user at most 20 open sessions. */
const mostSessions = 100;

export class PostgresUserSessions {
  constructor(
    private readonly queries: Queries,
    private readonly digestOf: (token: string) => Buffer,
  ) {}

  /** @param token - the token of the request's session; null if the request has no session */
  async list(businessId: number, userId: number, token: string | null): Promise<readonly UserSession[]> {
    const digest = token === null ? null : this.digestOf(token);
    const open = this.open(businessId, userId)
      .select("id", "created_at as createdAt", "expires_at as expiresAt", "address")
      // `last_used_at` is rounded down to the hour, so it may be before `created_at`. The `case` keeps the null of
      // unused sessions: without it, `greatest` would ignore the null and return `created_at`.
      .select(sql.raw('case when last_used_at is not null then greatest(last_used_at, created_at) end as "lastUsedAt"'))
      .select(sql.raw('coalesce(digest = ?, false) as "isCurrent"', [digest as Buffer]))
      .orderBy("created_at", "desc")
      .limit(mostSessions);
    return run<UserSession>(this.queries, open);
  }

  /** Returns the number of sessions that it ended. */
  async end(businessId: number, userId: number, which: EndedSessions): Promise<number> {
    const open = this.open(businessId, userId);
    if (which !== "all") {
      if ("id" in which) open.where("id", which.id);
      else open.whereNot("digest", this.digestOf(which.exceptOf));
    }
    const ended = await run(this.queries, open.update({ revoked_at: sql.fn.now() }).returning("id"));
    return ended.length;
  }

  private open(businessId: number, userId: number): Query {
    return sql("sessions")
      .where({ business_id: businessId, user_id: userId })
      .whereNull("revoked_at")
      .where("expires_at", ">", sql.fn.now());
  }
}
