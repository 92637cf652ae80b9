import { expect } from "chai";
import { consequencesOf, fillParameters, type ParameterMapping } from "../../src/messaging/domain/campaign.ts";
import type { RefusalClass, SendOutcome } from "../../src/messaging/domain/platform.ts";

const mapping = (fields: Readonly<Record<number, string>>): ParameterMapping =>
  new Map(Object.entries(fields).map(([placeholder, field]) => [Number(placeholder), field]));
const filled = (field: string, contact: object): string | undefined =>
  fillParameters(mapping({ 1: field }), 1, contact as Record<string, unknown>)[0];

describe("the parameters of a campaign's message (§4.3)", () => {
  it("are an empty list without a mapping", () => {
    expect(fillParameters(null, 3, { nombre: "Ana" })).to.deep.equal([]);
  });

  it("have the order of the placeholders, whatever the order of the mapping", () => {
    const contact = { nombre: "Ana", pedido: "A-1", ciudad: "La Paz" };
    const fields = new Map([
      [3, "ciudad"],
      [1, "pedido"],
      [2, "nombre"],
    ]);
    expect(fillParameters(fields, 3, contact)).to.deep.equal(["A-1", "Ana", "La Paz"]);
  });

  it("can use one field several times", () => {
    expect(fillParameters(mapping({ 1: "nombre", 2: "nombre" }), 2, { nombre: "Ana" })).to.deep.equal(["Ana", "Ana"]);
  });

  it("are texts, numbers and booleans in their written form, including the empty text", () => {
    expect(filled("x", { x: "Ana" })).to.equal("Ana");
    expect(filled("x", { x: "" })).to.equal("");
    expect(filled("x", { x: 0 })).to.equal("0");
    expect(filled("x", { x: 12.5 })).to.equal("12.5");
    expect(filled("x", { x: false })).to.equal("false");
    expect(filled("x", { x: true })).to.equal("true");
  });

  it("are 'unknown' if the field is absent, null, an object or an array", () => {
    for (const contact of [{}, { x: null }, { x: undefined }, { x: {} }, { x: [] }, { x: ["Ana"] }]) {
      expect(filled("x", contact), JSON.stringify(contact)).to.equal("unknown");
    }
  });

  it("are 'unknown' for placeholders without a mapping", () => {
    expect(fillParameters(mapping({ 2: "nombre" }), 3, { nombre: "Ana" })).to.deep.equal(["unknown", "Ana", "unknown"]);
  });

  it("are read only from the contact's own fields", () => {
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
const having = (setbacks: number, { ownSetbacks = 0, isHeldBack = false } = {}) => ({
  setbacks,
  ownSetbacks,
  isHeldBack,
});

describe("the answer to a campaign's message", () => {
  it("makes the message sent with the platform's id if it is accepted", () => {
    const accepted: SendOutcome = { kind: "accepted", platformMessageId: "wamid.1" };
    expect(consequencesOf(accepted, having(0))).to.deep.equal([{ state: "sent", platformMessageId: "wamid.1" }, goOn]);
    expect(consequencesOf({ ...accepted, recipientId: "591" }, having(0))[0]).to.include({ recipientId: "591" });
  });

  it("leaves the message unknown for good if its outcome is unknown", () => {
    for (const setbacks of [0, 1, 7]) {
      const outcome: SendOutcome = { kind: "unknown", reason: "hung" };
      expect(consequencesOf(outcome, having(setbacks))).to.deep.equal([{ state: "unknown", reason: "hung" }, goOn]);
    }
  });

  it("repeats the message and slows the number down if it was not sent or the number exceeded its rate", () => {
    for (const outcome of [{ kind: "not-sent", reason: "why" } as const, refused("wait-sender")]) {
      const [progress, consequence] = consequencesOf(outcome, having(2));
      expect(progress).to.include({ state: "queued", reason: "why", dueInMs: 4_000, setback: "sender" });
      expect(consequence).to.deep.equal({ kind: "slow-down" });
      expect(consequencesOf(outcome, having(50))[0]).to.include({ state: "queued", dueInMs: 60_000 });
      expect(consequencesOf(outcome, having(99))[0]).to.include({ state: "failed" });
    }
  });

  it("repeats the message after the platform's time if there is one, and the number waits as long", () => {
    const [progress, consequence] = consequencesOf(refused("wait-sender", { retryAfterMs: 7_000 }), having(3));
    expect(progress).to.include({ state: "queued", dueInMs: 7_000 });
    expect(consequence).to.deep.equal({ kind: "slow-down", retryAfterMs: 7_000 });
  });

  it("repeats the message after 4^n seconds, eight times in all, if the recipient got too many", () => {
    const after = (ownSetbacks: number) => consequencesOf(refused("wait-recipient"), having(99, { ownSetbacks }));
    const waits = [0, 1, 2, 6].map(after);
    expect(waits.map(([progress]) => progress.dueInMs)).to.deep.equal([4_000, 16_000, 64_000, 16_384_000]);
    for (const [progress, consequence] of waits) {
      expect(progress).to.include({ state: "queued", setback: "recipient", ...said });
      expect(consequence).to.deep.equal(goOn);
    }
    expect(after(7)).to.deep.equal([{ state: "failed", ...said }, goOn]);
  });

  it("repeats a held back message once after a day, and then gives up", () => {
    const day = 24 * 60 * 60 * 1_000;
    expect(consequencesOf(refused("later"), having(0))).to.deep.equal([
      { state: "queued", dueInMs: day, setback: "held-back", ...said },
      goOn,
    ]);
    expect(consequencesOf(refused("later"), having(1, { isHeldBack: true }))).to.deep.equal([
      { state: "failed", ...said },
      goOn,
    ]);
  });

  it("repeats a held back message after a day even if earlier attempts had setbacks of other kinds", () => {
    const others = having(99, { ownSetbacks: 7 });
    expect(consequencesOf(refused("later"), others)[0]).to.include({ state: "queued" });
    const [afterwards] = consequencesOf(refused("wait-sender"), having(0, { isHeldBack: true }));
    expect(afterwards).to.include({ state: "queued", setback: "sender" });
  });

  it("pauses the campaign with the reason if no message can succeed, and the recipient waits", () => {
    for (const setbacks of [0, 500]) {
      expect(consequencesOf(refused("stop"), having(setbacks))).to.deep.equal([
        { state: "queued", dueInMs: 0, setback: "sender", ...said },
        { kind: "pause", reason: "7: why", concerns: "campaign" },
      ]);
      expect(consequencesOf(refused("stop-template"), having(setbacks))).to.deep.equal([
        { state: "queued", dueInMs: 0, setback: "sender", ...said },
        { kind: "pause", reason: "7: why", concerns: "template" },
      ]);
    }
  });

  it("skips a recipient who opted out", () => {
    expect(consequencesOf(refused("opted-out"), having(0))).to.deep.equal([{ state: "skipped", ...said }, goOn]);
  });

  it("marks an unreachable recipient as failed, and continues with the others", () => {
    expect(consequencesOf(refused("final"), having(0))).to.deep.equal([{ state: "failed", ...said }, goOn]);
  });
});
