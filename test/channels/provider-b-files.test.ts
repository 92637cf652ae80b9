import type { IncomingMessage, ServerResponse } from "node:http";
import { expect } from "chai";
import { providerBFiles } from "../../src/channels/provider-b/files.ts";
import { readProviderBWebhook } from "../../src/channels/provider-b/payload.ts";
import type { FileAnswer, FilePlace } from "../../src/inbox/public.ts";
import { Downloads } from "../../src/infra/http-client/downloads.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { providerBChannel } from "../../src/kernel/channels.ts";
import { startSandbox } from "../../src/sandbox/sandbox.ts";
import { useRealNetwork } from "../http-client/nocked.ts";
import { senderOn, timeouts, version } from "../messaging/channel-support.ts";
import { request, type Served, serve } from "../support/http.ts";

const account = "AC2066";
const token = "EAAsecret";
const login = `Basic ${Buffer.from(`${account}:${token}`).toString("base64")}`;
const media = `/2010-04-01/Accounts/${account}/Messages/MM1/Media/ME1`;

describe("files from customers of ProviderB", () => {
  useRealNetwork();
  const closing: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  interface Asked {
    readonly path: string | undefined;
    readonly login: string | undefined;
  }
  /** A host that records its requests. */
  const host = async (
    reply: (req: IncomingMessage, res: ServerResponse) => void,
  ): Promise<Served & { asked: Asked[] }> => {
    const asked: Asked[] = [];
    const served = await serve((req, res) => {
      asked.push({ path: req.url, login: req.headers.authorization });
      reply(req, res);
    });
    closing.push(() => served.close());
    return { ...served, asked };
  };
  const open = (baseUrl: string, place: FilePlace | string, allowPrivate = false): Promise<FileAnswer> => {
    const downloads = new Downloads({ allowPrivate });
    const client = new HttpClient();
    closing.push(() => downloads.close());
    closing.push(() => client.close());
    const source = providerBFiles({ client, baseUrl, version, timeouts, downloads });
    const found: FilePlace = typeof place === "string" ? { at: "url", url: place } : place;
    return source.open(senderOn(providerBChannel), found, new AbortController().signal);
  };
  const contentOf = async (answer: FileAnswer): Promise<string> => {
    if (answer.kind !== "content") throw new Error(JSON.stringify(answer));
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.content) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };

  it("are requested with the account's token, which no other host gets", async () => {
    const store = await host((_, res) => void res.end("a picture"));
    const provider = await host((_, res) => void res.writeHead(307, { location: `${store.url}/f/1?signed=1` }).end());
    expect(await contentOf(await open(provider.url, provider.url + media, true))).to.equal("a picture");
    expect(provider.asked).to.deep.equal([{ path: media, login }]);
    expect(store.asked).to.deep.equal([{ path: "/f/1?signed=1", login: undefined }]);
  });

  it("are not requested from our own network if the provider redirects there", async () => {
    const store = await host((_, res) => void res.end("a secret"));
    for (const location of [`${store.url}/`, store.url.replace("http:", "https:")]) {
      const provider = await host((_, res) => void res.writeHead(302, { location }).end());
      expect((await open(provider.url, provider.url + media)).kind).to.equal("gone");
    }
    expect(store.asked).to.deep.equal([]);
  });

  it("are only requested from the account's own path at the provider", async () => {
    const provider = await host((_, res) => void res.end("somebody else's"));
    const other = await host((_, res) => void res.end("somebody else's"));
    const { port } = new URL(provider.url);
    const places: (FilePlace | string)[] = [
      other.url + media,
      `https://127.0.0.1:${port}${media}`,
      `http://localhost:${port}${media}`,
      `http://user:password@127.0.0.1:${port}${media}`,
      `http://127.0.0.1:${port}@${new URL(other.url).host}${media}`,
      `${provider.url}/2010-04-01/Accounts/AC9/Messages/MM1/Media/ME1`,
      `${provider.url}/2010-04-01/Accounts/${account}9/Messages/MM1`,
      `${provider.url}/2010-04-01/Accounts/${account}/../AC9/Messages/MM1`,
      `${provider.url}/2010-04-01/Accounts/${account}/%2e%2e/AC9/Messages/MM1`,
      `${provider.url}/elsewhere`,
      ...["", "ME1", "file:///etc/passwd", media],
      { at: "id", id: "ME1" },
      { at: "message", messageId: "MM1" },
    ];
    for (const place of places) {
      const answer = await open(provider.url, place, true);
      expect(answer, JSON.stringify(place)).to.deep.equal({
        kind: "gone",
        reason: "the file is not one of the account",
      });
    }
    expect([...provider.asked, ...other.asked]).to.deep.equal([]);
  });

  it("are requested whatever the spelling of the configured URL", async () => {
    const provider = await host((_, res) => void res.end("a picture"));
    for (const [base, url] of [
      [`${provider.url}/`, provider.url + media],
      [provider.url.replace("http", "HTTP"), provider.url + media],
      [`${provider.url}/proxy/`, `${provider.url}/proxy${media}`],
    ] as const) {
      expect(await contentOf(await open(base, url))).to.equal("a picture");
    }
    expect((await open(`${provider.url}/proxy`, provider.url + media)).kind).to.equal("gone");
  });

  it("are given up if the provider says so; a file that it does not know yet is tried again", async () => {
    const kinds: Record<string, string> = { 410: "gone", 404: "later", 401: "later", 429: "later", 500: "later" };
    for (const [status, kind] of Object.entries(kinds)) {
      const provider = await host((_, res) => void res.writeHead(Number(status), { "retry-after": "7" }).end());
      const answer = await open(provider.url, provider.url + media);
      expect(answer.kind, status).to.equal(kind);
      if (answer.kind === "later") expect(answer.retryAfterMs).to.equal(7_000);
      expect(JSON.stringify(answer)).not.to.include(token).and.not.to.include(account);
    }
    const provider = await host(() => {});
    await provider.close();
    expect((await open(provider.url, provider.url + media)).kind).to.equal("later");
  });

  it("are fetched from the sandbox by the place that its webhook names", async () => {
    const told: string[] = [];
    const receiver = await host((req, res) => {
      req.on("data", (chunk) => told.push(String(chunk))).on("end", () => void res.end());
    });
    const sandbox = await startSandbox({
      port: 0,
      accounts: [],
      host: "127.0.0.1",
      providerB: [{ accountId: account, token, phone: "59120000001", webhookUrl: receiver.url }],
    });
    closing.push(() => sandbox.close());
    const said = { channel: "provider-b", media: { type: "image", mime: "image/png", base64: "aGVsbG8=" } };
    await request(`${sandbox.url}/__sandbox/customers/59170000001/say`, { method: "POST", body: said });
    const fields = Object.fromEntries(new URLSearchParams(told.join("")));
    const payload = JSON.stringify({ at: 1, reference: "", fields });
    const [message] = readProviderBWebhook(payload, { platformId: account, owner: null }).messages;
    const place = message?.file?.place;
    if (!place || place.at === "here") throw new Error("no file at the platform");
    expect(await contentOf(await open(sandbox.url, place))).to.equal("hello");
  });
});
