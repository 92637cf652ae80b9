import { resolve } from "../../src/bootstrap/provide.ts";
import { tokens } from "../../src/bootstrap/tokens.ts";
import type { World } from "../support/world.ts";
import { asking, untouched } from "./requests.ts";

/** Conditions on the database and the platforms that must always hold. Each returns the violations. */
const invariants: Readonly<Record<string, (world: World) => Promise<string[]>>> = {
  "order_counts and order_day_counts are what counting gives": countsAreExact,
  "what stands in the rows of chats, and what is counted of them, is what looking gives": inboxIsExact,
  "media_usage is what counting gives": mediaIsCounted,
  "the version of an order is 1 and one for each row of its history but its making": versionsAreExact,
  "reports add up to the records, folded or not": reportsAreExact,
  "a platform took each message once": nothingSentTwice,
  "a campaign has each contact once, and counts its recipients": recipientsAreWhole,
  "every foreign key holds": foreignKeysHold,
  "every foreign key between tenants' tables stays in the business": foreignKeysStayInside,
};

export async function brokenInvariants(world: World): Promise<string[]> {
  const broken: string[] = [];
  for (const [name, check] of Object.entries(invariants)) {
    broken.push(...(await check(world)).map((line) => `${name}: ${line}`));
  }
  return broken;
}

async function countsAreExact(world: World): Promise<string[]> {
  const truths = [
    [
      "order_counts",
      `select business_id, agent_id, case when status = 3 then 2 else status end as tab,
              coalesce(branch_id, 0) as branch_id, count(*) as n
       from (select o.business_id, o.status, o.branch_id, chat.support_user_id from orders as o
             left join chats as chat on chat.business_id = o.business_id and chat.id = o.chat_id) as joined
       cross join lateral (select 0 as agent_id union all select support_user_id where support_user_id is not null) as a
       group by 1, 2, 3, 4`,
    ],
    [
      "order_day_counts",
      `select business_id, case when status = 3 then 2 else status end as tab,
              (created_at at time zone 'UTC')::date as day, coalesce(branch_id, 0) as branch_id, count(*) as n
       from orders group by 1, 2, 3, 4`,
    ],
  ];
  const differing = truths.map(async ([table, truth]) => {
    const held = `select * from ${table} where n <> 0`;
    const rows = await world.rows<object>(`(${held} except (${truth})) union all ((${truth}) except ${held})`);
    return rows.map((row) => `${table} ${JSON.stringify(row)}`);
  });
  return (await Promise.all(differing)).flat();
}

async function inboxIsExact(world: World): Promise<string[]> {
  const rows = await world.rows<{ id: number }>(
    `select chat.business_id, chat.id, chat.state, chat.unread, open.state as open, unread.n
     from chats as chat
     left join conversations as open
       on open.business_id = chat.business_id and open.chat_id = chat.id and open.closed_at is null
     cross join lateral (
       select count(*) as n from messages as message
       where message.business_id = chat.business_id and message.chat_id = chat.id and message.direction = 'in'
         and message.id > chat.read_up_to) as unread
     where chat.state <> coalesce(open.state, 'closed') or chat.unread <> unread.n`,
  );
  const truth = `
    select business_id, coalesce(support_user_id, 0) as agent_id, coalesce(department_id, 0) as department_id, state,
           count(*) as chats, count(*) filter (where unread > 0) as unread
    from chats where last_message_at is not null group by 1, 2, 3, 4`;
  const held = `
    select * from (
      select business_id, agent_id, department_id, state, sum(chats)::bigint as chats, sum(unread)::bigint as unread
      from (select business_id, agent_id, department_id, state, chats, unread from chat_counts
            union all
            select business_id, agent_id, department_id, state, chats, unread from chat_count_changes) as each
      group by 1, 2, 3, 4
    ) as added where chats <> 0 or unread <> 0`;
  const counted = await world.rows<object>(`(${held} except (${truth})) union all ((${truth}) except ${held})`);
  return [...rows, ...counted].map((row) => JSON.stringify(row));
}

async function mediaIsCounted(world: World): Promise<string[]> {
  const rows = await world.rows<object>(
    `select usage.*, counted.* from media_usage as usage
     full join (
       select business_id as owner, count(size) as whole, sum(coalesce(size, reserved)) as held from media_files
       group by business_id) as counted on counted.owner = usage.business_id
     where (files, bytes) is distinct from (coalesce(whole, 0), coalesce(held, 0))`,
  );
  return rows.map((row) => JSON.stringify(row));
}

async function versionsAreExact(world: World): Promise<string[]> {
  const rows = await world.rows<{ id: number; version: number; changes: number }>(
    `select o.id, o.version, count(c.id)::int as changes from orders as o
     left join order_changes as c on c.business_id = o.business_id and c.order_id = o.id and c.action <> 'created'
     group by o.business_id, o.id, o.version having o.version <> 1 + count(c.id)`,
  );
  return rows.map((row) => `order ${row.id} has version ${row.version} and ${row.changes} rows`);
}

async function reportsAreExact(world: World): Promise<string[]> {
  const reports = resolve(world.container, tokens.sharedReports);
  const folds = resolve(world.container, tokens.foldReports);
  const wrong: string[] = [];
  for (const rootId of [...asking, untouched]) {
    const look = async (when: string): Promise<void> => {
      const [report] = await reports.report({
        rootId,
        forAdministrator: true,
        startDate: "2026-01-01",
        endDate: "2026-12-31",
      });
      const [rows] = await world.rows<{ sales: number; amount: string }>(
        `select count(*)::int as sales, coalesce(sum(base_amount), 0) * 100 as amount from registrations
         where business_id = $1 and type = 'sale' and closed and at >= '2026-01-01 00:00-04' and at < '2027-01-01 00:00-04'`,
        [rootId],
      );
      const [shown, counted] = [
        report?.sales.all,
        { count: rows?.sales, amount: BigInt(Math.round(Number(rows?.amount))) },
      ];
      if (shown?.count === counted.count && shown?.amount === counted.amount) return;
      wrong.push(
        `${when}: business ${rootId} shows ${shown?.count}, ${shown?.amount}; ${counted.count}, ${counted.amount}`,
      );
    };
    await look("as it was");
    await folds.execute();
    await look("once folded");
    await folds.rebuild(rootId);
    await look("once rebuilt");
  }
  return wrong;
}

async function nothingSentTwice(world: World): Promise<string[]> {
  const { duplicates } = await world.control("GET", "/messages/count");
  return duplicates === 0 ? [] : [`${duplicates} were taken again`];
}

async function recipientsAreWhole(world: World): Promise<string[]> {
  const rows = await world.rows<{ id: number }>(
    `select c.id from campaigns as c
     left join campaign_recipients as r on r.business_id = c.business_id and r.campaign_id = c.id
     group by c.business_id, c.id, c.total
     having count(r.contact_id) <> c.total or count(distinct r.contact_id) <> count(r.contact_id)`,
  );
  return rows.map(({ id }) => `campaign ${id}`);
}

interface ForeignKey {
  readonly name: string;
  readonly child: string;
  readonly parent: string;
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly parent_is_owned: boolean;
}

const foreignKeys = (world: World): Promise<ForeignKey[]> =>
  world.rows<ForeignKey>(
    `select k.conname as name, k.conrelid::regclass::text as child, k.confrelid::regclass::text as parent,
            (select array_agg(a.attname::text order by n) from unnest(k.conkey) with ordinality as c (num, n)
             join pg_attribute as a on a.attrelid = k.conrelid and a.attnum = c.num) as "from",
            (select array_agg(a.attname::text order by n) from unnest(k.confkey) with ordinality as c (num, n)
             join pg_attribute as a on a.attrelid = k.confrelid and a.attnum = c.num) as "to",
            exists (select from pg_attribute as a where a.attrelid = k.confrelid and a.attname = 'business_id')
              as parent_is_owned
     from pg_constraint as k join pg_namespace as s on s.oid = k.connamespace
     where k.contype = 'f' and s.nspname = 'public' and k.conparentid = 0`,
  );

async function foreignKeysHold(world: World): Promise<string[]> {
  const wrong: string[] = [];
  for (const { name, child, parent, from, to } of await foreignKeys(world)) {
    const given = from.map((column) => `c.${column} is not null`).join(" and ");
    const same = from.map((column, i) => `p.${to[i]} = c.${column}`).join(" and ");
    const orphans = await world.rows(
      `select from ${child} as c where ${given} and not exists (select from ${parent} as p where ${same})`,
    );
    if (orphans.length > 0) wrong.push(`${name}: ${orphans.length} rows point at nothing`);
  }
  return wrong;
}

async function foreignKeysStayInside(world: World): Promise<string[]> {
  const keys = await foreignKeys(world);
  return keys
    .filter(
      ({ from, to, parent_is_owned }) => parent_is_owned && !(from[0] === "business_id" && to[0] === "business_id"),
    )
    .map(({ name, child }) => `${name} of ${child}`);
}
