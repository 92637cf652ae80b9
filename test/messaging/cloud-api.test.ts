import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import nock from "nock";
import { cloudMessages } from "../../src/channels/cloud/send.ts";
import { CloudTemplates, type CloudTemplatesSettings } from "../../src/channels/cloud/templates.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import type { ChannelMessage } from "../../src/messaging/application/sends/ports.ts";
import { PlatformUnavailable, type RefusalClass, type SendOutcome } from "../../src/messaging/domain/platform.ts";
import { useNock, useRealNetwork } from "../http-client/nocked.ts";
import { answer, freePort, serveRaw } from "../http-client/servers.ts";
import { aMessage, paper, picture, samples, senderOn, template, timeouts, version, voice } from "./channel-support.ts";
import { shownStates } from "./template-states.ts";

const sender = senderOn(cloudChannel, { accountId: "2066" });
const message = aMessage({ template });

describe("the cloud API", () => {
  let client: HttpClient;
  const channel = (baseUrl: string, changes: { readonly totalMs?: number } = {}) =>
    cloudMessages({ client, baseUrl, version, timeouts: { ...timeouts, ...changes } });
  const templatesAt = (baseUrl: string, changes: Partial<CloudTemplatesSettings["timeouts"]> = {}) =>
    new CloudTemplates({ client, baseUrl, version, samples, timeouts: { ...timeouts, ...changes } });

  beforeEach(() => {
    client = new HttpClient();
  });
  afterEach(() => client.close());

  describe("read receipts", () => {
    useNock();
    const host = "https://platform.test";
    const path = "/v23.0/1055/messages";
    const markRead = (baseUrl = host, changes = {}) =>
      channel(baseUrl, changes).markRead?.(sender, { platformMessageId: "wamid.theirs", customer: "5917" });

    it("send exactly this request", async () => {
      let body: unknown;
      const scope = nock(host, {
        reqheaders: { authorization: "Bearer EAAsecret", "content-type": "application/json" },
      })
        .post(path, (sent) => {
          body = sent;
          return true;
        })
        .reply(200, { success: true });
      await markRead();
      scope.done();
      expect(body).to.deep.equal({ messaging_product: "whatsapp", status: "read", message_id: "wamid.theirs" });
    });

    it("do not reject for any answer of the platform, and send one request", async () => {
      for (const [status, answer] of [
        [400, { error: { message: "(#100) Invalid parameter", code: 100 } }],
        [500, "no JSON"],
        [200, ""],
      ] as const) {
        const scope = nock(host).post(path).reply(status, answer);
        await markRead();
        scope.done();
      }
      nock(host).post(path).replyWithError("reset");
      await markRead();
      await markRead("nowhere");
    });

    it("give up after the time limit of a send", async () => {
      nock(host).post(path).delay(5_000).reply(200, { success: true });
      const start = performance.now();
      await markRead(host, { totalMs: 50 });
      expect(performance.now() - start).to.be.below(2_000);
    });
  });

  describe("sending a template", () => {
    useNock();
    const host = "https://platform.test";
    const path = "/v23.0/1055/messages";

    /** Sends the message, to which the platform gives this answer. Returns the outcome. A second request would fail. */
    async function outcomeOf(
      status: number,
      body: object | string,
      headers?: Record<string, string>,
    ): Promise<SendOutcome> {
      const scope = nock(host).post(path).reply(status, body, headers);
      const outcome = await channel(host).send(sender, message);
      scope.done();
      return outcome;
    }

    it("sends exactly this request", async () => {
      let body: unknown;
      const scope = nock(host, {
        reqheaders: {
          authorization: "Bearer EAAsecret",
          "content-type": "application/json",
          accept: "application/json",
        },
      })
        .post(path, (sent) => {
          body = sent;
          return true;
        })
        .reply(200, { messaging_product: "whatsapp", contacts: [{ wa_id: "5917" }], messages: [{ id: "wamid.1" }] });

      const outcome = await channel(`${host}/`).send(sender, { ...message, media: paper });

      expect(outcome).to.deep.equal({ kind: "accepted", platformMessageId: "wamid.1", recipientId: "5917" });
      expect(body).to.deep.equal({
        messaging_product: "whatsapp",
        recipient_type: "individual",
        to: "59170000001",
        type: "template",
        biz_opaque_callback_data: "5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a",
        template: {
          name: "order_ready",
          language: { code: "es" },
          components: [
            { type: "header", parameters: [{ type: "document", document: { link: paper.link } }] },
            {
              type: "body",
              parameters: [
                { type: "text", text: "Ana" },
                { type: "text", text: 'ñandú "2"' },
              ],
            },
          ],
        },
      });
      scope.done();
    });

    it("names the parameters of a template with named placeholders", async () => {
      let asked: unknown;
      nock(host)
        .post(path, (sent) => {
          asked = sent.template.components;
          return true;
        })
        .reply(200, { messages: [{ id: "wamid.1" }] });
      await channel(host).send(sender, { ...message, template: { ...template, parameterNames: ["nombre", "pedido"] } });
      expect(asked).to.deep.equal([
        {
          type: "body",
          parameters: [
            { type: "text", parameter_name: "nombre", text: "Ana" },
            { type: "text", parameter_name: "pedido", text: 'ñandú "2"' },
          ],
        },
      ]);
    });

    it("fills the button that copies a one-time code", async () => {
      let asked: unknown;
      nock(host)
        .post(path, (sent) => {
          asked = sent.template.components;
          return true;
        })
        .reply(200, { messages: [{ id: "wamid.1" }] });
      const coded = { ...template, parameters: ["482913"], copiesCode: true };
      await channel(host).send(sender, { ...message, template: coded });
      const parameters = [{ type: "text", text: "482913" }];
      expect(asked).to.deep.equal([
        { type: "body", parameters },
        { type: "button", sub_type: "url", index: "0", parameters },
      ]);
    });

    it("sends no component for a template without parameters and media", async () => {
      let asked: unknown;
      nock(host)
        .post("/v9.9/1055/messages", (sent) => {
          asked = sent.template;
          return true;
        })
        .reply(200, { messages: [{ id: "wamid.1", message_status: "accepted" }] });
      const old = cloudMessages({ client, baseUrl: host, timeouts, version: "v9.9" });
      const outcome = await old.send(sender, { ...message, template: { ...template, parameters: [] } });
      expect(asked).to.deep.equal({ name: "order_ready", language: { code: "es" } });
      expect(outcome).to.deep.equal({ kind: "accepted", platformMessageId: "wamid.1" });
    });

    it("names the quoted message for any kind of message", async () => {
      for (const given of [message, aMessage(), aMessage({ media: picture })]) {
        let asked: { context?: object } = {};
        nock(host)
          .post(path, (sent) => {
            asked = sent;
            return true;
          })
          .reply(200, { messages: [{ id: "wamid.1" }] });
        await channel(host).send(sender, { ...given, replyTo: "wamid.before" });
        expect(asked.context).to.deep.equal({ message_id: "wamid.before" });
      }
    });

    it("removes characters from answers that cannot be stored", async () => {
      const refused = { error: { message: "No\0 \ud800", code: 3_000_000_000 } };
      expect(await outcomeOf(400, refused)).to.deep.equal({
        kind: "refused",
        refusal: { class: "final", code: 0, reason: "No" },
      });
      const accepted = { messages: [{ id: "wamid\0.1" }], contacts: [{ wa_id: "5917\ud800" }] };
      expect(await outcomeOf(200, accepted)).to.deep.equal({
        kind: "accepted",
        platformMessageId: "wamid.1",
        recipientId: "5917\ufffd",
      });
    });

    const classes: Record<RefusalClass, number[]> = {
      "wait-sender": [130429, 80007, 80008, 4, 17, 32, 613, 131057, 131000, 131016, 133004, 1, 2],
      "wait-recipient": [131056],
      stop: [
        ...[132000, 132001, 132007, 132012, 131008, 131042, 131031, 131048, 368, 131037],
        ...[131045, 133010, 33, 190, 0, 3, 10, 200, 299, 131005],
      ],
      "stop-template": [132015, 132016],
      final: [131026, 131030, 131047, 130472, 131053, 100, 131021, 131051, 132005, 131009, 987654],
      "opted-out": [131050],
      later: [131049],
    };
    for (const [cls, codes] of Object.entries(classes)) {
      for (const code of codes) {
        it(`is refused as ${cls} by code ${code}`, async () => {
          const body = { error: { message: `(#${code}) No`, type: "OAuthException", code, fbtrace_id: "x" } };
          expect(await outcomeOf(400, body)).to.deep.equal({
            kind: "refused",
            refusal: { class: cls, code, reason: `(#${code}) No` },
          });
        });
      }
    }

    it("depends on the code and not on the status", async () => {
      const classOf = async (status: number, code: number): Promise<unknown> => {
        const outcome = await outcomeOf(status, { error: { message: "No", code } });
        return outcome.kind === "refused" ? outcome.refusal.class : outcome.kind;
      };
      expect(await classOf(429, 132001)).to.equal("stop");
      expect(await classOf(404, 132001)).to.equal("stop");
      expect(await classOf(500, 131026)).to.equal("final");
      expect(await classOf(200, 190)).to.equal("stop");
      expect(await classOf(503, 131016)).to.equal("wait-sender");
      expect(await classOf(401, 130429)).to.equal("wait-sender");
    });

    it("treats an unknown code with 429 as a rate limit, and with a 5xx as an unknown outcome", async () => {
      const body = { error: { message: "No", code: 555555 } };
      expect(await outcomeOf(429, body)).to.have.nested.property("refusal.class", "wait-sender");
      expect(await outcomeOf(500, body)).to.deep.equal({ kind: "unknown", reason: "HTTP 500 that proves nothing" });
      expect(await outcomeOf(200, body)).to.have.property("kind", "unknown");
    });

    it("stops if the sending number belongs to another account", async () => {
      const body = { error: { message: "Unsupported post request", code: 100, error_subcode: 33 } };
      expect(await outcomeOf(400, body)).to.have.nested.property("refusal.class", "stop");
    });

    it("reports how long to wait if the platform says so", async () => {
      const waitOf = async (header: string): Promise<unknown> => {
        const outcome = await outcomeOf(429, { error: { message: "No", code: 130429 } }, { "Retry-After": header });
        return outcome.kind === "refused" && outcome.refusal.retryAfterMs;
      };
      expect(await waitOf("7")).to.equal(7_000);
      expect(await waitOf(new Date(Date.now() + 60_000).toUTCString())).to.be.within(50_000, 60_000);
      expect(await waitOf(new Date(Date.now() - 60_000).toUTCString())).to.equal(0);
      expect(await waitOf("9999999999")).to.equal(24 * 60 * 60 * 1_000);
      expect(await waitOf("soon")).to.equal(undefined);
    });

    it("reports reasons without numbers, tokens and line breaks, of limited length", async () => {
      const details = `Recipient 59170000001 of EAAsecret,\nwith ${"x9".repeat(40)} and 123456. ${"word ".repeat(100)}`;
      const body = { error: { message: "(#131026) Undeliverable", code: 131026, error_data: { details } } };
      const outcome = await outcomeOf(400, body);
      const reason = outcome.kind === "refused" ? outcome.refusal.reason : "";
      expect(reason).to.match(/^\(#131026\) Undeliverable: Recipient \*\*\* of \*\*\*, with \*\*\* and 123456\. word /);
      expect(reason).to.have.lengthOf(300);
    });

    const proofless: Record<string, [number, object | string]> = {
      "a 200 without a message id": [200, { messaging_product: "whatsapp", contacts: [], messages: [] }],
      "a 200 with an empty id": [200, { messages: [{ id: "" }] }],
      "a 200 with another body": [200, "<html>Welcome to the hotel</html>"],
      "a 200 without a body": [200, ""],
      "a 204": [204, ""],
      "a redirect": [302, ""],
      "a gateway's 502": [502, "<html>Bad gateway</html>"],
      "a gateway's 504": [504, ""],
      "a 500 without a code": [500, { error: { message: "No" } }],
      "an error that is a text": [400, { error: "no" }],
      "a code that is a text": [400, { error: { message: "No", code: "190" } }],
      "a 403 from a firewall": [403, "denied"],
      "a 429 from a gateway": [429, "slow down"],
      "half an error": [400, '{"error":{"message":"(#190) No","code":190'],
      null: [200, "null"],
      "a list": [200, "[]"],
      "an id with an error status": [502, { messages: [{ id: "wamid.1" }] }],
    };
    for (const [what, [status, body]] of Object.entries(proofless)) {
      it(`has an unknown outcome after ${what}`, async () => {
        expect(await outcomeOf(status, body)).to.deep.equal({
          kind: "unknown",
          reason: `HTTP ${status} that proves nothing`,
        });
      });
    }
  });

  describe("sending other messages", () => {
    useNock();
    const host = "https://platform.test";

    /** Sends the message. Returns the request's fields, without the fields that all requests have. */
    async function askedFor(message: Partial<ChannelMessage>): Promise<unknown> {
      let asked: Record<string, unknown> = {};
      const scope = nock(host, { reqheaders: { authorization: "Bearer EAAsecret" } })
        .post("/v23.0/1055/messages", (sent) => {
          asked = sent;
          return true;
        })
        .reply(200, { contacts: [{ wa_id: "5917" }], messages: [{ id: "wamid.1" }] });
      const outcome = await channel(host).send(sender, aMessage(message));
      expect(outcome).to.deep.equal({ kind: "accepted", platformMessageId: "wamid.1", recipientId: "5917" });
      scope.done();
      const { messaging_product, recipient_type, to, biz_opaque_callback_data, ...content } = asked;
      expect([messaging_product, recipient_type, to]).to.deep.equal(["whatsapp", "individual", "59170000001"]);
      expect(biz_opaque_callback_data).to.equal("5ac7f2f8-6f5b-4c43-9a56-3a1a4f3d3d3a");
      return content;
    }

    it("sends a text", async () => {
      expect(await askedFor({ text: "Hola" })).to.deep.equal({
        type: "text",
        text: { body: "Hola", preview_url: true },
      });
    });

    it("sends media with the text as its caption, or a text with the link below if media cannot have that caption", async () => {
      expect(await askedFor({ text: "Mira", media: picture })).to.deep.equal({
        type: "image",
        image: { link: picture.link, caption: "Mira" },
      });
      expect(await askedFor({ text: "", media: paper })).to.deep.equal({
        type: "document",
        document: { link: paper.link, filename: "precios de hoy.pdf" },
      });
      expect(await askedFor({ text: "", media: voice })).to.deep.equal({ type: "audio", audio: { link: voice.link } });
      expect(await askedFor({ text: "Escucha", media: voice })).to.deep.equal({
        type: "text",
        text: { body: `Escucha\n\n${voice.link}`, preview_url: true },
      });
      expect(await askedFor({ text: "x".repeat(1_024), media: picture })).to.have.property("type", "image");
      expect(await askedFor({ text: "x".repeat(1_025), media: picture })).to.deep.equal({
        type: "text",
        text: { body: `${"x".repeat(1_025)}\n\n${picture.link}`, preview_url: true },
      });
    });
  });

  describe("sending over a broken connection", () => {
    useRealNetwork();

    it("is reported as not sent if no server listens", async () => {
      const outcome = await channel(`http://127.0.0.1:${await freePort()}`).send(sender, message);
      expect(outcome).to.deep.equal({ kind: "not-sent", reason: "connection failed: ECONNREFUSED" });
    });

    it("is reported as unknown, after one request, if the answer is missing or incomplete", async () => {
      const accepted = answer('{"messages":[{"id":"wamid.1"}]}');
      const fates = [
        (write: (text: string) => void) => write(accepted.slice(0, -1)),
        (write: (text: string, then: "end") => void) => write(accepted.slice(0, -1), "end"),
        (write: (text: string, then: "end") => void) => write("", "end"),
      ];
      for (const fate of fates) {
        const server = await serveRaw((socket) =>
          fate((text: string, then?: "end") => (then ? socket.end(text) : socket.write(text))),
        );
        const outcome = await channel(server.url, { totalMs: 200 }).send(sender, message);
        expect(outcome).to.have.property("kind", "unknown");
        expect(server.requests()).to.equal(1);
        await server.close();
      }
    });
  });

  describe("listing templates", () => {
    useRealNetwork();
    type Reply = (query: URLSearchParams, request: number) => object | "hang" | "reset";
    let server: http.Server;
    let reply: Reply;
    let requests: URL[];
    let tokens: Set<string | undefined>;

    beforeEach(async () => {
      requests = [];
      tokens = new Set();
      server = http.createServer((request, response) => {
        const url = new URL(request.url ?? "", "http://here");
        requests.push(url);
        tokens.add(request.headers.authorization);
        const what = reply(url.searchParams, requests.length);
        if (what === "reset") request.socket.resetAndDestroy();
        if (what === "reset" || what === "hang") return;
        const { status = 200, headers = {}, ...body } = what as { status?: number; headers?: object };
        response.writeHead(status, { ...headers, "content-type": "application/json" }).end(JSON.stringify(body));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });

    const list = (name?: string, changes?: Partial<CloudTemplatesSettings["timeouts"]>) =>
      templatesAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, changes).listTemplates(
        sender,
        name === undefined ? undefined : { name },
      );
    const template = (name: string, status = "APPROVED", language = "es") => ({ id: "1", name, language, status });

    /** Expects that listing fails. Returns the error's message. */
    async function failure(changes?: Partial<CloudTemplatesSettings["timeouts"]>): Promise<string> {
      const outcome = await list(undefined, changes).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(PlatformUnavailable);
      return outcome instanceof Error ? outcome.message : "";
    }

    it("reads 300 templates, with an empty page and with a cursor that is only in `next`", async () => {
      const names = Array.from({ length: 300 }, (_, n) => `template_${n}`);
      const pages = [names.slice(0, 100), [], names.slice(100, 250), names.slice(250)];
      reply = (query) => {
        const page = query.has("after") ? Number(query.get("after")?.slice(1)) : 0;
        const data = (pages[page] ?? []).map((name) => template(name));
        if (page === 3) return { data, paging: { cursors: { before: "x", after: "c4" } } };
        const next = `https://elsewhere.test/v23.0/2066/message_templates?access_token=x&after=c${page + 1}`;
        return { data, paging: { next, ...(page !== 2 && { cursors: { before: "x", after: `c${page + 1}` } }) } };
      };

      const templates = await list();

      expect(templates.map(({ name }) => name)).to.deep.equal(names);
      expect(requests.map((url) => url.pathname)).to.deep.equal(Array(4).fill("/v23.0/2066/message_templates"));
      expect(requests.map((url) => url.searchParams.get("after"))).to.deep.equal([null, "c1", "c2", "c3"]);
      expect(requests[0]?.searchParams.get("fields")).to.equal("name,language,status");
      expect(requests[0]?.searchParams.get("limit")).to.equal("250");
      expect([...tokens]).to.deep.equal(["Bearer EAAsecret"]);
    });

    it("distinguishes states, and the languages of one name", async () => {
      const data = Object.keys(shownStates).map((status, n) => template("one", status, `l${n}`));
      reply = () => ({ data: [...data, { name: "no language" }, null, { language: "es" }] });
      expect(await list()).to.deep.equal(
        Object.values(shownStates).map((state, n) => ({ name: "one", language: `l${n}`, state })),
      );
    });

    it("requests one name, and returns no other", async () => {
      reply = () => ({ data: [template("order"), template("order_ready"), template("order", "PAUSED", "en")] });
      expect(await list("order")).to.deep.equal([
        { name: "order", language: "es", state: "APPROVED" },
        { name: "order", language: "en", state: "REJECTED" },
      ]);
      expect(requests[0]?.searchParams.get("name")).to.equal("order");
    });

    const passing: Record<string, ReturnType<Reply>> = {
      "a broken connection": "reset",
      silence: "hang",
      "a gateway's 502": { status: 502 },
      "a rate error": { status: 400, error: { message: "(#4) Too many calls", code: 4 } },
      "a rate error with a wait": {
        status: 429,
        headers: { "Retry-After": "0" },
        error: { message: "No", code: 80007 },
      },
      "an outage": { status: 500, error: { message: "(#2) Down", code: 2 } },
      "a 200 with another body": { hello: 1 },
    };
    for (const [what, first] of Object.entries(passing)) {
      it(`repeats the request once after ${what}`, async () => {
        reply = (_query, request) => (request === 1 ? first : { data: [template("a")] });
        expect(await list(undefined, { pageMs: 200 })).to.have.lengthOf(1);
        expect(requests).to.have.lengthOf(2);
      });
    }

    it("gives up after the second failure", async () => {
      reply = () => ({ status: 503 });
      expect(await failure()).to.equal("template listing failed: HTTP 503");
      expect(requests).to.have.lengthOf(2);
    });

    it("does not repeat a request in vain, and reports the reason without the token", async () => {
      reply = () => ({ status: 401, error: { message: "Error validating EAAsecret for 59170000001", code: 190 } });
      expect(await failure()).to.equal("template listing failed: 190 Error validating *** for ***");
      expect(requests).to.have.lengthOf(1);
    });

    it("does not wait beyond its deadline", async () => {
      reply = () => ({ status: 429, headers: { "Retry-After": "3600" }, error: { message: "No", code: 4 } });
      expect(await failure()).to.equal("template listing failed: 4 No");
      expect(requests).to.have.lengthOf(1);
    });

    it("ends at the deadline, however long single pages take", async () => {
      reply = (query, request) =>
        query.get("after") === "1" ? "hang" : { data: [], paging: { next: "x", cursors: { after: `${request}` } } };
      expect(await failure({ pageMs: 5_000, listMs: 150 })).to.match(
        /^template listing failed: no answer within \d+ ms$/,
      );
    });

    it("fails as a whole if a later page fails", async () => {
      reply = (query) =>
        query.has("after")
          ? { status: 400, error: { message: "bad cursor", code: 100 } }
          : { data: [template("a")], paging: { next: "x", cursors: { after: "1" } } };
      expect(await failure()).to.equal("template listing failed: 100 bad cursor");
    });

    it("fails if the pages form a cycle", async () => {
      reply = (query) => ({
        data: [],
        paging: { next: "x", cursors: { after: query.get("after") === "a" ? "b" : "a" } },
      });
      expect(await failure()).to.equal("template listing failed: the pages go round in a circle");
      expect(requests).to.have.lengthOf(3);
    });

    it("reads at most 100 pages", async () => {
      reply = (_query, request) => ({ data: [], paging: { next: "x", cursors: { after: `${request}` } } });
      expect(await failure()).to.equal("template listing failed: more than 100 pages");
      expect(requests).to.have.lengthOf(100);
    });

    it("fails if a next page has no cursor", async () => {
      reply = () => ({ data: [], paging: { next: "https://elsewhere.test/?limit=5" } });
      expect(await failure()).to.equal("template listing failed: a next page without a cursor");
    });

    it("reports that no server listens", async () => {
      const nowhere = templatesAt(`http://127.0.0.1:${await freePort()}`);
      const outcome = await nowhere.listTemplates(sender).catch((error: unknown) => error);
      expect(outcome).to.be.instanceOf(PlatformUnavailable);
      expect(outcome).to.have.property("message", "template listing failed: connection failed: ECONNREFUSED");
    });
  });
});
