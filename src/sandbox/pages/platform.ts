import { pageChannel, photoChannel } from "../../kernel/channels.ts";
import type { Core } from "../core/control.ts";
import { type Files, onePixelPng } from "../core/files.ts";
import type { Fields } from "../core/input.ts";
import { type Call, control, type Platform, type RequestHead } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import { GraphError, givenToken, graphFailure, idOf, jsonOf, tokenOf, unknownObject } from "../graph/graph.ts";
import { readPage, type SandboxPage } from "../settings.ts";
import { contentOf, contextOf, recipientOf, senderActionOf, windowMsOf } from "./content.ts";
import { newId, PageCustomers } from "./customers.ts";
import { type Page, pageFrom } from "./pages.ts";
import { pageStatuses } from "./statuses.ts";

/** Messages of pages and photo accounts. The paths are the Cloud API's, with the id of a page or customer, or `me`. */
export function pagesPlatform(
  settings: readonly SandboxPage[],
  { shared, webhooks, queues, errorStatuses }: Core,
): Platform {
  const pages = new Senders(settings.map(pageFrom), ({ pageId }) => pageId);
  const customers = new PageCustomers(pages, webhooks, shared.files);
  const statuses = {
    page: queues.open(pageStatuses(webhooks, pageChannel)),
    photo: queues.open(pageStatuses(webhooks, photoChannel)),
  };
  const knows = (token: string) => pages.some((page) => page.token === token);
  shared.graphTokens.push(knows);

  function pageOf(call: Call): Page {
    const token = tokenOf(call, knows);
    const page = idOf(call) === "me" ? pages.first((each) => each.token === token) : pages.find(idOf(call));
    if (page?.token !== token) throw unknownObject(call);
    return page;
  }

  function requireReachable(page: Page, to: string, windowMs: number): void {
    if (shared.undeliverable.has(to)) throw new GraphError(551);
    if (page.people.has(to)) return;
    const silence = customers.windows.silence(page.pageId, to);
    if (silence === undefined) throw new GraphError(100, undefined, noSuchUser);
    if (silence >= windowMs) throw new GraphError(10, undefined, outsideWindow);
  }

  function send(call: Call): object {
    const page = pageOf(call);
    const body = jsonOf(call);
    const to = recipientOf(body);
    const action = senderActionOf(body);
    return action === undefined ? sendMessage(page, to, body) : show(page, to, action);
  }

  function sendMessage(page: Page, to: string, body: Fields): object {
    const windowMs = windowMsOf(body);
    const content = contentOf(body, page.channel);
    requireReachable(page, to, windowMs);
    const id = newId();
    const { channel, pageId: from } = page;
    const message = shared.accept({ ...content, id, channel, from, to, context: contextOf(body), page });
    (channel === photoChannel ? statuses.photo : statuses.page).add(message);
    return { recipient_id: to, message_id: id };
  }

  function show(page: Page, to: string, action: unknown): object {
    requireReachable(page, to, Number.POSITIVE_INFINITY);
    if (action === "mark_seen") shared.reads.addCustomer(page.pageId, to);
    return { recipient_id: to };
  }

  /** The id of the page or account that the token belongs to. If requested, adds the page's linked photo account. */
  function ownNode(call: Call): object {
    const page = pageOf(call);
    const asked = call.query.get("fields")?.split(",") ?? [];
    const isLinked = asked.includes("instagram_business_account") && page.photoAccountId !== undefined;
    return { id: page.pageId, ...(isLinked && { instagram_business_account: { id: page.photoAccountId } }) };
  }

  /** The token's page, if the customer has written or reacted to it. */
  const pageWrittenTo = (asked: RequestHead, customer: string): Page | undefined =>
    pages.first((page) => page.token === givenToken(asked) && customers.nameOf(page, customer) !== undefined);

  function profile(call: Call): object {
    const customer = idOf(call);
    const page = pageWrittenTo(call, customer);
    const name = page && customers.nameOf(page, customer);
    if (!page || name === undefined) throw unknownObject(call);
    return profileOf(page, customer, name, call.query, shared.files);
  }

  return {
    routes: [
      {
        route: "GET /v{version}/{id}",
        operation: "me",
        serves: (asked) => idOf(asked) === "me",
        handle: ownNode,
      },
      {
        route: "GET /v{version}/{id}",
        operation: "profile",
        serves: (asked) => pageWrittenTo(asked, idOf(asked)) !== undefined,
        handle: profile,
      },
      {
        route: "POST /v{version}/{id}/messages",
        operation: "page_messages",
        serves: (asked) => idOf(asked) === "me" || pages.find(idOf(asked)) !== undefined,
        counter: shared,
        handle: send,
      },
    ],
    customers: { page: customers.on(pageChannel), photo: customers.on(photoChannel) },
    control: [
      control(
        "POST /__sandbox/pages",
        "adds or replaces a page or a photo-app account: {pageId, token, channel, people, photoAccountId}",
        (input) => ({ pageId: pages.put(pageFrom(readPage(input, "page"))).pageId }),
      ),
      control(
        "POST /__sandbox/pages/{sender}/customers/{customer}/write",
        "the business writes to a customer in the platform's own app, sent as an echo: {text, id, " +
          "timestamp, repeat}",
        (input, { path }) => customers.write(path.sender ?? "", path.customer ?? "", input),
      ),
      customers.windows.sayRoute("pages", (id) => pages.find(id) !== undefined),
    ],
    failure: graphFailure(errorStatuses),
    reset: () => customers.reset(),
  };
}

const noSuchUser = { message: "(#100) No matching user found", subcode: 2018001 };
const outsideWindow = { message: "(#10) This message is sent outside of allowed window.", subcode: 2018278 };

const pictureId = "profile-picture";

/** A customer's profile: the requested fields that the channel has. */
function profileOf(page: Page, id: string, name: string, query: URLSearchParams, files: Files): object {
  const [first = name, ...others] = name.split(" ");
  const names =
    page.channel === photoChannel
      ? { username: name.toLowerCase().replace(/\W+/g, ".") }
      : { first_name: first, last_name: others.join(" ") };
  const known: Readonly<Record<string, string>> = { ...names, name, profile_pic: pictureIn(files) };
  const asked = query.get("fields")?.split(",") ?? ["first_name", "last_name", "name", "profile_pic"];
  const told = asked.flatMap((field) => (Object.hasOwn(known, field) ? [[field, known[field]]] : []));
  return { ...Object.fromEntries(told), id };
}

function pictureIn(files: Files): string {
  if (!files.find(pictureId)) {
    files.keep({ mime: "image/png", bytes: Buffer.from(onePixelPng, "base64"), owner: "" }, pictureId);
  }
  return files.link(pictureId);
}
