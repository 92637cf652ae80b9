import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { sendersOf } from "../fixtures/businesses/insert.ts";
import { type AddressOf, asked, made, makeMissing, type Numbered, type NumberFrom, type Requests } from "./requests.ts";
import { setUpTemplates } from "./set-up-templates.ts";
import { type Invitations, setUpUsers } from "./set-up-users.ts";

/** Where a business is set up. */
export interface Place {
  readonly administrator: Requests;
  /** The stand-in for the messaging platform, for those who steer it; null where the platform is none. */
  readonly platform: Requests | null;
  readonly invitations: Invitations;
  readonly numberFrom: NumberFrom;
  readonly addressOf: AddressOf;
}

/**
 * What a business makes by itself: all of it by the requests that its administrator would make. What is there already, of a
 * start that broke off, stays. Who is invited accepts that in the background.
 */
export async function setUp(business: BusinessFixture, place: Place): Promise<void> {
  const { administrator, platform, invitations, numberFrom } = place;
  await setUpUsers(business, administrator, invitations, numberFrom);
  for (const [resource, table, records] of numberedRecords(business)) {
    await makeMissing(administrator, resource, table, records, numberFrom);
  }
  const replies = await asked(administrator, "GET", "/admin/quick-replies?limit=100");
  for (const { shortcut, body } of (business.quickReplies ?? []).slice(replies.data.length)) {
    await made(administrator, "quick-replies", { nombre: shortcut, texto: body });
  }
  await connect(business, administrator);
  await setFlags(business, administrator);
  await setUpTemplates(business, administrator, platform, place);
}

/** In an order in which each finds those that it names. */
function numberedRecords(business: BusinessFixture): [resource: string, table: string, records: Numbered[]][] {
  const { departments, tags = [], steps, shop } = business;
  return [
    [
      "departments",
      "departments",
      departments.map(({ id, name, openingHours = null, outOfHoursMessage = null, agentIds = [] }) => ({
        id,
        body: { nombre: name, horario: openingHours, mensaje_fuera_de_horario: outOfHoursMessage, agentes: agentIds },
      })),
    ],
    ["tags", "tags", tags.map(({ id, name }) => ({ id, body: { nombre: name } }))],
    [
      "steps",
      "steps",
      steps.map(({ id, name, identifier, content, departmentId, tags: its = null, asked: further }) => ({
        id,
        body: {
          ...{ nombre: name, identificador: identifier, contenido: content, departamento: departmentId, tags: its },
          ...further,
        },
      })),
    ],
    ["branches", "branches", (shop?.branches ?? []).map(({ id, name }) => ({ id, body: { nombre: name } }))],
    [
      "zones",
      "zones",
      (shop?.zones ?? []).map(({ id, name, price, branchId }) => ({
        id,
        body: { nombre: name, precio: price, sucursal_id: branchId },
      })),
    ],
    [
      "articles",
      "articles",
      (shop?.articles ?? []).map(({ id, retailerId, ...article }) => ({
        id,
        body: { ...article, retailer_id: retailerId },
      })),
    ],
    ["extras", "article_extras", (shop?.extras ?? []).map(({ id, ...extra }) => ({ id, body: extra }))],
    [
      "drivers",
      "drivers",
      (shop?.drivers ?? []).map(({ id, name, phone }) => ({ id, body: { nombre: name, telefono: phone } })),
    ],
  ];
}

/** Tokens are tried with the platforms. One that is no stand-in knows none of the demo's: it is left out. */
async function connect(business: BusinessFixture, { ask }: Requests): Promise<void> {
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
      console.error(`business ${business.id} has none of its ${resource}: ${json?.error ?? status}`);
  }
}

/** The ad account for reports is left out where the business has no access to the ad platform: it would be refused. */
async function setFlags({ flags }: BusinessFixture, administrator: Requests): Promise<void> {
  const { ad_account_for_report: _, ...others } = flags as Readonly<Record<string, unknown>>;
  const accesses = await asked(administrator, "GET", "/admin/ad-accounts");
  await asked(administrator, "PUT", "/admin/flags", accesses.data.length === 0 ? others : flags);
}
