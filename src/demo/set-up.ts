import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sendersOf } from "../fixtures/businesses/insert.ts";
import { asked, made, makeMissing, type Numbered, type Requests, type SetUpPlace } from "./requests.ts";
import { setUpTemplates } from "./set-up-templates.ts";
import { type Invitations, setUpUsers } from "./set-up-users.ts";

/** Creates a business's own records as its administrator. Keeps records that an unfinished start created. */
export async function setUp(business: BusinessFixture, place: SetUpPlace, invitations: Invitations): Promise<void> {
  const { administrator } = place;
  await setUpUsers(business, place, invitations);
  for (const [resource, records] of Object.entries(numberedRecords(business))) {
    await makeMissing(place, resource, records);
  }
  const replies = await asked(administrator, "GET", "/admin/quick-replies?limit=100");
  for (const { shortcut, body } of (business.quickReplies ?? []).slice(replies.data.length)) {
    await made(administrator, "quick-replies", { nombre: shortcut, texto: body });
  }
  await connect(business, administrator);
  await setFlags(business, administrator);
  await setUpTemplates(business, place);
}

/** The records by resource. Each record comes after the records that it refers to. */
function numberedRecords({ departments, tags = [], steps, shop }: BusinessFixture): Record<string, Numbered[]> {
  const { branches = [], zones = [], articles = [], extras = [], drivers = [] } = shop ?? {};
  return {
    departments: departments.map(({ id, name, openingHours = null, outOfHoursMessage = null, agentIds = [] }) => ({
      id,
      body: { nombre: name, horario: openingHours, mensaje_fuera_de_horario: outOfHoursMessage, agentes: agentIds },
    })),
    tags: tags.map(({ id, name }) => ({ id, body: { nombre: name } })),
    steps: steps.map(({ id, name, identifier, content, departmentId, tags: its = null, asked: further }) => ({
      id,
      body: {
        ...{ nombre: name, identificador: identifier, contenido: content, departamento: departmentId, tags: its },
        ...further,
      },
    })),
    branches: branches.map(({ id, name }) => ({ id, body: { nombre: name } })),
    zones: zones.map(({ id, name, price, branchId }) => ({
      id,
      body: { nombre: name, precio: price, sucursal_id: branchId },
    })),
    articles: articles.map(({ id, retailerId, ...article }) => ({ id, body: { ...article, retailer_id: retailerId } })),
    extras: extras.map(({ id, ...extra }) => ({ id, body: extra })),
    drivers: drivers.map(({ id, name, phone }) => ({ id, body: { nombre: name, telefono: phone } })),
  };
}

/** Creates the senders and the ad account. Skips those that a real platform refuses because of the demo's tokens. */
async function connect(business: BusinessFixture, ask: Requests): Promise<void> {
  const records = sendersOf(business).map(({ platformId, accountId, ...sender }) => ({
    resource: "senders",
    body: { ...sender, platform_id: platformId, account_id: accountId },
  }));
  const { ads } = business;
  const access = ads && {
    resource: "ad-accounts",
    body: { token: ads.token, default_account_id: ads.defaultAccountId },
  };
  for (const { resource, body } of access ? [...records, access] : records) {
    const { status, json } = await ask("POST", `/admin/${resource}`, body);
    if (status !== 201 && status !== 409)
      console.error(`business ${business.id} has no ${resource}: ${json?.error ?? status}`);
  }
}

/** Leaves out `ad_account_for_report` if the business has no ad account, because the service would refuse the flag. */
async function setFlags({ flags }: BusinessFixture, administrator: Requests): Promise<void> {
  const { ad_account_for_report: _, ...others } = flags as Readonly<Record<string, unknown>>;
  const accesses = await asked(administrator, "GET", "/admin/ad-accounts");
  await asked(administrator, "PUT", "/admin/flags", accesses.data.length === 0 ? others : flags);
}
