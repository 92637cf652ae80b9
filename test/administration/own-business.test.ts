import { expect } from "chai";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

describe("A business's own record and flags", () => {
  let world: World;
  let token: string;

  const ask = (method: string, path: string, body?: object, more: Readonly<Record<string, string>> = {}) =>
    request(`${world.api}/admin/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...more },
      ...(body && { body }),
    });

  beforeEach(async () => {
    world = await startWorld();
    token = await world.sessionToken(101);
  });
  afterEach(() => world.stop());

  it("show its name, picture and time zone, and can be replaced with If-Match", async () => {
    const read = await ask("GET", "business");
    expect(read.json).to.deep.include({ id: 1, nombre: "Negocio 1", img_wa: null, timezone: "America/La_Paz" });
    const body = { nombre: "Pastelería", img_wa: "https://cdn.test/logo.png", timezone: "America/Lima" };
    const written = await ask("PUT", "business", body, { "if-match": String(read.headers.etag) });
    expect(written.json).to.deep.include(body);
    expect((await ask("PUT", "business", body, { "if-match": String(read.headers.etag) })).status).to.equal(412);
    expect((await ask("GET", "flags")).json.timezone).to.equal("America/Lima");
  });

  it("accept only existing time zones", async () => {
    const { status, json } = await ask("PUT", "business", { nombre: "x", timezone: "America/Narnia" });
    expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
    expect(json.error).to.include("timezone");
  });

  it("accept flags of known names and types, and use the default of a missing flag", async () => {
    const body = {
      currency: "USD",
      agents_see: "own",
      monthly_template_limit: 100,
      currency_conversion: { BOB: 0.14 },
    };
    const written = await ask("PUT", "flags", body);
    expect(written.status, written.text).to.equal(200);
    expect(written.json).to.deep.include({ ...body, timezone: null });
    expect((await ask("PUT", "flags", { ...body, agents_see: null })).json.agents_see).to.equal(null);
    for (const wrong of [
      { agents_see: "some" },
      { unknown_flag: 1 },
      { currency: "bolivianos" },
      { currency: "BOL" },
      { bot_inactivity_minutes: 0 },
      { template_language: "español" },
      { template_language: "ES" },
      { currency: "USD", ["x".repeat(1_000)]: null },
    ]) {
      const { status, json } = await ask("PUT", "flags", wrong);
      expect([status, json.code], JSON.stringify(wrong)).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include(String(Object.keys(wrong).at(-1)).slice(0, 100));
      expect(json.error.length).to.be.below(200);
    }
    for (const rawBody of ['{"__proto__":{"currency":"USD"}}', '{"currency":"USD","\\u005f_proto__":null}']) {
      const { status, json } = await request(`${world.api}/admin/flags`, {
        method: "PUT",
        headers: { "x-api-key": world.appKey(1), "content-type": "application/json" },
        rawBody,
      });
      expect([status, json.error]).to.deep.equal([400, "__proto__ no es un campo conocido"]);
    }
    expect((await ask("PUT", "flags", { template_language: "pt_BR" })).json.template_language).to.equal("pt_BR");
  });

  it("keep an operator's spelling of a language until it is replaced", async () => {
    await world.rows(
      `update businesses set feature_flags = feature_flags || '{"template_language": "Spanish"}' where id = 1`,
    );
    const { json: read } = await ask("GET", "flags");
    expect((await ask("PUT", "flags", { ...read, currency: "USD" })).json.template_language).to.equal("Spanish");
    expect((await ask("PUT", "flags", { ...read, template_language: "English" })).status).to.equal(400);
  });

  it("keep an unknown currency that was set earlier until it is replaced", async () => {
    await world.rows(`update businesses set feature_flags = feature_flags || '{"currency": "BOL"}' where id = 1`);
    const { json: read } = await ask("GET", "flags");
    expect((await ask("PUT", "flags", { ...read, tax_id_label: "NIT" })).json.currency).to.equal("BOL");
    const { status, json } = await ask("PUT", "flags", { ...read, currency: "XQX" });
    expect([status, json.error]).to.deep.equal([400, "currency no es una moneda de ISO 4217, como BOB o USD"]);
    expect((await ask("PUT", "flags", { ...read, currency: "BOB" })).json.currency).to.equal("BOB");
  });

  it("accept only an ad account for reports to which the business's token gives access", async () => {
    await world.control("POST", "/faults", { path: "adaccounts", status: 500, count: 9 });
    const away = await ask("PUT", "flags", { ad_account_for_report: "act_1" });
    expect([away.status, away.json.code]).to.deep.equal([502, "platform_unavailable"]);
    await world.control("DELETE", "/faults");
    for (const account of ["act_1", "1"]) {
      const { status, json, text } = await ask("PUT", "flags", { ad_account_for_report: account });
      expect(status, text).to.equal(200);
      expect(json.ad_account_for_report).to.equal(account);
    }
    for (const account of ["act_2", "act_99", "x"]) {
      const { status, json } = await ask("PUT", "flags", { ad_account_for_report: account });
      expect([status, json.code]).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include("ad_account_for_report");
    }
    expect((await ask("GET", "flags")).json.ad_account_for_report).to.equal("1");
    await world.rows("delete from ad_credentials where business_id = 1");
    expect((await ask("PUT", "flags", { ad_account_for_report: "1", currency: "USD" })).status).to.equal(200);
    expect((await ask("PUT", "flags", { ad_account_for_report: "act_1" })).status).to.equal(400);
  });

  it("treat an empty text as the default", async () => {
    const empty = { template_language: "", tax_id_label: "", ad_account_for_report: "" };
    const { status, json } = await ask("PUT", "flags", empty);
    expect(status).to.equal(200);
    expect(json).to.deep.include({ template_language: null, tax_id_label: null, ad_account_for_report: null });
    expect(
      await world.rows("select feature_flags ? 'template_language' as said from businesses where id = 1"),
    ).to.deep.equal([{ said: false }]);
  });

  it("accept exchange rates in every form that operators stored, and no invalid ones", async () => {
    for (const conversion of [
      { USD: "6.96", EUR: 7.5, ARS: 0.001 },
      [
        { from: "2026-01-01", USD: "6.96" },
        { from: "2028-02-29", USD: 999_999_999, EUR: "0.000000000001" },
        { from: "2026-03-01" },
      ],
    ]) {
      await world.rows("update businesses set feature_flags = feature_flags || $1 where id = 1", [
        JSON.stringify({ currency_conversion: conversion }),
      ]);
      const { json: read } = await ask("GET", "flags");
      expect(read.currency_conversion).to.deep.equal(conversion);
      const { status, json, text } = await ask("PUT", "flags", read);
      expect(status, text).to.equal(200);
      expect(json).to.deep.equal(read);
    }
    for (const wrong of [
      ...[1e9, 1e-7, 0.1 + 0.2, 0, -1, "0", "0.00", "1e3", "1000000000", "6,96", "", null, true].map((USD) => ({
        USD,
      })),
      { usd: 6.96 },
      { USD: 6.96, BOL: 1 },
      [{ from: "2026-01-01", BOL: 1 }],
      [{ USD: 6.96 }],
      ...["2026-99-99", "2026-02-30", "0000-01-01", "2026-1-1"].map((from) => [{ from, USD: 6.96 }]),
      [{ from: "2026-01-01", USD: 1e-7 }],
    ]) {
      const { status, json } = await ask("PUT", "flags", { currency_conversion: wrong });
      expect([status, json.code], JSON.stringify(wrong)).to.deep.equal([400, "invalid_input"]);
      expect(json.error).to.include("currency_conversion");
    }
  });

  it("keep a rate of an unknown currency that an operator stored, and accept no other one", async () => {
    const conversion = { ABC: 2, USD: 6.96 };
    await world.rows("update businesses set feature_flags = feature_flags || $1 where id = 1", [
      JSON.stringify({ currency_conversion: conversion }),
    ]);
    const kept = await ask("PUT", "flags", { currency_conversion: { ...conversion, EUR: 7.5 } });
    expect([kept.status, kept.json.currency_conversion], kept.text).to.deep.equal([200, { ...conversion, EUR: 7.5 }]);
    const other = await ask("PUT", "flags", { currency_conversion: { ...conversion, ABD: 2 } });
    expect(other.json.error).to.equal("currency_conversion tiene una moneda que no es de ISO 4217, como BOB o USD");
  });

  for (const path of ["business", "flags"]) {
    it(`stay unchanged when ${path} is written as it was read`, async () => {
      const { json: read } = await ask("GET", path);
      const { status, json, text } = await ask("PUT", path, read);
      expect(status, text).to.equal(200);
      expect(json).to.deep.equal(read);
    });
  }

  it("never give access to another business's figures: only an operator sets shared reports and storage", async () => {
    await world.rows(
      `update businesses set feature_flags = feature_flags || '{"media_quota_bytes": 5, "own": 1}' where id = 1`,
    );
    const written = await ask("PUT", "flags", {
      group_shared_report: [1, 2],
      media_quota_bytes: 9e15,
      currency: "USD",
    });
    expect(written.json).to.deep.include({ group_shared_report: null, media_quota_bytes: 5, currency: "USD" });
    const [row] = await world.rows<{ flags: object }>("select feature_flags as flags from businesses where id = 1");
    expect(row?.flags).to.deep.equal({ media_quota_bytes: 5, own: 1, currency: "USD" });
  });
});
