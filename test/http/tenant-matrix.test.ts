import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "chai";
import type { Route } from "../../src/infra/http/routing/route.ts";
import { addLine, addOrder, openShop } from "../orders/shop.ts";
import { addRecord } from "../reports/support.ts";
import { type Answer, request } from "../support/http.ts";
import { eventually } from "../support/wait.ts";
import { aBusiness, aTemplate, startWorld, type World } from "../support/world.ts";
import { forUsers, goodRequest, idIn, own, parts, schemaOf, urlOf, type Where } from "./good-requests.ts";
import { dumpOf, type Json, record } from "./matrix.ts";
import { servedRoutes } from "./routes.ts";

/**
 * Ids of another business get exactly the same answer as ids that do not exist. The requests are built from the routes'
 * schemas; a new endpoint is included if its ids have `x-entity` and its other required fields have an example.
 */

/** The table of each entity. In each table, each business of this test has a record with the id that `idIn` returns. */
const tables: Readonly<Record<string, string>> = {
  business: "businesses",
  user: "users",
  template: "templates",
  contact: "contacts",
  chat: "chats",
  conversation: "conversations",
  step: "steps",
  department: "departments",
  tag: "tags",
  campaign: "campaigns",
  order: "orders",
  detail: "order_lines",
  article: "articles",
  extra: "article_extras",
  branch: "branches",
  zone: "zones",
  driver: "drivers",
  registration: "registrations",
  message: "messages",
  "quick-reply": "quick_replies",
  session: "sessions",
};

/**
 * By place (`operationId where.field`): the reason why another business's id may get a different answer than a missing
 * id (`otherWords`), or why it may get a success (`success`).
 */
const exceptions: Readonly<Record<string, { readonly otherWords?: string; readonly success?: string }>> = {
  "listOrders query.sucursalId": { success: "a branch that the business does not have gives an empty page" },
  "listOrders query.userId": { success: "a user that the business does not have gives an empty page" },
  "countOrders query.sucursalId": { success: "a branch that the business does not have has no orders" },
  "countOrders query.userId": { success: "a user that the business does not have has no orders" },
  "listChats query.departamento": { success: "a department that the business does not have has no chats" },
  "listChats query.tag": { success: "a tag that the business does not have is on no chat" },
  "listContacts query.tag": { success: "a tag that the business does not have gives an empty page" },
  "createTicket params.id": { otherWords: "the specification tells a foreign step from a missing one" },
  "addOrderLine body.extras.id": { success: "an extra that is not known is counted, and left out" },
  "createOrder body.lines.extras.id": {
    success: "an extra that is not known is counted, and left out",
    otherWords: "each answer shows an order of its own",
  },
  "getSharedReport body.includeBusinesses": { success: "ids outside of the group are ignored" },
};

/** By place: fields that look like ids but do not refer to a business's records. */
const noIdsOfOurs: Readonly<Record<string, string>> = {
  "sendTemplateToChat body.meta_id": "the recipient's number",
  "sendTemplateToChat body.categoria_id": "a category of the client's own",
  "listAdCampaigns query.accountId": "an account of the ad platform, as the business's token shows it",
  "listAdSets query.accountId": "an account of the ad platform, as the business's token shows it",
  "createStep body.catalogo_id": "a catalog of the platform",
  "createStep body.ai_prompt_id": "a prompt of the bot's own",
  "createStep body.estructura_id": "a structure of the bot's own",
  "createStep body.flow_id": "a flow of the platform",
  "changeStep body.catalogo_id": "a catalog of the platform",
  "changeStep body.ai_prompt_id": "a prompt of the bot's own",
  "changeStep body.estructura_id": "a structure of the bot's own",
  "changeStep body.flow_id": "a flow of the platform",
  "listUsers query.role_id": "a role, which all businesses have alike",
  "createUser body.role_id": "a role, which all businesses have alike",
  "changeUser body.role_id": "a role, which all businesses have alike",
  "createDriver body.tracking_id": "a driver of the tracking integration",
  "changeDriver body.tracking_id": "a driver of the tracking integration",
  "changeFlags body.id": "the flags' own, which is ignored",
  "createSender body.platform_id": "a number, page or account of the platform",
  "changeSender body.platform_id": "a number, page or account of the platform",
  "createSender body.account_id": "an account of the platform",
  "changeSender body.account_id": "an account of the platform",
  "createAdAccess body.default_account_id": "an account of the ad platform",
  "changeAdAccess body.default_account_id": "an account of the ad platform",
  "createArticle body.retailer_id": "an article in the catalogs of the platforms",
  "changeArticle body.retailer_id": "an article in the catalogs of the platforms",
  "listAdSets params.campaignId": "a campaign of the ad platform, as the business's token shows it",
};

/** By operation: the state that the campaign must have. For other operations, the campaign is running. */
const campaignStates: Readonly<Record<string, string>> = { resumeCampaign: "paused" };

/** The template's name at the platform, by operation. Other operations use a template without parameters. */
const platformTemplates: Readonly<Record<string, string>> = { sendPaymentLinkByTemplate: "with_link" };

/** By place: the reason why an agent may learn that another agent's chat exists. */
const seenByAll: Readonly<Record<string, string>> = {
  "takeChat params.id": "who has it is told: 409",
  "answerChat params.id": "who has it is told: 409",
};

const foreign = 98_765;
/** The id of no business. It has as many digits as `foreign`, so that answers have the same length. */
const nowhere = 98_764;

interface Place {
  readonly name: string;
  readonly where: Where;
  readonly path: readonly string[];
  readonly entity: string;
  readonly takesDigits: boolean;
}

interface Field {
  readonly where: Where;
  readonly path: readonly string[];
  readonly schema: Json;
}

function fieldsOf(where: Where, schema: Json, path: readonly string[] = []): Field[] {
  const named = Object.entries(record(schema.properties)).flatMap(([name, property]) => {
    const field = { where, path: [...path, name], schema: record(property) };
    return [field, ...fieldsOf(where, field.schema, field.path)];
  });
  return schema.items === undefined ? named : [...named, ...fieldsOf(where, record(schema.items), path)];
}

const nameOf = (route: Route, { where, path }: Pick<Field, "where" | "path">) =>
  `${route.operationId} ${where}.${path.join(".")}`;

/** The schema of the id, or of the items of a list of ids. */
const idSchema = ({ schema }: Field): Json => (schema.type === "array" ? record(schema.items) : schema);

function placeholders(route: Route): Place[] {
  const fields = parts.flatMap((where) => fieldsOf(where, schemaOf(route, where)));
  return fields.flatMap((field) => {
    const schema = idSchema(field);
    const entity = schema["x-entity"];
    if (typeof entity !== "string") return [];
    const { where, path } = field;
    return [{ name: nameOf(route, field), where, path, entity, takesDigits: schema["x-numeric"] === true }];
  });
}

function withValue(given: unknown, path: readonly string[], value: unknown): unknown {
  if (Array.isArray(given)) return [withValue(given[0], path, value), ...given.slice(1)];
  const [name, ...rest] = path;
  return name === undefined ? value : { ...record(given), [name]: withValue(record(given)[name], rest, value) };
}

const looksLikeId = (name: string): boolean => /^ids?$|_ids?$|[a-z]Ids?$/.test(name);

const routes = servedRoutes();
/** Whether `test/administration/isolation.test.ts` covers the route instead. */
const isOfRecords = ({ path }: Route): boolean => path.startsWith("/admin/");
const guarded = routes.filter((route) => route.auth !== "none" && !isOfRecords(route));

describe("ids of another business", () => {
  const ajv = new Ajv2020({ strict: false, formats: { "date-time": true } });
  let world: World;
  let session: string;
  let agentSession: string;
  before(async () => {
    const withPlainTemplate = (id: number) =>
      aBusiness(id, {
        templates: [
          aTemplate(id * 100 + 1, { body: "Hola" }),
          aTemplate(id * 100 + 2, { body: "Hola {{1}}", platformName: "with_link" }),
        ],
        flags: { timezone: "America/La_Paz", "payments-url": "https://pay.example", group_shared_report: [id] },
      });
    world = await startWorld({
      businesses: [withPlainTemplate(own), withPlainTemplate(foreign)],
      environment: { ROLE: "api" },
    });
    session = await world.sessionToken(own * 100 + 1);
    agentSession = await world.sessionToken(own * 100 + 2);
    for (const id of [own, foreign]) {
      await addCampaign(id);
      await openShop(world, id);
      await addLineOne(id);
      await hearFromCustomer(id);
      await addRecord(world, id, { id: id * 100 + 1 });
      await addInbox(id);
      await addOrderOfMessage(id);
      await addSession(id);
    }
    await eventually(async () => (await world.rows("select from incoming_webhooks")).length === 0);
  });
  after(() => world.stop());

  /** Opens the service window. */
  const hearFromCustomer = async (businessId: number): Promise<void> => {
    const customer = `5917000${String(businessId * 100 + 1).padStart(4, "0")}`;
    await world.control("POST", `/customers/${customer}/say`, { to: `number-${businessId}`, text: "Hola" });
  };
  const addCampaign = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    await world.rows("insert into tags (business_id, id, name) values ($1, $2, 'VIP')", [businessId, id]);
    await world.rows(
      `insert into campaigns (business_id, id, name, user_id, template_id, step_id, sender_id, tags, template, state,
                              timezone, total)
       select business_id, $2, 'Promo', $2, $2, $2, id, '{}', '{}', 'running', 'UTC', 0 from senders
       where business_id = $1`,
      [businessId, id],
    );
  };

  const addInbox = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    await world.rows(
      `update messages set id = $2 where business_id = $1 and id = (
         select min(id) from messages where business_id = $1 and chat_id = $2)`,
      [businessId, id],
    );
    await world.rows("insert into quick_replies (business_id, id, shortcut, body) values ($1, $2, 'hola', 'Hola')", [
      businessId,
      id,
    ]);
  };

  /** Adds a second session of the administrator, or restores it. The requests are sent with the first session. */
  const addSession = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    await world.rows(
      `insert into sessions (digest, business_id, user_id, expires_at, id)
       values (sha256($1::bigint::text::bytea), $2, $1, now() + interval '1 day', $1)
       on conflict (digest) do update set revoked_at = null`,
      [id, businessId],
    );
  };

  /** Links the order to the first message, as if that message had created the order. */
  const addOrderOfMessage = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    await world.rows("update orders set message_id = $2 where business_id = $1 and id = $2", [businessId, id]);
  };

  const restoreContact = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    const phone = `5917000${String(id).padStart(4, "0")}`;
    await world.rows(
      `update contacts set phone = $3, platform_id = $3, opted_out_at = null, erased_at = null
       where business_id = $1 and id = $2 and erased_at is not null`,
      [businessId, id, phone],
    );
  };

  /** Adds the order and its line unless they exist. Earlier requests may have removed them. */
  const addLineOne = async (businessId: number): Promise<void> => {
    const id = businessId * 100 + 1;
    const [held] = await world.rows("select from orders where business_id = $1 and id = $2", [businessId, id]);
    if (!held) await addOrder(world, businessId, { id });
    const [line] = await world.rows("select from order_lines where business_id = $1 and id = $2", [businessId, id]);
    if (line) return;
    const made = await addLine(world, businessId, id);
    await world.rows("update order_lines set id = $2 where business_id = $1 and id = $3", [businessId, id, made]);
  };

  const send = (route: Route, asked: Record<Where, Json>, token?: string): Promise<Answer> => {
    const key: Record<string, string> = token
      ? { authorization: `Bearer ${token}` }
      : route.auth === "session" || forUsers.includes(route.operationId)
        ? { authorization: `Bearer ${session}` }
        : { "x-api-key": world.appKey(own) };
    return request(world.api + urlOf(route, asked), {
      method: route.method.toUpperCase(),
      headers: key,
      ...(route.body !== undefined && { body: asked.body }),
    });
  };
  const expectDocumented = (route: Route, answer: Answer): void => {
    const documented = route.responses[answer.status];
    expect(documented, `${route.operationId} answered ${answer.status}: ${answer.text}`).not.to.equal(undefined);
    if (documented?.schema === undefined || answer.type !== "application/json") return;
    const isValid = ajv.validate(documented.schema as object, answer.json);
    expect(isValid, `${route.operationId} ${answer.status}: ${ajv.errorsText()} in ${answer.text}`).to.equal(true);
  };
  const dump = () => dumpOf(world, foreign);
  /** The answer without the requested id, since some answers repeat that id. */
  const seen = ({ status, type, text }: Answer, id: number) => ({
    status,
    type,
    text: text.replaceAll(new RegExp(`\\b${id}\\b`, "g"), "<id>"),
  });

  it("are searched in every field with the name of an id", () => {
    const fields = routes.flatMap((route) =>
      parts.flatMap((where) => fieldsOf(where, schemaOf(route, where)).map((field) => ({ route, field }))),
    );
    const unmarked = fields
      .filter(({ field }) => looksLikeId(field.path.at(-1) ?? "") && idSchema(field)["x-entity"] === undefined)
      .map(({ route, field }) => nameOf(route, field));
    const message = "mark what these ids name with idOf(...), or say in `noIdsOfOurs` what they name";
    expect(
      unmarked.filter((place) => noIdsOfOurs[place] === undefined),
      message,
    ).to.deep.equal([]);
  });

  it("are known in these tests with the table of each kind", async () => {
    for (const entity of new Set(guarded.flatMap(placeholders).map((place) => place.entity))) {
      const table = tables[entity];
      expect(table, `say in \`tables\` where a ${entity} is kept`).not.to.equal(undefined);
      for (const businessId of [own, foreign]) {
        const owner = entity === "business" ? "" : `and business_id = ${businessId}`;
        const rows = await world.rows(`select from ${table} where id = $1 ${owner}`, [idIn(businessId, entity)]);
        expect(rows, `${entity} of business ${businessId}`).to.have.length(1);
      }
      const none = await world.rows(`select from ${table} where id = $1`, [idIn(nowhere, entity)]);
      expect(none, entity).to.deep.equal([]);
    }
  });

  it("are checked before the handler if they name a business", () => {
    const named = routes.flatMap((route) =>
      parts.flatMap((where) =>
        fieldsOf(where, schemaOf(route, where))
          .filter(({ schema }) => schema["x-entity"] === "business")
          .map((field) => ({ place: nameOf(route, field), guarded: `${route.operationId} ${route.ownBusiness}` })),
      ),
    );
    expect(named.length).to.be.above(10);
    for (const { place, guarded } of named) expect(guarded).to.equal(place);
  });

  it("have only exceptions that are still needed", () => {
    const places = guarded.flatMap(placeholders).map(({ name }) => name);
    expect(places).to.include.members(Object.keys(exceptions));
    expect(places.length).to.be.above(4);
  });

  for (const route of guarded) {
    const places = placeholders(route);
    if (places.length === 0) continue;
    describe(`in ${route.operationId}`, () => {
      it("can be replaced with ids of the caller's business, for which the request succeeds", async () => {
        await addLineOne(own);
        await addOrderOfMessage(own);
        await restoreContact(own);
        await addSession(own);
        const state = campaignStates[route.operationId] ?? "running";
        await world.rows("update campaigns set state = $2, pause_reason = $3 where business_id = $1", [
          own,
          state,
          state === "paused" ? "for the test" : null,
        ]);
        await world.rows("update templates set platform_name = $2 where business_id = $1 and id = $1 * 100 + 1", [
          own,
          platformTemplates[route.operationId] ?? `template_${own * 100 + 1}`,
        ]);
        const answer = await send(route, goodRequest(route));
        expect(answer.status, answer.text).to.be.within(200, 299);
        expectDocumented(route, answer);
      });

      for (const place of places.filter(({ entity }) => entity === "chat" && route.auth.startsWith("key-or-"))) {
        const words = seenByAll[place.name];
        it(`as ${place.where}.${place.path.join(".")} give an agent the same answer for another agent's chat as for a missing one`, async () => {
          await addLineOne(own);
          await world.rows("update chats set support_user_id = $2 where business_id = $1", [own, own * 100 + 1]);
          const good = goodRequest(route, place.where === "body" ? place.path[0] : undefined);
          const asking = (id: number) =>
            send(route, { ...good, [place.where]: record(withValue(good[place.where], place.path, id)) }, agentSession);
          const [hidden, missing] = [idIn(own, "chat"), idIn(nowhere, "chat")];
          const answer = await asking(hidden);
          await world.rows("update chats set support_user_id = null where business_id = $1", [own]);
          if (words) expect(answer.status, words).to.be.oneOf([201, 409]);
          else expect(seen(answer, hidden)).to.deep.equal(seen(await asking(missing), missing));
        });
      }

      for (const place of places) {
        const exception = exceptions[place.name];
        it(`as ${place.where}.${place.path.join(".")} give the same answer as missing ids, and change nothing`, async () => {
          const good = goodRequest(route, place.where === "body" ? place.path[0] : undefined);
          const asking = async (id: number | string) => {
            await addLineOne(own);
            await restoreContact(own);
            return send(route, { ...good, [place.where]: record(withValue(good[place.where], place.path, id)) });
          };
          const [theirs, none] = [idIn(foreign, place.entity), idIn(nowhere, place.entity)];
          const before = await dump();
          for (const write of place.takesDigits ? [Number, String] : [Number]) {
            const [answer, missing] = [await asking(write(theirs)), await asking(write(none))];
            expectDocumented(route, answer);
            if (!exception?.success) expect(answer.status, answer.text).to.be.within(400, 599);
            if (!exception?.otherWords) expect(seen(answer, theirs)).to.deep.equal(seen(missing, none));
          }
          expect(await dump()).to.deep.equal(before);
        });
      }
    });
  }
});
