import type { Container } from "../bootstrap/container.ts";
import { resolve } from "../bootstrap/provide.ts";
import { tokens } from "../bootstrap/tokens.ts";
import type { BusinessFixture } from "../fixtures/businesses/business.ts";
import { pairPhones } from "../fixtures/businesses/pair-phones.ts";
import type { OrderFixture } from "../fixtures/businesses/shop.ts";
import {
  type ChannelName,
  cloudChannel,
  isNumbered,
  pageChannel,
  photoChannel,
  providerBChannel,
  qrChannel,
} from "../kernel/channels.ts";
import { requiredParameters } from "../messaging/domain/template.ts";
import { statusOf } from "../orders/domain/states.ts";
import { demoPassword } from "./data.ts";
import { firstAdministratorOf, userOf } from "./people.ts";
import { asked, made, type Requests, requestsTo } from "./requests.ts";

/** Each start makes new keys and tokens, and revokes the keys of the previous start. Phone secrets stay the same. */
export interface DemoAccess {
  /** By business id. */
  readonly appKeys: ReadonlyMap<number, string>;
  /** By user id. */
  readonly sessionTokens: ReadonlyMap<number, string>;
  /** By business id: the secret that the provider of paired phones sends with its webhooks. */
  readonly phoneSecrets: ReadonlyMap<number, string>;
}

const keyLabel = "demo";
const other = 2;

/** Opens sessions without passwords. The administrator of each business creates its key and pairs its phone. */
export async function giveAccess(
  container: Container,
  api: string,
  businesses: readonly BusinessFixture[],
): Promise<DemoAccess> {
  const openSession = resolve(container, tokens.openSession);
  const appKeys = new Map<number, string>();
  const webhookOf = resolve(container, tokens.instanceWebhook);
  const sessionTokens = new Map<number, string>();
  const phoneSecrets = new Map<number, string>();
  for (const business of businesses) {
    for (const { id } of [firstAdministratorOf(business), userOf(business, 5), userOf(business, 5, 1)]) {
      sessionTokens.set(id, (await openSession.forUser(id)).token);
    }
    const administrator = requestsTo(api, sessionTokens.get(firstAdministratorOf(business).id));
    appKeys.set(business.id, await newKey(administrator));
    const phones = await pairPhones((path) => administrator("GET", path));
    for (const { id: senderId, platform_id: platformId } of phones) {
      phoneSecrets.set(business.id, webhookOf({ businessId: business.id, senderId, platformId }).secret);
    }
  }
  return { appKeys, sessionTokens, phoneSecrets };
}

/** Replaces the key of the previous start. */
async function newKey(administrator: Requests): Promise<string> {
  const { data } = await asked(administrator, "GET", `/admin/app-keys?q=${keyLabel}&limit=100`);
  for (const { id, label } of data) {
    if (label === keyLabel) await asked(administrator, "DELETE", `/admin/app-keys/${id}`);
  }
  return (await made(administrator, "app-keys", { label: keyLabel })).key;
}

const pendingOrder = ({ shop }: BusinessFixture, type: string): OrderFixture | undefined =>
  shop?.orders.find((order) => order.status === statusOf.pending && order.type === type && !order.paid);

interface Parts {
  readonly api: string;
  readonly sandbox: string | null;
  readonly databaseUrl: string;
  readonly businesses: readonly BusinessFixture[];
  readonly access: DemoAccess;
}

export type DemoDescription = ReturnType<typeof demoDescription>;

/** The content of `.run/demo.json`: the addresses, ids and keys for trying out the demo. */
export function demoDescription({ api, sandbox, databaseUrl, businesses, access }: Parts) {
  const find = (id: number): BusinessFixture => {
    const business = businesses.find((candidate) => candidate.id === id);
    if (!business) throw new Error(`the demo has no business ${id}`);
    return business;
  };
  const [main, foreign] = [find(1), find(other)];
  const sessionOf = (business: BusinessFixture, roleId: number, nth = 0) => {
    const { id, email } = userOf(business, roleId, nth);
    return { id, email, sessionToken: access.sessionTokens.get(id) ?? "" };
  };
  const foreignOrder = pendingOrder(foreign, "wa");
  const foreignAdmin = sessionOf(foreign, 1);
  return {
    api,
    console: `${api}/console/`,
    sandbox,
    databaseUrl,
    business: { id: main.id, appKey: access.appKeys.get(main.id) ?? "" },
    otherBusiness: {
      id: foreign.id,
      appKey: access.appKeys.get(foreign.id) ?? "",
      userId: foreignAdmin.id,
      sessionToken: foreignAdmin.sessionToken,
      templateId: foreign.templates[0]?.id,
      contactId: foreign.threads[0]?.contactId,
      chatId: foreign.threads[0]?.chatId,
      ticketStepId: foreign.steps[0]?.id,
      orderId: foreignOrder?.id,
      detailId: foreignOrder?.lines[0]?.id,
      articleId: foreign.shop?.articles[0]?.id,
    },
    admin: sessionOf(main, 1),
    agent: sessionOf(main, 5),
    agent2: sessionOf(main, 5, 1),
    password: demoPassword,
    departments: main.departments.map(({ id, name }) => ({ id, nombre: name })),
    tags: (main.tags ?? []).map(({ id, name }) => ({ id, nombre: name })),
    channels: channelsOf(main, access),
    templates: main.templates
      .filter(({ visible, deleted }) => visible && !deleted)
      .map((template) => ({
        id: template.id,
        name: template.name,
        parameters: requiredParameters({ structure: template.structure, body: template.body }),
        header: template.headerType,
      })),
    contacts: main.threads
      .filter(({ channel = cloudChannel }) => isNumbered(channel))
      .map(({ contactId, chatId, phone }) => ({ id: contactId, numero: phone, chat_id: chatId })),
    ticketStep: { id: main.steps[0]?.id },
    adAccount: main.ads?.defaultAccountId,
    campaign: main.ads?.accounts[0]?.campaigns?.[0]?.id,
    orders: { whatsapp: pendingOrder(main, "wa")?.id, app: pendingOrder(main, "app")?.id },
    article: { id: main.shop?.articles[0]?.id },
    reportRoot: main.id,
  };
}

/** The business's ids on each channel, and the secrets of channels that have their own. */
function channelsOf({ id, sender: cloud, otherSenders = [] }: BusinessFixture, { phoneSecrets }: DemoAccess) {
  const senderOn = (channel: ChannelName) => otherSenders.find((sender) => sender.channel === channel);
  const account = senderOn(providerBChannel);
  return {
    cloud: { phoneNumberId: cloud.phoneNumberId },
    page: { pageId: senderOn(pageChannel)?.platformId },
    photo: { accountId: senderOn(photoChannel)?.platformId },
    qr: { instance: senderOn(qrChannel)?.platformId, webhookSecret: phoneSecrets.get(id) },
    providerB: { accountSid: account?.accountId, authToken: account?.token, number: account?.phone },
  };
}
