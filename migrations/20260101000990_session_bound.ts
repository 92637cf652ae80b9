import type { Knex } from "knex";

/** A function, since each of its statements sees what was committed while the previous one waited for a lock. */
export async function up(db: Knex): Promise<void> {
  await db.raw(`
    -- Opens a session for an active user, whose oldest ends where there would be more than "most"; null without a user.
    create function open_session(
      new_digest bytea, of_business bigint, of_user bigint, lifetime interval, most integer
    ) returns timestamptz language plpgsql as $$
    declare
      ends timestamptz;
    begin
      perform from users where business_id = of_business and id = of_user and active for no key update;
      if not found then
        return null;
      end if;
      update sessions set revoked_at = now()
      where digest in (
        select digest from sessions
        where business_id = of_business and user_id = of_user and revoked_at is null and expires_at > now()
        order by created_at desc, digest offset most - 1
      );
      insert into sessions (digest, business_id, user_id, created_at, expires_at)
      values (new_digest, of_business, of_user, clock_timestamp(), now() + lifetime)
      returning expires_at into ends;
      return ends;
    end $$;
  `);
}

export async function down(db: Knex): Promise<void> {
  await db.raw("drop function open_session");
}
