import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import ts from "typescript";
import { asyncApi } from "../../src/bootstrap/documents.ts";
import { request } from "../support/http.ts";
import { startWorld, type World } from "../support/world.ts";

/** A program that uses the client. Lines that must not compile are marked. */
const program = `
import { io, type Socket } from "socket.io-client";
import { type Chat, type ClientEvents, type ConnectError, createRecadoClient, type Handshake, type Order, type ServerEvents } from "./index.ts";

const recado = createRecadoClient({ baseUrl: "https://recado.example", caller: { token: "t" } });

export async function titles(): Promise<string[]> {
  const { data, error, response } = await recado.GET("/chats", {
    params: { query: { estado: ["pendiente"], soporte: "me", limit: 10 } },
  });
  if (error) throw new Error(\`\${error.code}: \${error.error}\`);
  const rows: Chat[] = data.data;
  response.headers.get("RateLimit");
  return rows.map(({ contacto, mensaje, ticket }) => \`\${contacto.nombre} \${mensaje?.texto ?? ""} \${ticket?.paso.nombre}\`);
}

export async function begin(orderId: number): Promise<Order | "gone" | "too late"> {
  const { data, error } = await recado.PUT("/catalogs/order/{orderId}/status", {
    params: { path: { orderId }, header: { "If-Match": '"v1"' } },
    body: { status: "progress" },
  });
  if (data) return data.data;
  if (error.code === "order_not_found") return "gone";
  if (error.code === "wrong_transition") return "too late";
  // @ts-expect-error no failure has this code
  if (error.code === "no_such_code") return "gone";
  throw new Error(error.error);
}

export async function refused(): Promise<string> {
  const { error } = await recado.GET("/agents");
  if (error?.code === "unauthorized") return error.error;
  return "";
}

export async function refusedKey(): Promise<string> {
  const { error } = await recado.GET("/campaigns/{id}", { params: { path: { id: 1 } } });
  if (error === undefined) return "";
  if (typeof error === "string") return error;
  return "message" in error ? error.message : error.error;
}

export async function take(id: number): Promise<string> {
  const { error } = await recado.POST("/chats/{id}/take", { params: { path: { id } } });
  return error?.code === "chat_taken" ? error.soporte.nombre : "";
}

export const store = (file: Blob) => recado.POST("/media", { body: { file } });

export const handshake: Handshake = { token: "t", since: 3 };
// @ts-expect-error a token or a key has to be there
export const withoutCredentials: Handshake = { since: 3 };

export const newOrder = () =>
  recado.POST("/catalogs/orders", { body: { type: "wa", lines: [{ articleId: 1, extras: [] }] } });

// @ts-expect-error there is no such path
recado.GET("/nothing");
// @ts-expect-error no chat is in this state
recado.GET("/chats", { params: { query: { estado: ["abierto"] } } });
// @ts-expect-error an order has lines
recado.POST("/catalogs/orders", { body: { type: "wa" } });

export const socket: Socket<ServerEvents, ClientEvents> = io("https://recado.example/realtime", { autoConnect: false });
socket.on("message:new", ({ chat_id, mensaje, seq }) => console.log(chat_id.toFixed(), mensaje.texto.length, seq));
socket.on("campaign:progress", ({ counts }) => console.log(counts.sent.toFixed()));
socket.emit("viewing", { chat_id: null });
socket.on("connect_error", ({ data }: ConnectError) => console.log(data?.code === "unauthorized", data?.error.length));
// @ts-expect-error there is no such event
socket.on("message:old", () => {});
`;

const strict: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  verbatimModuleSyntax: true,
  allowImportingTsExtensions: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2022.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  skipLibCheck: true,
};

describe("the TypeScript client", () => {
  let world: World;
  let folder: string;
  before(async () => {
    // The generator has a top-level await. If it were imported statically, mocha would load this file apart from the
    // others, with its own database.
    const { eventTypesOf, typesOf } = await import("../../client/generate.ts");
    await mkdir(".run", { recursive: true });
    folder = resolve(await mkdtemp(join(".run", "client-")));
    const media = { MEDIA_DIR: join(folder, "media"), MEDIA_BASE_URL: "https://media.example/media/" };
    world = await startWorld({ environment: media });
    const { json } = await request(`${world.api}/openapi.json`);
    const files = {
      "package.json": '{ "type": "module" }',
      "api.ts": await typesOf(json),
      "events.ts": await eventTypesOf(asyncApi() as never),
      "index.ts": await readFile("client/src/index.ts", "utf8"),
      "program.ts": program,
    };
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  });
  after(async () => {
    await world.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("has types with which a correct program compiles, and an incorrect one does not", () => {
    const compiled = ts.createProgram([join(folder, "program.ts")], strict);
    const complaints = ts.getPreEmitDiagnostics(compiled).map(({ file, start = 0, messageText }) => {
      const line = file ? file.text.slice(0, start).split("\n").length : 0;
      return `${file?.fileName.split("/").at(-1)}:${line} ${ts.flattenDiagnosticMessageText(messageText, " ")}`;
    });
    expect(complaints).to.deep.equal([]);
  });

  it("calls the service with a session token or an App Key", async () => {
    const { createRecadoClient } = await import(pathToFileURL(join(folder, "index.ts")).href);
    const as = (caller?: object) => createRecadoClient({ baseUrl: world.api, caller });
    const seen = async (caller?: object) => (await as(caller).GET("/agents")).response.status;
    expect(await seen({ token: await world.sessionToken(102) })).to.equal(200);
    expect(await seen({ key: world.appKey(1) })).to.equal(200);
    expect(await seen({ key: "x" })).to.equal(401);
    expect(await seen()).to.equal(401);
  });

  it("sends a file as a form", async () => {
    const { createRecadoClient } = await import(pathToFileURL(join(folder, "index.ts")).href);
    const recado = createRecadoClient({ baseUrl: world.api, caller: { key: world.appKey(1) } });
    const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";
    const file = new File([Buffer.from(dot, "base64")], "punto.png");
    const { data, error } = await recado.POST("/media", { body: { file } });
    expect(error?.error).to.equal(undefined);
    expect(data.media_url).to.match(/\.png$/);
  });

  it("is packed with the version of openapi-fetch that the checks use", async () => {
    const [packed, root] = await Promise.all(
      ["client/package.json", "package.json"].map((file) => readFile(file, "utf8")),
    );
    const { dependencies } = JSON.parse(packed ?? "");
    expect(dependencies["openapi-fetch"]).to.equal(JSON.parse(root ?? "").devDependencies["openapi-fetch"]);
  });
});
