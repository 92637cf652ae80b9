import { expect } from "chai";
import { type ChatChannelName, chatChannels } from "../../src/kernel/channels.ts";
import { type Answer, request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";
import { knowSender, senderBodies } from "./sender-platforms.ts";

type Body = Readonly<Record<string, unknown>>;

describe("A sender that a business adds", () => {
  let world: World;
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  afterEach(() => world.control("DELETE", "/faults"));

  const ask = (method: string, path: string, body?: object, businessId = 1): Promise<Answer> =>
    request(`${world.api}/admin/senders${path}`, {
      method,
      headers: { "x-api-key": world.appKey(businessId) },
      ...(body && { body }),
    });
  let count = 0;
  /** A body of a sender that its platform knows. */
  const known = async (provider: ChatChannelName): Promise<Body> => {
    count += 1;
    const body = { provider, ...senderBodies[provider](count) };
    await knowSender(world, body);
    return body;
  };
  const stored = () => world.rows("select * from senders order by id");
  /** Checks that a creation and a change with this body are refused, and that nothing is stored. */
  const isRefused = async (provider: ChatChannelName, claim: Body, error: RegExp) => {
    const { json: own } = await ask("POST", "", await known(provider));
    const before = await stored();
    for (const [method, path] of [
      ["POST", ""],
      ["PUT", `/${own.id}`],
    ] as const) {
      const answer = await ask(method, path, claim);
      expect([answer.status, answer.json.code], answer.text).to.deep.equal([400, "invalid_input"]);
      expect(answer.json.error).to.match(error);
    }
    expect(await stored()).to.deep.equal(before);
    expect((await ask("DELETE", `/${own.id}`)).status).to.equal(204);
  };

  /** By provider: the requests with which the service checks a sender. The names are those of the sandbox's faults. */
  const questions: Readonly<Record<ChatChannelName, readonly string[]>> = {
    "platform-apicloud": ["node", "phone_numbers"],
    "platform-page": ["me"],
    "platform-photo": ["me"],
    qr: ["connection_state"],
    "provider-b": ["provider_b_account"],
  };

  for (const provider of chatChannels) {
    describe(`of ${provider}`, () => {
      it("is refused with an unknown token, and with the token of another sender", async () => {
        const [theirs, other] = [await known(provider), await known(provider)];
        for (const token of ["de-nadie", other.token]) {
          await isRefused(provider, { ...theirs, token }, /^token no es válido$/);
        }
      });

      it("is refused if the platform does not know it", async () => {
        const { token, account_id, platform_id, ...own } = await known(provider);
        const ids = { platform_id: "AC-nothing", account_id: provider === "provider-b" ? "AC-nothing" : account_id };
        await isRefused(provider, { ...own, ...ids, token }, /^token no es válido$/);
      });

      for (const field of ["provider", "platform_id", "account_id", "phone"]) {
        it(`cannot change its ${field} without a token`, async () => {
          const body = await known(provider);
          const { json: own } = await ask("POST", "", body);
          const before = await stored();
          const others: Body = { platform_id: "otra", account_id: "otra", phone: "59179999999" };
          const changed = {
            ...body,
            ...(field === "provider" ? { provider: other(provider) } : { [field]: others[field] }),
          };
          const { status, json } = await ask("PUT", `/${own.id}`, { ...changed, token: null });
          expect([status, json]).to.deep.equal([400, { error: "token es requerido", code: "invalid_input" }]);
          expect(await stored()).to.deep.equal(before);
        });
      }

      it("stays as it is if the platform does not answer, or gives an unreadable answer", async () => {
        for (const path of questions[provider]) {
          for (const fault of [
            { status: 500 },
            { status: 429 },
            { reset: true },
            { garbage: true, status: 200 },
            { status: 302 },
          ]) {
            await world.control("DELETE", "/faults");
            const claim = await known(provider);
            await world.control("POST", "/faults", { path, count: 9, ...fault });
            const { status, json } = await ask("POST", "", claim);
            expect([status, json.code], JSON.stringify(fault)).to.deep.equal([502, "platform_unavailable"]);
            await world.control("DELETE", "/faults");
            expect((await ask("GET", `?q=${encodeURIComponent(String(claim.platform_id))}`)).json.data).to.deep.equal(
              [],
            );
          }
        }
      });

      it("belongs to one business at a time, which others cannot see, and to another one after it was deleted", async () => {
        const body = await known(provider);
        const { json: own } = await ask("POST", "", body);
        const taken = await ask("POST", "", { ...body, name: "Mío" }, 2);
        expect([taken.status, taken.json]).to.deep.equal([409, { error: "platform_id ya está en uso", code: "taken" }]);
        expect((await ask("DELETE", `/${own.id}`)).status).to.equal(204);
        expect((await ask("POST", "", body, 2)).status).to.equal(201);
      });
    });
  }

  describe("of the cloud channel", () => {
    it("is refused with another phone than the platform shows, and with an account that does not list the number", async () => {
      const [body, other] = [await known("platform-apicloud"), await known("platform-apicloud")];
      await isRefused("platform-apicloud", { ...body, phone: other.phone }, /^phone no es válido$/);
      for (const account_id of [other.account_id, "account-2", "nada"]) {
        await isRefused("platform-apicloud", { ...body, account_id }, /^account_id no es válido$/);
      }
      // Now the token also gives access to the account of `other`, but that account has another number.
      await knowSender(world, { ...other, token: body.token });
      await isRefused("platform-apicloud", { ...body, account_id: other.account_id }, /^account_id no es válido$/);
    });

    it("needs an account, with a token and without", async () => {
      const { account_id: _, ...body } = await known("platform-apicloud");
      await isRefused("platform-apicloud", body, /^account_id es requerido$/);
    });
  });

  it("can be a photo account with the token of the page it is linked to", async () => {
    const page = { pageId: "página-7", token: "de-la-pagina", channel: "platform-page", photoAccountId: "fotos-7" };
    await world.control("POST", "/pages", page);
    const body = { provider: "platform-photo", phone: "7", token: page.token };
    expect((await ask("POST", "", { ...body, platform_id: "fotos-7" })).status).to.equal(201);
    expect((await ask("POST", "", { ...body, platform_id: "fotos-8" })).json.error).to.include("token");
    expect((await ask("POST", "", { ...body, platform_id: page.pageId })).json.error).to.include("token");
    const asPage = { ...body, provider: "platform-page", platform_id: "fotos-7" };
    expect((await ask("POST", "", asPage)).json.error).to.include("token");
  });

  it("needs no account_id at provider-b, where it is the platform_id; any other one is refused", async () => {
    const { account_id, ...body } = await known("provider-b");
    const made = await ask("POST", "", body);
    expect([made.status, made.json.account_id]).to.deep.equal([201, account_id]);
    expect((await ask("PUT", `/${made.json.id}`, { ...body, token: null })).json).to.deep.equal(made.json);
    const other = { ...body, account_id: (await known("provider-b")).account_id };
    await isRefused("provider-b", other, /^account_id no es válido$/);
  });

  it("is refused if it is a suspended account of provider-b", async () => {
    const body = await known("provider-b");
    const { platform_id: accountId, token, phone } = body;
    await world.control("POST", "/provider-b", { accountId, token, phone, status: "suspended" });
    await isRefused("provider-b", body, /^platform_id no es válido$/);
  });
});

describe("A sender of a provider that is not connected", () => {
  it("is refused with the provider's name", async () => {
    const world = await startWorld({ environment: { QR_PROVIDER_URL: "", PROVIDER_B_URL: "", ROLE: "api" } });
    try {
      for (const provider of ["qr", "provider-b"] as const) {
        const { status, json } = await request(`${world.api}/admin/senders`, {
          method: "POST",
          headers: { "x-api-key": world.appKey(1) },
          body: { provider, ...senderBodies[provider](1) },
        });
        expect([status, json]).to.deep.equal([400, { error: "provider no es válido", code: "invalid_input" }]);
      }
    } finally {
      await world.stop();
    }
  });
});

const other = (provider: ChatChannelName): ChatChannelName => (provider === "qr" ? "platform-page" : "qr");
