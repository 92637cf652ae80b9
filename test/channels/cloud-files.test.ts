import { expect } from "chai";
import nock from "nock";
import { cloudFiles } from "../../src/channels/cloud/files.ts";
import type { FileAnswer, FilePlace } from "../../src/inbox/public.ts";
import { Downloads } from "../../src/infra/http-client/downloads.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import type { Sender } from "../../src/messaging/public.ts";
import { useNock } from "../http-client/nocked.ts";

const platform = "https://graph.platform.test";
const token = "secret-token";
const sender: Sender = {
  id: 1,
  channel: cloudChannel,
  platformId: "number-1",
  accountId: "a",
  phone: "591",
  accessToken: token,
};

describe("files from customers of the cloud platform", () => {
  useNock();
  const client = new HttpClient();
  const downloads = new Downloads();
  after(async () => {
    downloads.close();
    await client.close();
  });

  const source = cloudFiles({
    ...{ client, downloads, baseUrl: `${platform}/`, version: "v23.0" },
    timeouts: { connectMs: 1_000, totalMs: 1_000 },
  });
  const open = (place: FilePlace = { at: "id", id: "media-1" }) =>
    source.open(sender, place, new AbortController().signal);
  const lookUp = () => nock(platform).get("/v23.0/media-1").query({ phone_number_id: "number-1" });
  const read = async (answer: FileAnswer): Promise<string> => {
    if (answer.kind !== "content") throw new Error(`no content: ${answer.reason}`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.content) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  /** Downloads a file whose URL is on `origin`. Returns the `Authorization` header of the download. */
  const tokenAt = async (origin: string): Promise<string | undefined> => {
    let shown: string | undefined;
    lookUp()
      .matchHeader("authorization", `Bearer ${token}`)
      .reply(200, { url: `${origin}/file?a=b` });
    nock(origin)
      .get("/file?a=b")
      .reply(function () {
        shown = this.req.headers.authorization;
        return [200, "whole"];
      });
    expect(await read(await open())).to.equal("whole");
    return shown;
  };

  for (const origin of [
    platform,
    "https://lookaside.fbsbx.com",
    "https://graph.facebook.com",
    "https://mmg.whatsapp.net",
  ]) {
    it(`are requested with the number's token from ${origin}`, async () => {
      expect(await tokenAt(origin)).to.equal(`Bearer ${token}`);
    });
  }

  for (const origin of ["https://files.elsewhere.test", "https://evilfbsbx.com", "https://fbsbx.com.evil.test"]) {
    it(`are requested without the token from ${origin}`, async () => {
      expect(await tokenAt(origin)).to.equal(undefined);
    });
  }

  it("are requested without the token if the platform redirects to another host", async () => {
    let shown: string | undefined = "none came";
    lookUp().reply(200, { url: "https://lookaside.fbsbx.com/file" });
    nock("https://lookaside.fbsbx.com").get("/file").reply(302, "", { location: "https://cdn.elsewhere.test/file" });
    nock("https://cdn.elsewhere.test")
      .get("/file")
      .reply(function () {
        shown = this.req.headers.authorization;
        return [200, "whole"];
      });
    expect(await read(await open())).to.equal("whole");
    expect(shown).to.equal(undefined);
  });

  for (const [address, reason] of [
    ["http://lookaside.fbsbx.com/file", "not an https address"],
    ["https://127.0.0.1/file", "not a public address"],
    ["https://[::1]/file", "not a public address"],
    ["file:///etc/passwd", "not an https address"],
    ["nothing", "not a usable address"],
  ] as const) {
    it(`are not requested from ${address}`, async () => {
      lookUp().reply(200, { url: address });
      expect(await open()).to.deep.equal({ kind: "gone", reason });
    });
  }

  it("are not requested from the platform's own address if another host redirects there", async () => {
    const home = "http://10.0.0.7:8080";
    const inside = cloudFiles({
      ...{ client, downloads, baseUrl: home, version: "v23.0" },
      timeouts: { connectMs: 1_000, totalMs: 1_000 },
    });
    nock(home).get("/v23.0/media-1").query(true).reply(200, { url: "https://files.elsewhere.test/file" });
    nock("https://files.elsewhere.test")
      .get("/file")
      .reply(302, "", { location: `${home}/admin` });
    const answer = await inside.open(sender, { at: "id", id: "media-1" }, new AbortController().signal);
    expect(answer).to.deep.equal({ kind: "gone", reason: "not an https address" });
  });

  for (const [status, code, kind] of [
    [404, undefined, "gone"],
    [400, 100, "gone"],
    [401, 190, "later"],
    [400, 190, "later"],
    [500, undefined, "later"],
    [200, undefined, "later"],
  ] as const) {
    it(`are ${kind === "gone" ? "unavailable" : "tried later"} after ${status}${code ? `, code ${code}` : ""}`, async () => {
      lookUp().reply(status, code ? { error: { message: `about ${token}`, code } } : "<html></html>");
      const answer = await open();
      expect(answer.kind).to.equal(kind);
      expect(JSON.stringify(answer)).not.to.include(token);
    });
  }

  it("are tried again after the time that the platform or its file server names", async () => {
    lookUp().reply(429, { error: { code: 80007 } }, { "retry-after": "30" });
    expect(await open()).to.include({ kind: "later", retryAfterMs: 30_000 });
    lookUp().reply(200, { url: "https://lookaside.fbsbx.com/file" });
    nock("https://lookaside.fbsbx.com").get("/file").reply(503, "", { "retry-after": "40" });
    expect(await open()).to.include({ kind: "later", retryAfterMs: 40_000 });
  });

  it("are unavailable if the file server answers 404, and tried later without an answer", async () => {
    lookUp().reply(200, { url: "https://lookaside.fbsbx.com/file" });
    nock("https://lookaside.fbsbx.com").get("/file").reply(404);
    expect(await open()).to.include({ kind: "gone" });
    lookUp().replyWithError({ code: "ECONNRESET" });
    expect(await open()).to.include({ kind: "later" });
  });
});
