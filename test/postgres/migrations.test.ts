import { expect } from "chai";
import { lastBatch, migrate, pendingMigrations, undo } from "../../src/infra/postgres/migrate.ts";
import { emptyDatabase, freshDatabase } from "../support/database.ts";
import { valuesOf } from "./query.ts";

const rollback = async (url: string): Promise<string[]> => undo({ url }, await lastBatch({ url }));

describe("migrations", () => {
  it("can be undone completely, and lead to the same schema again", async () => {
    const { url } = await emptyDatabase();
    const names = await migrate({ url });
    const schema = await schemaOf(url);

    expect(await rollback(url)).to.have.members(names);
    expect(await schemaOf(url)).to.deep.equal([]);

    expect(await migrate({ url })).to.deep.equal(names);
    expect(await schemaOf(url)).to.deep.equal(schema);
    expect(schema).to.include("column messages.business_id bigint not null");
  });

  it("are counted while they are pending", async () => {
    const { url } = await emptyDatabase();
    const missing = await pendingMigrations({ url });
    expect(missing).to.be.at.least(4);

    expect(await migrate({ url })).to.have.length(missing);
    expect(await pendingMigrations({ url })).to.equal(0);
    expect(await migrate({ url })).to.deep.equal([]);
  });

  it("are not pending in a database that a later version has migrated", async () => {
    const { url } = await emptyDatabase();
    await migrate({ url });
    await valuesOf(url, "insert into migrations (name, batch) values ('29990101000000_of_a_later_version', 2)");
    expect(await pendingMigrations({ url })).to.equal(0);
    expect(await migrate({ url })).to.deep.equal([]);
  });

  it("can be undone and repeated in a database with erased contacts", async () => {
    const { url } = await emptyDatabase();
    await migrate({ url });
    await valuesOf(
      url,
      `with business as (insert into businesses (name) values ('Una') returning id)
       insert into contacts (business_id, name, phone, platform_id, erased_at)
       select id, '', null, '', now() from business`,
    );
    // `rollback` undoes only the last batch. The update puts the migration of contacts and all later ones into batch 2.
    await valuesOf(url, "update migrations set batch = 2 where name >= '20260101001120'");
    expect(await rollback(url)).to.include("20260101001120_contacts");
    expect(await valuesOf(url, "select phone from contacts where erased_at is not null")).to.deep.equal(["0001"]);

    await migrate({ url });
    expect(await valuesOf(url, "select phone from contacts where erased_at is not null")).to.deep.equal([null]);
  });

  it("erase the reasons and picked options that orders of erased contacts still have", async () => {
    const { url } = await emptyDatabase();
    await migrate({ url });
    const botsReason = "(BOT) Cancelada por inactividad en el chat";
    const picked = (text: string) =>
      `{"version": 1, "customExtras": {"1": {"1:1": {"price": 2.5, "picked": "${text}"}}}}`;
    // Foreign keys and triggers are disabled.
    await valuesOf(
      `${url}?options=-csession_replication_role%3Dreplica`,
      `with erased as (insert into contacts (business_id, id, name, phone, platform_id, erased_at) values (1, 1, '', null, '', now())),
       other as (insert into contacts (business_id, id, name, phone, platform_id) values (1, 2, 'Ana', '591', '591')),
       chat as (insert into chats (business_id, id, contact_id, provider) values (1, 1, 1, 'x'), (1, 2, 2, 'x')),
       told as (
         insert into order_changes (business_id, order_id, version, action, actor, changes)
         values (1, 1, 2, 'cancelled', 'bot', '{"cancelReason": {"from": null, "to": "Se muda"}, "status": {"from": 8, "to": 5}}'))
       insert into orders (business_id, id, type, status, chat_id, cancel_reason, extra_data)
       values (1, 1, 'wa', 5, 1, 'Se muda', '${picked("Con vela")}'), (1, 2, 'wa', 5, 1, '${botsReason}', '${picked("")}'),
              (1, 3, 'wa', 5, 2, 'Se muda', '${picked("Con vela")}')`,
    );
    await valuesOf(url, "delete from migrations where name = '20260101001541_erased_reasons'");
    await migrate({ url });
    const shown = "jsonb_build_array(cancel_reason, extra_data #>> '{customExtras,1,1:1,picked}', version)";
    expect(await valuesOf(url, `select ${shown} from orders order by id`)).to.deep.equal([
      [null, "", 2],
      [botsReason, "", 1],
      ["Se muda", "Con vela", 1],
    ]);
    expect(await valuesOf(url, "select changes from order_changes")).to.deep.equal([
      { cancelReason: { from: null, to: null }, status: { from: 8, to: 5 } },
    ]);
  });

  it("build the indexes of queues again after an interruption, and put tags into queues", async () => {
    const { url } = await emptyDatabase();
    await migrate({ url });
    const schema = await schemaOf(url);
    // Foreign keys and triggers are disabled.
    await valuesOf(
      `${url}?options=-csession_replication_role%3Dreplica`,
      `with chat as (
         insert into chats (business_id, contact_id, provider, support_user_id)
         select business, id, 'x', id % 7 + 1 from generate_series(1, 2) as business, generate_series(1, 6000) as id
         returning business_id, id)
       insert into chat_tags (business_id, chat_id, tag_id) select business_id, id, 1 from chat`,
    );
    await valuesOf(url, "drop index chats_of_queue_unread");
    await valuesOf(url, "delete from migrations where name = '20260101001161_queue_indexes'");
    await migrate({ url });
    expect(await schemaOf(url)).to.deep.equal(schema);
    const misplaced = `
      select count(*)::int from chat_tags as tagged
      join chats as chat on chat.business_id = tagged.business_id and chat.id = tagged.chat_id
      where tagged.queue is distinct from chat.support_user_id`;
    expect(await valuesOf(url, misplaced)).to.deep.equal([0]);
  });

  it("replace empty optional texts with null, and keep all others", async () => {
    const { url } = await emptyDatabase();
    await migrate({ url });
    await valuesOf(
      `${url}?options=-csession_replication_role%3Dreplica`,
      `with business as (
         insert into businesses (name, feature_flags)
         values ('Una', '{"template_language": "", "tax_id_label": "NIT", "own": ""}'), ('Otra', '{"currency": "USD"}')
         returning id)
       insert into articles (business_id, id, name, price, retailer_id)
       select 1, number, 'Torta', 1, code from (values (1, ''), (2, 'sku'), (3, null)) as article (number, code)`,
    );
    await valuesOf(
      `${url}?options=-csession_replication_role%3Dreplica`,
      `insert into drivers (business_id, id, name, phone, tracking_id) values (1, 1, 'Ana', '', 'a'), (1, 2, 'Eva', '7', '')`,
    );
    await valuesOf(url, "delete from migrations where name = '20260101001383_empty_texts'");
    await migrate({ url });
    const fieldsOf = (table: string, ...names: readonly string[]) =>
      valuesOf(url, `select jsonb_build_array(${names.join()}) from ${table} order by id`);
    expect(await fieldsOf("businesses", "feature_flags", "record_version")).to.deep.equal([
      [{ tax_id_label: "NIT", own: "" }, 2],
      [{ currency: "USD" }, 1],
    ]);
    expect(await fieldsOf("articles", "retailer_id", "record_version")).to.deep.equal([
      [null, 2],
      ["sku", 1],
      [null, 1],
    ]);
    expect(await fieldsOf("drivers", "phone", "tracking_id", "record_version")).to.deep.equal([
      [null, "a", 2],
      ["7", null, 2],
    ]);
  });

  it("can be run by two processes at the same time", async () => {
    const { url } = await emptyDatabase();
    await Promise.allSettled([migrate({ url }), migrate({ url })]);
    expect(await pendingMigrations({ url })).to.equal(0);
  });
});

/** Tables whose keys and indexes need not begin with `business_id`. Most are read before the business is known. */
const directories = [
  ...["businesses", "credentials", "app_keys", "sessions", "incoming_webhooks", "realtime_counters"],
  ...["directory_cells", "directory_businesses", "directory_names"],
  // For moves between cells: the current moves, and the keys of records that change during a move.
  ...["business_moves", "moved_keys"],
];

/**
 * Indexes that cover all businesses on purpose. They find the senders and accounts of webhooks, steps of other
 * businesses, old rows, due rows, and files by name.
 */
const acrossBusinesses = [
  "senders_provider_platform_id_key",
  "senders_of_account",
  "realtime_events_by_age",
  "idempotency_keys_by_age",
  "steps_by_id",
  "campaigns_by_end",
  "push_outbox_by_due",
  "wanted_delivery_prices_by_due",
  "media_files_by_name",
  "media_files_unfinished",
  "media_files_by_last_name",
  "webhook_events_by_age",
  "early_statuses_by_age",
  "early_news_by_age",
];

describe("tables of a business", () => {
  it("have business_id first in their primary key and every index", async () => {
    const { url } = await freshDatabase();
    const tables = await tenantTables(url);
    expect(tables).to.include.members(["users", "contacts", "chats", "messages", "templates"]);

    const strays = await valuesOf(
      url,
      `select t.relname || '.' || i.relname
       from pg_index x
       join pg_class i on i.oid = x.indexrelid
       join pg_class t on t.oid = x.indrelid
       left join pg_attribute a on a.attrelid = t.oid and a.attnum = x.indkey[0]
       where t.relname = any($1) and i.relname <> all($2) and a.attname is distinct from 'business_id'`,
      [tables, acrossBusinesses],
    );
    expect(strays).to.deep.equal([]);

    const keyed = "select conrelid::regclass::text from pg_constraint where contype = 'p'";
    expect(await valuesOf(url, keyed)).to.include.members(tables);
  });

  it("never refer to another business's rows", async () => {
    const { url } = await freshDatabase();
    const pointing = await valuesOf(
      url,
      `select conrelid::regclass || '.' || conname
       from pg_constraint f
       where contype = 'f' and conrelid::regclass::text = any($1) and confrelid::regclass::text = any($1)
         and not exists (
           select from unnest(conkey, confkey) as pair (own, theirs)
           join pg_attribute a on a.attrelid = f.conrelid and a.attnum = own and a.attname = 'business_id'
           join pg_attribute b on b.attrelid = f.confrelid and b.attnum = theirs and b.attname = 'business_id')`,
      [await tenantTables(url)],
    );
    expect(pointing).to.deep.equal([]);
  });
});

/** All tables except `directories` and the migrations' own tables. */
const tenantTables = async (url: string): Promise<unknown[]> =>
  valuesOf(
    url,
    `select tablename::text from pg_tables
     where schemaname = 'public' and tablename <> all($1) and tablename not like 'migrations%' order by 1`,
    [directories],
  );

/** One line per column, constraint, index, trigger, function, relation and type, without the migrations' own tables. */
const schemaOf = (url: string): Promise<unknown[]> =>
  valuesOf(
    url,
    `with own as (
       select c.oid, c.relname, c.relkind from pg_class c
       where relnamespace = 'public'::regnamespace and relname not like 'migrations%'
     )
     select 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod)
            || case when attnotnull then ' not null' else '' end || case when attidentity = '' then '' else ' identity' end
            || coalesce(' default ' || pg_get_expr(adbin, adrelid), '') as line
     from own join pg_attribute a on attrelid = own.oid and attnum > 0 and not attisdropped and relkind in ('r', 'p')
     left join pg_attrdef on adrelid = own.oid and adnum = attnum
     union all
     select 'constraint ' || relname || ' ' || conname || ' ' || pg_get_constraintdef(k.oid)
     from own join pg_constraint k on conrelid = own.oid
     union all
     select pg_get_indexdef(indexrelid) from own join pg_index on indrelid = own.oid
     union all
     select pg_get_triggerdef(t.oid) from own join pg_trigger t on tgrelid = own.oid and not tgisinternal
     union all
     select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
     union all
     select 'relation ' || relkind::text || ' ' || relname from own
     union all
     select 'type ' || typname from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
     order by line`,
  );
