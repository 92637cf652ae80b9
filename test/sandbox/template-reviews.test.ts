import { expect } from "chai";
import { eventually } from "../support/wait.ts";
import { Bench } from "./support.ts";

const path = "/v23.0/1001/message_templates";
const welcome = (components: object[] = [{ type: "BODY", text: "Hola" }]) => ({
  name: "welcome",
  language: "es",
  category: "UTILITY",
  components,
});

describe("the sandbox's reviews of templates", () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = await Bench.start({ reviewDelayMs: 0 });
  });
  afterEach(() => bench.stop());

  const nodeOf = async (id: unknown) =>
    (await bench.call("GET", `/v23.0/${id}?fields=name,status,category,rejected_reason`)).body;
  const becomes = (id: unknown, status: string) =>
    eventually(async () => {
      const node = await nodeOf(id);
      return node.status === status ? node : undefined;
    });
  const told = (field: string) =>
    eventually(() => {
      const entries = bench.receiver.taken.flatMap(({ payload }) => payload.entry);
      const changes = entries.flatMap(({ id, changes }) => changes.map((change) => ({ account: id, ...change })));
      return changes.find((change) => change.field === field);
    });

  it("approve a new template, and report it by webhook", async () => {
    const { body } = await bench.call("POST", path, welcome());
    expect(body.status).to.equal("PENDING");
    expect(await becomes(body.id, "APPROVED")).to.include({ rejected_reason: "NONE" });
    expect(await told("message_template_status_update")).to.deep.equal({
      account: "1001",
      field: "message_template_status_update",
      value: {
        event: "APPROVED",
        message_template_id: Number(body.id),
        message_template_name: "welcome",
        message_template_language: "es",
        reason: "NONE",
      },
    });
  });

  it("do not come if the outcome is set to wait", async () => {
    await bench.control("POST", "/reviews", { outcome: "PENDING" });
    const { body } = await bench.call("POST", path, welcome());
    await bench.control("POST", "/reviews", {});
    const later = await bench.call("POST", path, { ...welcome(), name: "welcome_too" });
    await becomes(later.body.id, "APPROVED");
    expect(await nodeOf(body.id)).to.include({ status: "PENDING" });
  });

  it("reject with a reason if that outcome is set, and review edited templates again", async () => {
    await bench.control("POST", "/reviews", { outcome: "REJECTED", reason: "PROMOTIONAL" });
    const { body } = await bench.call("POST", path, welcome());
    expect(await becomes(body.id, "REJECTED")).to.include({ rejected_reason: "PROMOTIONAL" });
    await bench.control("POST", "/reviews", {});
    const edited = await bench.call("POST", `/v23.0/${body.id}`, { components: welcome().components });
    expect(edited.body).to.deep.equal({ success: true });
    expect(await becomes(body.id, "APPROVED")).to.include({ rejected_reason: "NONE" });
  });

  it("change a template by control, also its category", async () => {
    const { body } = await bench.call("POST", path, welcome());
    await becomes(body.id, "APPROVED");
    await bench.control("POST", "/templates/welcome", { event: "PAUSED", category: "MARKETING" });
    expect(await nodeOf(body.id)).to.include({ status: "PAUSED", category: "MARKETING" });
    expect(await told("template_category_update")).to.deep.include({
      value: {
        message_template_id: Number(body.id),
        message_template_name: "welcome",
        message_template_language: "es",
        previous_category: "UTILITY",
        new_category: "MARKETING",
      },
    });
    expect((await bench.control("POST", "/templates/nothing", { event: "PAUSED" })).status).to.equal(400);
  });

  const button = (changes: object) => ({ type: "URL", text: "Ver", url: "https://shop.test", ...changes });
  const wrong: readonly (readonly [what: string, components: object[], subcode: number | undefined])[] = [
    ["no body", [{ type: "FOOTER", text: "Hola" }], 2388072],
    ["a long body", [{ type: "BODY", text: "x".repeat(1_025) }], 2388040],
    ["a placeholder at an end", [{ type: "BODY", text: "a {{1}}", example: { body_text: [["1"]] } }], 2388299],
    ["no examples", [{ type: "BODY", text: "a {{1}} b" }], 2388043],
    ["a number left out", [{ type: "BODY", text: "a {{2}} b", example: { body_text: [["1"]] } }], 2388023],
    ["a placeholder in the footer", [...welcome().components, { type: "FOOTER", text: "a {{1}} b" }], 2388073],
    ["a picture without example", [...welcome().components, { type: "HEADER", format: "IMAGE" }], 2388043],
    ["a strange component", [...welcome().components, { type: "DANCE" }], undefined],
    [
      "three URLs",
      [...welcome().components, { type: "BUTTONS", buttons: [button({}), button({}), button({})] }],
      2388060,
    ],
    [
      "a long button",
      [...welcome().components, { type: "BUTTONS", buttons: [button({ text: "x".repeat(26) })] }],
      2388040,
    ],
  ];
  for (const [what, components, subcode] of wrong) {
    it(`reject at once ${what}`, async () => {
      const { status, body } = await bench.call("POST", path, welcome(components));
      expect(status).to.equal(400);
      expect(body.error).to.include({ code: 100, ...(subcode !== undefined && { error_subcode: subcode }) });
    });
  }

  it("accept named placeholders only if the request says so, and remember it for edits", async () => {
    const example = { body_text_named_params: [{ param_name: "nombre", example: "Ana" }] };
    const named = (text: string) => ({ components: [{ type: "BODY", text, example }] });
    const content = { ...welcome(), ...named("Hola {{nombre}}.") };
    expect((await bench.call("POST", path, content)).body.error).to.include({ code: 100, error_subcode: 2388023 });
    const { body } = await bench.call("POST", path, { ...content, parameter_format: "NAMED" });
    await becomes(body.id, "APPROVED");
    expect((await bench.call("POST", `/v23.0/${body.id}`, named("Hola, {{nombre}}."))).body.success).to.equal(true);
  });

  it("accept no unknown category, and no edit of a pending template", async () => {
    await bench.control("POST", "/reviews", { delay_ms: 3_600_000 });
    expect((await bench.call("POST", path, { ...welcome(), category: "PROMO" })).status).to.equal(400);
    const { body } = await bench.call("POST", path, welcome());
    const edited = await bench.call("POST", `/v23.0/${body.id}`, { components: welcome().components });
    expect(edited.body.error).to.include({ code: 100 });
    const foreign = await bench.call("POST", `/v23.0/${body.id}`, {}, { authorization: "Bearer token-9" });
    expect(foreign.status).to.equal(401);
  });
});
