import { expect } from "chai";
import { referred } from "../../src/administration/adapters/postgres/references.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { startWorld, type World } from "../support/world.ts";

const [admin, agent] = [101, 102];

describe("References between records", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await startWorld();
    token = await world.sessionToken(admin);
  });
  after(() => world.stop());

  const ask = (method: string, path: string, body?: unknown, more: object = {}): Promise<Answer> =>
    request(`${world.api}/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...more },
      ...(body !== undefined && { body }),
    });
  const make = async (path: string, body: object): Promise<Answer["json"]> => {
    const made = await ask("POST", path, body);
    expect(made.status, made.text).to.equal(201);
    return made.json;
  };
  const one = async (path: string, id: number) => (await ask("GET", `${path}/${id}`)).json;
  let count = 0;
  const aUser = (departamentos: readonly number[] = []) => {
    count += 1;
    return make("users", { nombre: `Eva ${count}`, email: `eva-${count}@refs.test`, role_id: 5, departamentos });
  };
  const aDepartment = (agentes: readonly number[] = []) => {
    count += 1;
    return make("departments", { nombre: `Mesa ${count}`, agentes });
  };
  const writable = ({ nombre, email, role_id, departamentos }: Answer["json"]) => ({
    nombre,
    email,
    role_id,
    departamentos,
  });
  const put = (path: string, record: Answer["json"], changes: object, version?: number) =>
    ask(
      "PUT",
      `${path}/${record.id}`,
      { ...(path === "users" ? writable(record) : { nombre: record.nombre, agentes: record.agentes }), ...changes },
      version === undefined ? {} : { "if-match": `"${version}"` },
    );

  describe("a set that two resources share", () => {
    it("gives both records a new version: an agent's departments are those departments' agents", async () => {
      const [mesa, other] = [await aDepartment(), await aDepartment([agent])];
      const eva = await aUser([mesa.id]);
      const joined = await one("departments", mesa.id);
      expect([joined.agentes, joined.version]).to.deep.equal([[eva.id], mesa.version + 1]);
      expect((await put("departments", mesa, { agentes: [agent] }, mesa.version)).status).to.equal(412);

      expect((await put("users", eva, { departamentos: [other.id] })).status).to.equal(200);
      const left = await one("departments", mesa.id);
      expect([left.agentes, left.version]).to.deep.equal([[], joined.version + 1]);
      expect((await one("departments", other.id)).agentes).to.deep.equal([agent, eva.id]);

      const known = await one("users", eva.id);
      expect((await put("departments", mesa, { agentes: [eva.id] })).status).to.equal(200);
      const member = await one("users", eva.id);
      expect([member.departamentos, member.version]).to.deep.equal([[mesa.id, other.id], known.version + 1]);
      const late = await put("users", eva, { departamentos: [] }, known.version);
      expect([late.status, late.json.code]).to.deep.equal([412, "moved_on"]);

      expect((await ask("DELETE", `users/${eva.id}`)).status).to.equal(204);
      const alone = await one("departments", other.id);
      expect([alone.agentes, alone.version]).to.deep.equal([[agent], other.version + 2]);
    });

    it("does not change records whose pairs did not change", async () => {
      const [stays, goes] = [await aUser(), await aUser()];
      const mesa = await aDepartment([stays.id, goes.id]);
      const before = await one("users", stays.id);
      expect((await put("departments", mesa, { agentes: [stays.id], nombre: "Otra" })).status).to.equal(200);
      expect(await one("users", stays.id)).to.deep.equal(before);
    });

    it("has one audit entry for each record of both sides, also in an import of many", async () => {
      const mesa = await aDepartment([agent]);
      const entries = async (resource: string, id: number) =>
        (await ask("GET", `audit?resource=${resource}&record=${id}`)).json.data;
      const eva = await aUser([mesa.id]);
      const [entry, ...earlier] = await entries("departments", mesa.id);
      expect(entry).to.deep.include({ change: "changed", before: { agentes: [agent] } });
      expect(entry.after).to.deep.equal({ agentes: [agent, eva.id] });
      expect(entry.actor.id).to.equal(admin);
      expect(earlier).to.have.length(1);
      await put("departments", mesa, { agentes: [agent] });
      const [left] = await entries("users", eva.id);
      expect([left.before, left.after]).to.deep.equal([{ departamentos: [mesa.id] }, { departamentos: [] }]);

      const rows = [1, 2, 3].map((n) => `Fila ${n},fila-${n}@refs.test,5,${mesa.id}`);
      const { version } = await one("departments", mesa.id);
      const taken = await request(`${world.api}/admin/users/import`, {
        method: "POST",
        rawBody: ["nombre,email,role_id,departamentos", ...rows].join("\n"),
        headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
      });
      expect(taken.text).to.include('"created":3');
      const after = await one("departments", mesa.id);
      expect([after.agentes.length, after.version]).to.deep.equal([4, version + 1]);
      const [byFile] = await entries("departments", mesa.id);
      expect([byFile.before, byFile.after]).to.deep.equal([{ agentes: [agent] }, { agentes: after.agentes }]);
    });

    it("can be written from both sides at once: one succeeds, the other gets `moved_on`", async () => {
      const deadlocks = async () => {
        const counted = "select deadlocks::int as n from pg_stat_database where datname = current_database()";
        return (await world.rows<{ n: number }>(counted))[0]?.n;
      };
      const before = await deadlocks();
      const users = await Promise.all([1, 2, 3, 4].map(() => aUser()));
      const mesas = await Promise.all([1, 2, 3, 4].map(() => aDepartment()));
      const ids = (records: readonly Answer["json"][]) => records.map(({ id }) => id);
      const all = await Promise.all([
        ...users.map((user) => put("users", user, { departamentos: ids(mesas) }, user.version)),
        ...mesas.toReversed().map((mesa) => put("departments", mesa, { agentes: ids(users) }, mesa.version)),
      ]);
      const statuses = all.map(({ status }) => status);
      expect(statuses.every((status) => status === 200 || status === 412)).to.equal(true, String(statuses));
      // Either all changes of users succeed and all changes of departments are refused, or the other way round.
      const [ofUsers, ofMesas] = [statuses.slice(0, 4), statuses.slice(4)];
      expect([ofUsers, ofMesas].map((side) => new Set(side).size)).to.deep.equal([1, 1], String(statuses));
      expect(ofUsers[0]).not.to.equal(ofMesas[0]);

      for (let round = 0; round < 5; round += 1) {
        const answers = await Promise.all([
          ...users.map((user, n) => put("users", user, { departamentos: round % 2 ? [] : ids(mesas).slice(n) })),
          ...mesas.map((mesa, n) => put("departments", mesa, { agentes: ids(users).slice(0, n + (round % 2)) })),
        ]);
        expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
      }
      expect(await deadlocks()).to.equal(before);
    });
  });

  describe("an archived record", () => {
    /**
     * Removes a user, and calls `meanwhile` while the removal waits for a lock. The lock is released when `meanwhile`
     * also waits for a lock or is answered.
     */
    const whileArchiving = async (user: number, meanwhile: () => Promise<Answer>): Promise<[Answer, Answer]> => {
      const waiting = async () => {
        const counted = `select count(*)::int as n from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`;
        return (await world.rows<{ n: number }>(counted))[0]?.n;
      };
      const answers: Promise<Answer>[] = [];
      await world.database.transaction(async (transaction) => {
        const held = "select from credentials where business_id = 1 and user_id = $1 for update";
        await transaction.rows({ name: "", text: held }, [user]);
        answers.push(ask("DELETE", `users/${user}`));
        await eventually(async () => (await waiting()) === 1);
        let isAnswered = false;
        answers.push(
          meanwhile().finally(() => {
            isAnswered = true;
          }),
        );
        await eventually(async () => isAnswered || (await waiting()) === 2);
      });
      return (await Promise.all(answers)) as [Answer, Answer];
    };

    it("cannot be added to a department", async () => {
      const [eva, mesa] = [await aUser(), await aDepartment()];
      const [removed, changed] = await whileArchiving(eva.id, () => put("departments", mesa, { agentes: [eva.id] }));
      expect(removed.status).to.equal(204);
      expect([changed.status, changed.json.error]).to.deep.equal([400, "agentes no existe"]);
      expect((await one("departments", mesa.id)).agentes).to.deep.equal([]);
    });

    it("cannot be set in a step", async () => {
      const eva = await aUser();
      const [removed, made] = await whileArchiving(eva.id, () => ask("POST", "steps", { nombre: "A", agente: eva.id }));
      expect(removed.status).to.equal(204);
      expect([made.status, made.json.error]).to.deep.equal([400, "agente no existe"]);
    });

    it("is refused in an import as in a request, and may stay where it was set before", async () => {
      const send = async (text: string) => {
        const answer = await request(`${world.api}/admin/extras/import`, {
          method: "POST",
          rawBody: text,
          headers: { authorization: `Bearer ${token}`, "content-type": "text/csv" },
        });
        return JSON.parse(answer.text.trim().split("\n").at(-1) ?? "");
      };
      const article = await make("articles", { name: "Pan", price: "1" });
      await make("extras", { name: "Con miga", charge: "1", articulos: [article.id] });
      expect((await ask("DELETE", `articles/${article.id}`)).status).to.equal(204);
      const taken = await send(`name,charge,articulos\nCon miga,2,${article.id}\nSin miga,2,${article.id}\nSola,3,\n`);
      expect(taken).to.deep.include({ created: 1, updated: 1, refused: 1 });
      const file = await request(world.api + taken.refused_csv, { headers: { authorization: `Bearer ${token}` } });
      expect(file.text).to.include(`articulos no existe,Sin miga,2,${article.id}`);
    });
  });

  describe("a record in use", () => {
    const campaign = `insert into campaigns (business_id, sender_id, user_id, template_id, step_id, name, tags, template,
        state, timezone, total)
      select 1, id, 101, 101, 101, 'Ofertas', case when $1 > 0 then array[$1] else '{}'::bigint[] end, '{}', 'completed',
             'UTC', 0
      from senders where business_id = 1`;
    /**
     * By resource: a body for a record, and what can use that record. The key of a use is its name in answers, and the
     * value is the SQL that creates the use. `$1` is the record's id.
     */
    const cases: readonly [path: string, body: object, uses: Readonly<Record<string, string>>][] = [
      [
        "tags",
        { nombre: "VIP" },
        {
          chats: "insert into chat_tags (business_id, chat_id, tag_id) values (1, 101, $1)",
          contactos: "insert into contact_tags (business_id, contact_id, tag_id) values (1, 101, $1)",
          pasos: `insert into steps (business_id, name, identifier, type, tags)
                  values (1, 'A', 'a', 'ticket', '9,' || $1), (1, 'B', 'b', 'ticket', '[' || $1 || ', 8]'),
                         (1, 'C', 'c', 'ticket', '1' || $1)`,
          campañas: campaign,
        },
      ],
      [
        "departments",
        { nombre: "Caja" },
        {
          usuarios: "insert into department_agents (business_id, department_id, user_id) values (1, $1, 102)",
          pasos: `insert into steps (business_id, name, identifier, type, department_id)
                  values (1, 'D', 'd', 'ticket', $1), (1, 'E', 'e', 'ticket', $1)`,
          chats: "update chats set department_id = $1 where business_id = 1 and id = 101",
        },
      ],
      [
        "branches",
        { nombre: "Sur" },
        {
          pedidos: "insert into orders (business_id, type, branch_id) values (1, 'wa', $1)",
          usuarios: "insert into user_branches (business_id, user_id, branch_id) values (1, 102, $1)",
          zonas: "insert into zones (business_id, name, price, branch_id) values (1, 'N', 5, $1), (1, 'O', 5, $1)",
        },
      ],
      [
        "zones",
        { nombre: "Oeste", precio: "1" },
        { pedidos: "insert into orders (business_id, type, zone_id) values (1, 'wa', $1)" },
      ],
      [
        "drivers",
        { nombre: "Ana" },
        { pedidos: "insert into orders (business_id, type, driver_id) values (1, 'wa', $1)" },
      ],
      [
        "extras",
        { name: "Queso", charge: "1" },
        {
          pedidos: `with article as (insert into articles (business_id, name, price) values (1, 'Torta', 1) returning id),
                      bought as (insert into orders (business_id, type) values (1, 'wa') returning id),
                      line as (insert into order_lines (business_id, order_id, article_id, quantity, type, name, unit_price)
                        select 1, bought.id, article.id, 1, 'item', 'Torta', 1 from bought, article returning id)
                    insert into line_extras (business_id, line_id, extra_id, charge) select 1, id, $1, 1 from line`,
        },
      ],
    ];
    const twice = ["tags.pasos", "departments.pasos", "branches.zonas"];

    for (const [path, body, uses] of cases) {
      it(`of ${path} lists what uses it, and how often`, async () => {
        const { id } = await make(path, body);
        const expected: object[] = [];
        for (const [tipo, sql] of Object.entries(uses)) {
          await world.rows(sql, [id]);
          expected.push({ tipo, cantidad: twice.includes(`${path}.${tipo}`) ? 2 : 1 });
          const { status, json } = await ask("DELETE", `${path}/${id}`);
          expect([status, json.code]).to.deep.equal([409, "in_use"]);
          expect(json.usos).to.have.deep.members(expected);
        }
      });
    }

    it("can be deleted once only archived steps refer to it", async () => {
      const [tag, mesa] = [await make("tags", { nombre: "De antes" }), await aDepartment()];
      const step = await make("steps", { nombre: "De antes", tags: [tag.id], departamento: mesa.id });
      expect((await ask("DELETE", `tags/${tag.id}`)).status).to.equal(409);
      expect((await ask("DELETE", `steps/${step.id}`)).status).to.equal(204);
      expect((await ask("DELETE", `tags/${tag.id}`)).status).to.equal(204);
      expect((await ask("DELETE", `departments/${mesa.id}`)).status).to.equal(204);
    });

    it("can be a department, until its members are removed", async () => {
      const mesa = await aDepartment([agent]);
      const { version } = await one("users", agent);
      const refused = await ask("DELETE", `departments/${mesa.id}`);
      expect(refused.json.usos).to.deep.equal([{ tipo: "usuarios", cantidad: 1 }]);
      expect((await one("users", agent)).version).to.equal(version);
      expect((await put("departments", mesa, { agentes: [] })).status).to.equal(200);
      expect((await ask("DELETE", `departments/${mesa.id}`)).status).to.equal(204);
    });

    it("shows 10,000 uses if there are more", async () => {
      const { id } = await make("drivers", { nombre: "Mucho" });
      await world.rows(
        "insert into orders (business_id, type, driver_id) select 1, 'wa', $1 from generate_series(1, 10050)",
        [id],
      );
      const { json } = await ask("DELETE", `drivers/${id}`);
      expect(json.usos).to.deep.equal([{ tipo: "pedidos", cantidad: 10_000 }]);
    });
  });

  it("cover every foreign key to a record that can be deleted", async () => {
    const keys = await world.rows<{ name: string; key: string }>(
      `select known.relname as name, using_it.relname || '.' || attname as key
       from pg_constraint
       join pg_class as known on known.oid = confrelid
       join pg_class as using_it on using_it.oid = conrelid
       join pg_attribute on attrelid = conrelid and attnum = conkey[2]
       where contype = 'f' and cardinality(conkey) = 2 and connamespace = 'public'::regnamespace`,
    );
    const known = Object.entries(referred).flatMap(([table, { archives, referredBy = [] }]) =>
      archives ? [] : keys.filter(({ name }) => name === table).map(({ key }) => [key, referredBy] as const),
    );
    // An extra's articles do not prevent its deletion. Chats that wait for a department already count as its chats.
    const own = ["extra_articles.extra_id", "waiting_chats.department_id"];
    const missing = known.filter(
      ([key, referredBy]) => !own.includes(key) && !referredBy.some((by) => `${by.table}.${by.column}` === key),
    );
    expect(known.length).to.be.at.least(12);
    expect(missing.map(([key]) => key)).to.deep.equal([]);
  });
});
