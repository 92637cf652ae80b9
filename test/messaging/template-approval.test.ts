import { expect } from "chai";
import nock from "nock";
import { CloudTemplates } from "../../src/channels/cloud/templates.ts";
import { HttpClient } from "../../src/infra/http-client/http-client.ts";
import { cloudChannel } from "../../src/kernel/channels.ts";
import { PlatformUnavailable } from "../../src/messaging/domain/platform.ts";
import { useNock, useRealNetwork } from "../http-client/nocked.ts";
import { freePort, serveRaw } from "../http-client/servers.ts";
import { samples, senderOn, timeouts, version } from "./channel-support.ts";

const host = "https://platform.test";
const path = "/v23.0/2066/message_templates";
const sender = senderOn(cloudChannel, { accountId: "2066" });
const structure = { language: "es", category: "UTILITY", components: [{ type: "BODY", text: "Hola" }], stray: 1 };
const asked = { name: "aviso", structure, platformId: null };

describe("submitting templates to the cloud API", () => {
  useNock();
  let client: HttpClient;
  const templates = (changes = {}) =>
    new CloudTemplates({ client, baseUrl: host, version, samples, timeouts: { ...timeouts, ...changes } });

  beforeEach(() => {
    client = new HttpClient();
  });
  afterEach(() => client.close());

  it("sends a new template completely, with the number's token", async () => {
    const { stray: _, ...content } = structure;
    nock(host, { reqheaders: { authorization: `Bearer ${sender.accessToken}` } })
      .post(path, { name: "aviso", ...content })
      .reply(200, { id: "77", status: "PENDING", category: "UTILITY" });
    expect(await templates().submit(sender, asked)).to.deep.equal({
      kind: "accepted",
      platformId: "77",
      status: "PENDING",
    });
  });

  it("says that placeholders are named, which the platform would refuse otherwise", async () => {
    const named = { type: "BODY", text: "Hola {{ nombre }}.", example: { body_text_named_params: [] } };
    const numbered = { type: "BODY", text: "Hola {{1}} y {{ 2 }}." };
    for (const [component, format] of [
      [named, { parameter_format: "NAMED" }],
      [numbered, {}],
    ] as const) {
      const content = { language: "es", category: "UTILITY", components: [component] };
      const { language: _, ...edited } = content;
      nock(host)
        .post(path, { name: "aviso", ...content, ...format })
        .reply(200, { id: "77", status: "PENDING" })
        .post("/v23.0/77", { ...edited, ...format })
        .reply(200, { success: true });
      for (const platformId of [null, "77"]) {
        const outcome = await templates().submit(sender, { name: "aviso", structure: content, platformId });
        expect(outcome.kind).to.equal("accepted");
      }
    }
  });

  it("edits a template that the platform already has, by its id", async () => {
    const { category, components } = structure;
    nock(host).post("/v23.0/77", { category, components }).reply(200, { success: true });
    expect(await templates().submit(sender, { ...asked, platformId: "77" })).to.deep.equal({
      kind: "accepted",
      platformId: "77",
      status: "PENDING",
    });
  });

  for (const [said, error] of [
    ["details", { message: "(#100) Invalid parameter", code: 100, error_data: { details: "body is too long" } }],
    ["text for people", { message: "Invalid parameter", code: 100, error_user_msg: "body is too long" }],
  ] as const) {
    it(`passes the platform's ${said} on`, async () => {
      nock(host).post(path).reply(400, { error });
      const outcome = await templates().submit(sender, asked);
      expect(outcome.kind).to.equal("refused");
      expect(outcome).to.have.property("words").that.includes("body is too long");
    });
  }

  for (const [what, status, body] of [
    ["a gateway's page", 502, "<html>"],
    ["a success that names no template", 200, {}],
    ["an answer that is not JSON", 200, "ok"],
  ] as const) {
    it(`has an unknown outcome after ${what}`, async () => {
      nock(host).post(path).reply(status, body);
      expect(await templates().submit(sender, asked)).to.deep.equal({ kind: "unknown" });
    });
  }

  for (const [kind, answers] of [
    [
      "not-sent",
      [
        [400, 4],
        [403, 80008],
        [429, 80007],
        [400, 130429],
        [429, 555555],
      ],
    ],
    [
      "unknown",
      [
        [500, 2],
        [400, 1],
        [400, 131000],
        [500, 100],
        [200, 100],
        [408, 100],
      ],
    ],
    [
      "refused",
      [
        [400, 100],
        [401, 190],
        [400, 555555],
      ],
    ],
  ] as const) {
    it(`is ${kind} after ${answers.map(([status, code]) => `a ${status} with code ${code}`).join(", ")}`, async () => {
      for (const [status, code] of answers) {
        nock(host)
          .post(path)
          .reply(status, { error: { code, message: "No" } });
        const outcome = await templates().submit(sender, asked);
        expect(outcome.kind, `${status} ${code}`).to.equal(kind);
      }
    });
  }

  it("lists all templates of an account, page by page, with the platform's texts", async () => {
    const template = { id: "77", name: "aviso", language: "es", status: "PAUSED", category: "UTILITY" };
    const pages = nock(host);
    pages
      .get(path)
      .query(({ after, fields }) => after === undefined && String(fields).includes("components"))
      .reply(200, {
        data: [
          { ...template, components: [{ type: "BODY", text: "Hola" }], rejected_reason: "NONE" },
          { name: "half" },
        ],
        paging: { cursors: { after: "next" }, next: `${host}${path}?after=next` },
      });
    pages
      .get(path)
      .query(({ after }) => after === "next")
      .reply(200, { data: [{ ...template, id: "78", language: "en", rejected_reason: "PROMOTIONAL" }] });
    expect(await templates().review(sender)).to.deep.equal([
      {
        ...{ platformId: "77", name: "aviso", language: "es", status: "PAUSED", category: "UTILITY" },
        ...{ reason: null, components: [{ type: "BODY", text: "Hola" }] },
      },
      {
        ...{ platformId: "78", name: "aviso", language: "en", status: "PAUSED", category: "UTILITY" },
        ...{ reason: "PROMOTIONAL", components: [] },
      },
    ]);
    nock(host)
      .get(path)
      .query(true)
      .times(2)
      .reply(500, { error: { code: 2, message: "away" } });
    const failure = await templates()
      .review(sender)
      .catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(PlatformUnavailable);
  });
});

describe("submitting templates over a broken connection", () => {
  useRealNetwork();
  let client: HttpClient;
  const submitTo = (baseUrl: string) =>
    new CloudTemplates({ client, baseUrl, version, samples, timeouts: { ...timeouts, listMs: 300 } }).submit(
      sender,
      asked,
    );

  beforeEach(() => {
    client = new HttpClient();
  });
  afterEach(() => client.close());

  it("has an unknown outcome if no answer comes in time", async () => {
    const silent = await serveRaw(() => {});
    expect(await submitTo(silent.url)).to.deep.equal({ kind: "unknown" });
    expect(silent.requests()).to.equal(1);
    await silent.close();
  });

  it("is not sent if no server listens", async () => {
    expect(await submitTo(`http://127.0.0.1:${await freePort()}`)).to.deep.equal({ kind: "not-sent" });
  });
});
