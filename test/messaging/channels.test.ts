import { expect } from "chai";
import { type ChannelsSettings, channelsOf } from "../../src/channels/channels.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import {
  chatChannels,
  cloudChannel,
  channels as names,
  pageChannel,
  photoChannel,
  qrChannel,
} from "../../src/kernel/channels.ts";
import type { Sender } from "../../src/messaging/application/sends/ports.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/sandbox.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { answer, freePort, serveRaw } from "../http-client/servers.ts";
import { aMessage, picture, senderOn, template } from "./channel-support.ts";

describe("channels", () => {
  useRealNetwork();
  let client: HttpClient;

  beforeEach(() => {
    client = new HttpClient();
  });
  afterEach(() => client.close());

  /** All channels. The platform of each is at this URL. */
  const at = (url: string, changes: Partial<ChannelsSettings> = {}, timeoutMs = 2_000) =>
    channelsOf({
      client,
      messagingPlatform: { url, version: "v23.0", connectTimeoutMs: 1_000, timeoutMs },
      urls: { qr: url, "provider-b": url, sms: url },
      address: { root: "https://recado.test" },
      observe: () => {},
      ...changes,
    });

  for (const name of names) {
    describe(`on ${name}`, () => {
      it("report a message as not sent if no server listens", async () => {
        const outcome = await at(`http://127.0.0.1:${await freePort()}`)[name].send(senderOn(name), aMessage());
        expect(outcome).to.deep.equal({ kind: "not-sent", reason: "connection failed: ECONNREFUSED" });
      });

      it("report a message as unknown, after one request, if the answer is missing or incomplete or the connection is reset", async () => {
        const accepted = answer('{"messages":[{"id":"a"}],"message_id":"a","key":{"id":"a"},"sid":"a","id":"a"}');
        const fates = [
          { sent: "", fate: "hang" },
          { sent: accepted.slice(0, -1), fate: "hang" },
          { sent: accepted.slice(0, -1), fate: "end" },
          { sent: "", fate: "resetAndDestroy" },
        ] as const;
        for (const { sent, fate } of fates) {
          const server = await serveRaw((socket) => {
            socket.write(sent);
            if (fate !== "hang") socket[fate]();
          });
          const outcome = await at(server.url, {}, 150)[name].send(senderOn(name), aMessage());
          const requests = server.requests();
          await server.close();
          expect(outcome).to.have.property("kind", "unknown");
          expect(requests).to.equal(1);
        }
      });

      it("report a message as not sent if the URL is invalid", async () => {
        const outcome = await at("nowhere")[name].send(senderOn(name), aMessage({ media: picture }));
        expect(outcome).to.have.property("kind", "not-sent");
      });

      it("report that no URL is configured", async () => {
        expect(await at("")[name].send(senderOn(name), aMessage())).to.deep.equal({
          kind: "not-sent",
          reason: `no URL is configured for the channel ${name}`,
        });
      });
    });
  }

  it("report that a message was read if their platform supports it", () => {
    const able = names.filter((name) => at("https://platform.test")[name].markRead);
    expect(able).to.deep.equal([cloudChannel, pageChannel, photoChannel, qrChannel]);
  });

  it("each have their own URL", async () => {
    const requested: string[] = [];
    const urls: string[] = [];
    const servers = [];
    for (const who of ["platform", "qr", "b", "sms"]) {
      const server = await serveRaw((socket) => {
        requested.push(who);
        socket.end(answer("{}"));
      });
      servers.push(server);
      urls.push(server.url);
    }
    const [url = "", qr = "", providerB = "", sms = ""] = urls;
    const all = at(url, { urls: { qr, "provider-b": providerB, sms } });
    for (const name of names) await all[name].send(senderOn(name), aMessage());
    await Promise.all(servers.map((server) => server.close()));
    expect(requested).to.deep.equal(["platform", "platform", "platform", "qr", "b", "sms"]);
  });

  describe("in the sandbox", () => {
    let sandbox: Sandbox;
    const components = [{ type: "BODY", text: "Hola {{1}}, {{2}}" }];
    const customer = "59170000001";

    beforeEach(async () => {
      sandbox = await startSandbox({
        port: 0,
        host: "127.0.0.1",
        accounts: [
          {
            token: "EAAsecret",
            accountId: "AC2066",
            phoneNumberId: "1055",
            displayPhoneNumber: "59120000001",
            templates: [{ name: template.name, language: template.language, status: "APPROVED", components }],
          },
        ],
        pages: [
          { pageId: "page-1", token: "page-token", people: [customer] },
          { pageId: "photo-1", token: "photo-token", channel: "platform-photo", people: [customer] },
        ],
        qrInstances: [{ instance: "tienda 1", apiKey: "qr-key" }],
        providerB: [
          {
            accountId: "AC2066",
            token: "b-token",
            phone: "59120000001",
            templates: [{ contentId: "HX1", variables: 2 }],
          },
        ],
        undeliverable: ["59179999999"],
      });
    });
    afterEach(() => sandbox.close());

    const senders: Readonly<Record<string, Sender>> = {
      "platform-apicloud": senderOn("platform-apicloud"),
      "platform-page": senderOn("platform-page", { platformId: "page-1", accessToken: "page-token" }),
      "platform-photo": senderOn("platform-photo", { platformId: "photo-1", accessToken: "photo-token" }),
      qr: senderOn("qr", { platformId: "tienda 1", accessToken: "qr-key" }),
      "provider-b": senderOn("provider-b", { accessToken: "b-token" }),
    };

    for (const name of chatChannels) {
      const sender = senders[name] ?? senderOn(name);

      it(`send one message for one template: ${name}`, async () => {
        const outcome = await at(sandbox.url)[name].send(sender, aMessage({ template }));
        const seen = (await (await fetch(`${sandbox.url}/__sandbox/messages`)).json()) as Record<string, unknown>[];
        expect(seen).to.have.length(1);
        expect(outcome).to.include({ kind: "accepted", platformMessageId: seen[0]?.id });
        expect(seen[0]).to.include({ channel: name, to: customer });
      });

      it(`report a wrong token as stop and an unreachable recipient as final: ${name}`, async () => {
        const channel = at(sandbox.url)[name];
        const wrong = await channel.send({ ...sender, accessToken: "wrong" }, aMessage({ template }));
        expect(wrong).to.have.nested.property("refusal.class", "stop");
        const unreachable = await channel.send(sender, aMessage({ template, to: "59179999999" }));
        expect(unreachable).to.have.nested.property("refusal.class", "final");
      });
    }
  });
});
