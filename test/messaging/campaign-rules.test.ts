import { expect } from "chai";
import { consequencesOf, fillParameters, type ParameterMapping } from "../../src/messaging/domain/campaign.ts";
import type { RefusalClass, SendOutcome } from "../../src/messaging/domain/platform.ts";

const mapping = (fields: Readonly<Record<number, string>>): ParameterMapping =>
  new Map(Object.entries(fields).map(([placeholder, field]) => [Number(placeholder), field]));
const filled = (field: string, contact: object): string | undefined =>
  fillParameters(mapping({ 1: field }), 1, contact as Record<string, unknown>)[0];

describe("the parameters of a campaign's message (§4.3)", () => {
  it("are none without a mapping", () => {
    expect(fillParameters(null, 3, { nombre: "Ana" })).to.deep.equal([]);
  });

  it("stand in the order of the placeholders, whatever that of the mapping", () => {
    const contact = { nombre: "Ana", pedido: "A-1", ciudad: "La Paz" };
    const fields = new Map([
      [3, "ciudad"],
      [1, "pedido"],
      [2, "nombre"],
    ]);
    expect(fillParameters(fields, 3, contact)).to.deep.equal(["A-1", "Ana", "La Paz"]);
  });

  it("may come from one field several times", () => {
    expect(fillParameters(mapping({ 1: "nombre", 2: "nombre" }), 2, { nombre: "Ana" })).to.deep.equal(["Ana", "Ana"]);
  });

  it("are texts, numbers and booleans as they are written, the empty text included", () => {
    expect(filled("x", { x: "Ana" })).to.equal("Ana");
    expect(filled("x", { x: "" })).to.equal("");
    expect(filled("x", { x: 0 })).to.equal("0");
    expect(filled("x", { x: 12.5 })).to.equal("12.5");
    expect(filled("x", { x: false })).to.equal("false");
    expect(filled("x", { x: true })).to.equal("true");
  });

  it("are 'unknown' where the field is absent, null, an object or an array", () => {
    for (const contact of [{}, { x: null }, { x: undefined }, { x: {} }, { x: [] }, { x: ["Ana"] }]) {
      expect(filled("x", contact), JSON.stringify(contact)).to.equal("unknown");
    }
  });

  it("are 'unknown' for placeholders that nothing fills", () => {
    expect(fillParameters(mapping({ 2: "nombre" }), 3, { nombre: "Ana" })).to.deep.equal(["unknown", "Ana", "unknown"]);
  });

  it("come from the contact's own fields only", () => {
    for (const field of ["constructor", "__proto__", "toString", "hasOwnProperty", "length"]) {
      expect(filled(field, { nombre: "Ana" }), field).to.equal("unknown");
    }
    expect(filled("nombre", Object.create({ nombre: "inherited" }))).to.equal("unknown");
    expect(filled("__proto__", JSON.parse('{"__proto__":"own"}'))).to.equal("own");
    expect(filled("constructor", { constructor: "own" })).to.equal("own");
  });
});

const refused = (kind: RefusalClass, changes: object = {}): SendOutcome => ({
  kind: "refused",
  refusal: { class: kind, code: 7, reason: "why", ...changes },
});
const goOn = { kind: "go-on" };
const said = { code: 7, reason: "why" };

describe("the consequences of the answer to a campaign's message", () => {
  it("accepted: sent, under the platform's id", () => {
    const accepted: SendOutcome = { kind: "accepted", platformMessageId: "wamid.1" };
    expect(consequencesOf(accepted, 0)).to.deep.equal([{ state: "sent", platformMessageId: "wamid.1" }, goOn]);
    expect(consequencesOf({ ...accepted, recipientId: "591" }, 0)[0]).to.include({ recipientId: "591" });
  });

  it("nothing known: unknown, and never again by itself", () => {
    for (const setbacks of [0, 1, 7]) {
      const outcome: SendOutcome = { kind: "unknown", reason: "hung" };
      expect(consequencesOf(outcome, setbacks)).to.deep.equal([{ state: "unknown", reason: "hung" }, goOn]);
    }
  });

  it("never left, or too much for the number: again later, and the number goes slower", () => {
    for (const outcome of [{ kind: "not-sent", reason: "why" } as const, refused("wait-sender")]) {
      const [progress, consequence] = consequencesOf(outcome, 2);
      expect(progress).to.include({ state: "queued", reason: "why", dueInMs: 4_000 });
      expect(consequence).to.deep.equal({ kind: "slow-down" });
      expect(consequencesOf(outcome, 50)[0]).to.include({ state: "queued", dueInMs: 60_000 });
      expect(consequencesOf(outcome, 99)[0]).to.include({ state: "failed" });
    }
  });

  it("too much, with a time: then, and the number waits as long", () => {
    const [progress, consequence] = consequencesOf(refused("wait-sender", { retryAfterMs: 7_000 }), 3);
    expect(progress).to.include({ state: "queued", dueInMs: 7_000 });
    expect(consequence).to.deep.equal({ kind: "slow-down", retryAfterMs: 7_000 });
  });

  it("too much for this recipient: again after 4^n seconds, eight times in all; the others go on", () => {
    const waits = [0, 1, 2, 6].map((setbacks) => consequencesOf(refused("wait-recipient"), setbacks));
    expect(waits.map(([progress]) => progress.dueInMs)).to.deep.equal([4_000, 16_000, 64_000, 16_384_000]);
    for (const [progress, consequence] of waits) {
      expect(progress).to.include({ state: "queued", ...said });
      expect(consequence).to.deep.equal(goOn);
    }
    expect(consequencesOf(refused("wait-recipient"), 7)).to.deep.equal([{ state: "failed", ...said }, goOn]);
  });

  it("not again now: once more after a day, then never", () => {
    const day = 24 * 60 * 60 * 1_000;
    expect(consequencesOf(refused("later"), 0)).to.deep.equal([{ state: "queued", dueInMs: day, ...said }, goOn]);
    expect(consequencesOf(refused("later"), 1)).to.deep.equal([{ state: "failed", ...said }, goOn]);
  });

  it("nothing of this kind can succeed: the recipient waits, and the campaign is paused with the reason", () => {
    for (const setbacks of [0, 500]) {
      expect(consequencesOf(refused("stop"), setbacks)).to.deep.equal([
        { state: "queued", dueInMs: 0, ...said },
        { kind: "pause", reason: "7: why", concerns: "campaign" },
      ]);
      expect(consequencesOf(refused("stop-template"), setbacks)).to.deep.equal([
        { state: "queued", dueInMs: 0, ...said },
        { kind: "pause", reason: "7: why", concerns: "template" },
      ]);
    }
  });

  it("no more messages, please: skipped", () => {
    expect(consequencesOf(refused("opted-out"), 0)).to.deep.equal([{ state: "skipped", ...said }, goOn]);
  });

  it("never to this recipient: failed, and the others go on", () => {
    expect(consequencesOf(refused("final"), 0)).to.deep.equal([{ state: "failed", ...said }, goOn]);
  });
});
