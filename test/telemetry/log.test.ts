import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { expect } from "chai";
import pg from "pg";
import { reasonOf, redact } from "../../src/infra/telemetry/redact.ts";

async function printed(level: "info" | "error"): Promise<string[]> {
  const entry = fileURLToPath(new URL("./printing-process.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", entry, level]);
  const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
  return output.trimEnd().split("\n");
}

const asLogged = (fields: object): string => JSON.stringify(redact(fields));

describe("the log", () => {
  it("writes JSON lines, also the last ones before the process exits", async () => {
    const lines = await printed("info");
    expect(lines).to.have.length(2_001);
    const first = JSON.parse(lines[0] ?? "");
    expect(first).to.include({ level: "info", name: "recado", line: 0, msg: "x".repeat(100) });
    expect(Date.now() - Date.parse(first.time)).to.be.within(0, 60_000);
    const last = JSON.parse(lines.at(-1) ?? "");
    expect(last).to.include({ level: "error", msg: "end" });
    expect(last.err).to.include({ type: "TypeError", message: "the last one" });
  });

  it("omits lines below its level", async () => {
    const lines = await printed("error");
    expect(lines.map((line) => JSON.parse(line).msg)).to.deep.equal(["end"]);
  });

  it("writes one line for people without the values that log lines hide", () => {
    const detail = "Key (phone)=(59170000001) already exists.";
    const failure = Object.assign(
      new Error("no 59170000001, +591 (7) 000-0001 at postgres://ana:pw@db:5432/recado?x=1"),
      { detail },
    );
    expect(reasonOf(failure)).to.equal("no [hidden], [hidden] at postgres://db:5432/…");
    expect(reasonOf("gone")).to.equal("gone");
  });
});

describe("the content of log lines", () => {
  const names = ["token", "Authorization", "x-api-key", "X_API_KEY", "password", "phone", "text", "body", "parameters"];
  for (const name of [...names, "url", "appKey", "sessionToken", "mediaUrl", "cookie"]) {
    it(`does not include the value of ${name} at any depth`, () => {
      const fields = {
        [name]: "s3cret",
        list: [{ [name]: { inner: "s3cret" } }],
        a: { b: { c: { [name]: ["s3cret"] } } },
      };
      expect(asLogged(fields)).to.not.include("s3cret");
    });
  }

  it("includes every other field unchanged", () => {
    const at = new Date();
    const fields = {
      requestId: "12345678-1234",
      businessId: 9007199254740991,
      at,
      list: [1, null, true],
      gone: undefined,
    };
    expect(redact(fields)).to.deep.equal(fields);
  });

  it("shows that a secret was absent", () => {
    expect(redact({ token: undefined, phone: null })).to.deep.equal({ token: undefined, phone: null });
  });

  it("ends for cyclic objects, and cuts long lists", () => {
    const endless: Record<string, unknown> = { list: Array.from({ length: 1_000 }, () => 1) };
    endless.self = endless;
    expect(asLogged(endless).length).to.be.below(2_000);
  });

  it("does not include values of a database error", async () => {
    const client = new pg.Client();
    const { DatabaseError } = pg;
    const error = Object.assign(new DatabaseError('invalid input for "59170000001"', 10, "error"), {
      code: "23505",
      detail: "Key (phone)=(59170000001) already exists.",
      where: "COPY contacts, line 1: 59170000001",
      query: "select secret",
      client,
    });
    const { err } = redact({ err: error }) as { err: Record<string, unknown> };
    expect(Object.keys(err)).to.have.members(["type", "message", "stack", "code"]);
    expect(err).to.include({ type: "DatabaseError", message: 'invalid input for "[hidden]"', code: "23505" });
    expect(asLogged({ err: error })).to.not.include("59170000001");
  });

  it("does not include numbers, URLs or texts of an error's message or stack", () => {
    const error = new Error(
      "POST https://user:pw@graph.example.com/v1/59170000001/messages?token=abc failed for 70000001",
    );
    const line = asLogged({ err: error });
    for (const secret of ["pw", "59170000001", "abc", "70000001", "messages"]) expect(line).to.not.include(secret);
    expect(line).to.include("https://graph.example.com/…").and.include("log.test.ts");
    let unreadable: unknown;
    try {
      JSON.parse("Hola María, su pedido");
    } catch (cause) {
      unreadable = new Error("wrapped", { cause });
    }
    const wrapped = asLogged({ err: unreadable });
    expect(wrapped).to.not.include("María");
    expect(wrapped).to.include("SyntaxError");
  });

  it("names the causes of an aggregate error", () => {
    const refused = Object.assign(new Error("connect ECONNREFUSED ::1:5432"), { code: "ECONNREFUSED" });
    const { err } = redact({ err: new AggregateError([refused]) }) as { err: { causes: object[] } };
    expect(err.causes[0]).to.include({ code: "ECONNREFUSED", message: "connect ECONNREFUSED ::1:5432" });
  });
});
