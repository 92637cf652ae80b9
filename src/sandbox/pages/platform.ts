import { randomBytes } from "node:crypto";
import { type ChannelName, pageChannel } from "../../kernel/channels.ts";
import type { AcceptedMessage, Shared } from "../core/accepted.ts";
import { type Call, ok, type Platform } from "../core/route.ts";
import { Senders } from "../core/senders.ts";
import { controlInput } from "../core/server.ts";
import { sayRoute, Windows } from "../core/windows.ts";
import { idOf, jsonOf, tokenOf } from "../graph/call.ts";
import { type ErrorStatuses, GraphError, graphFailure, unknownObject } from "../graph/errors.ts";
import { graphRoute } from "../graph/route.ts";
import { readPage, type SandboxPage } from "../settings.ts";
import { contentOf, recipientOf, windowMsOf } from "./messages.ts";

interface Page {
  readonly pageId: string;
  readonly token: string;
  readonly channel: ChannelName;
  readonly people: ReadonlySet<string>;
}

/** Page messages and photo-app direct messages: the paths of the Cloud API, for the ids of pages. */
export function pagesPlatform(
  settings: readonly SandboxPage[],
  shared: Shared,
  errorStatuses: ErrorStatuses,
): Platform {
  const pages = new Senders(settings.map(pageFrom), ({ pageId }) => pageId);
  const windows = new Windows();
  const tokens = { knows: (token: string) => pages.some((page) => page.token === token) };
  const { accepted } = shared;

  function pageOf(call: Call): Page {
    const token = tokenOf(call, tokens);
    const page = pages.find(idOf(call));
    if (page?.token !== token) throw unknownObject(call.method, idOf(call));
    return page;
  }

  function requireReachable(page: Page, to: string, windowMs: number): void {
    if (shared.undeliverable.has(to)) throw new GraphError(551);
    if (page.people.has(to)) return;
    const silence = windows.silence(page.pageId, to);
    if (silence === undefined) throw noSuchUser();
    if (silence >= windowMs) throw outsideWindow();
  }

  function send(call: Call): object {
    const page = pageOf(call);
    const body = jsonOf(call);
    const to = recipientOf(body);
    const windowMs = windowMsOf(body);
    const content = contentOf(body, page.channel);
    requireReachable(page, to, windowMs);
    const message: AcceptedMessage = {
      ...content,
      id: `m_${randomBytes(36).toString("base64url")}`,
      at: Date.now(),
      channel: page.channel,
      from: page.pageId,
      to,
      statuses: [],
    };
    accepted.add(message);
    return { recipient_id: to, message_id: message.id };
  }

  const messages = graphRoute(errorStatuses)("POST", "/{version}/{id}/messages", "page_messages", send, () =>
    accepted.countRefusal(),
  );
  return {
    routes: [{ ...messages, serves: ({ id }) => pages.find(id) !== undefined, arrived: () => accepted.countRequest() }],
    control: [
      {
        method: "POST",
        path: "/__sandbox/pages",
        about: "adds or replaces a page or a photo-app account: {pageId, token, channel, people}",
        handle(call) {
          const page = readPage(controlInput(call), "page");
          pages.put(pageFrom(page));
          return ok({ pageId: page.pageId });
        },
      },
      sayRoute("/__sandbox/pages/{sender}/customers/{customer}/say", windows, (id) => pages.find(id) !== undefined),
    ],
    failure: graphFailure(errorStatuses),
    reset: () => windows.clear(),
    close() {},
  };
}

const pageFrom = ({ pageId, token, channel = pageChannel, people = [] }: SandboxPage): Page => ({
  pageId,
  token,
  channel,
  people: new Set(people),
});

const noSuchUser = (): GraphError =>
  new GraphError(100, undefined, { message: "(#100) No matching user found", subcode: 2018001 });

const outsideWindow = (): GraphError =>
  new GraphError(10, undefined, {
    message: "(#10) This message is sent outside of allowed window.",
    subcode: 2018278,
  });
