import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { expect } from "chai";
import PusherServer from "pusher";
import pusherClient from "pusher-js";
import { eventually } from "../support/wait.ts";
import { Bench } from "./support.ts";

/** The module exports the class itself, although its types say `default`. */
const PusherClient = pusherClient as unknown as typeof pusherClient.default;

const app = { appId: "app-1", key: "key-1", secret: "secret-1" };

describe("subscribers of the sandbox's Pusher host", () => {
  let bench: Bench;
  let server: PusherServer;
  const open: { stop(): void }[] = [];

  before(async () => {
    bench = await Bench.start({ pusherApps: [app, { appId: "app-2", key: "key-2", secret: "secret-2" }] });
    const { hostname: host, port } = new URL(bench.sandbox.url);
    server = new PusherServer({ ...app, host, port, useTLS: false });
  });
  after(() => bench.stop());
  afterEach(() => {
    for (const each of open.splice(0)) each.stop();
  });

  /** The vendor's client. `sign` authorizes the client's channels, as an application's server would do. */
  function client(key = app.key, sign = (id: string, channel: string) => server.authorizeChannel(id, channel)) {
    const { hostname: wsHost, port } = new URL(bench.sandbox.url);
    const pusher = new PusherClient(key, {
      ...{ cluster: "", wsHost, wsPort: Number(port), forceTLS: false, enabledTransports: ["ws"] },
      channelAuthorization: {
        endpoint: "",
        transport: "ajax",
        customHandler: ({ socketId, channelName }, done) => done(null, sign(socketId, channelName)),
      },
    });
    open.push({ stop: () => pusher.disconnect() });
    return pusher;
  }

  /** Subscribes to a channel. Returns a list that gets the data of each event `changed`. */
  async function listen(pusher: InstanceType<typeof PusherClient>, name: string) {
    const heard: unknown[] = [];
    const channel = pusher.subscribe(name);
    channel.bind("changed", (data: unknown) => heard.push(data));
    await eventually(() => channel.subscribed);
    return heard;
  }

  it("get only the events of their channels", async () => {
    const [ana, luis] = [client(), client()];
    const [shared, own, luisOwn] = [
      await listen(ana, "orders"),
      await listen(ana, "private-1"),
      await listen(luis, "private-2"),
    ];
    const sharedToo = await listen(luis, "orders");
    await server.trigger(["orders", "private-2"], "changed", { text: "ñandú & más" });
    await server.triggerBatch([{ channel: "private-1", name: "changed", data: { n: 1 } }]);
    await eventually(() => own.length === 1 && luisOwn.length === 1);
    expect([shared, sharedToo, own, luisOwn]).to.deep.equal([
      [{ text: "ñandú & más" }],
      [{ text: "ñandú & más" }],
      [{ n: 1 }],
      [{ text: "ñandú & más" }],
    ]);
  });

  it("do not get events that they published themselves", async () => {
    const ana = client();
    const heard = await listen(ana, "a");
    await server.trigger("a", "changed", 1, { socket_id: ana.connection.socket_id });
    await server.trigger("a", "changed", 2);
    await eventually(() => heard.length > 0);
    expect(heard).to.deep.equal([2]);
  });

  it("do not get events of another application, even on a channel with the same name", async () => {
    const { hostname: host, port } = new URL(bench.sandbox.url);
    const other = new PusherServer({ appId: "app-2", key: "key-2", secret: "secret-2", host, port, useTLS: false });
    const heard = await listen(client(), "a");
    await other.trigger("a", "changed", 1);
    await server.trigger("a", "changed", 2);
    await eventually(() => heard.length === 1);
    expect(heard).to.deep.equal([2]);
  });

  it("need a valid signature for a private channel", async () => {
    const wrong = [{ auth: `${app.key}:00` }, { auth: "" }, server.authorizeChannel("1.1", "private-1")];
    for (const proof of wrong) {
      const pusher = client(app.key, () => proof);
      const errors: unknown[] = [];
      pusher.connection.bind("error", ({ data }: { data: unknown }) => errors.push(data));
      const channel = pusher.subscribe("private-1");
      await eventually(() => errors.length === 1);
      expect(errors[0]).to.deep.include({ code: 4009 });
      expect(channel.subscribed).to.equal(false);
    }
  });

  it("are refused with an unknown key", async () => {
    const pusher = client("key-9");
    const errors: unknown[] = [];
    pusher.connection.bind("error", (error: unknown) => errors.push(error));
    await eventually(() => errors.length > 0);
    expect(errors[0]).to.have.nested.property("error.data.code", 4001);
    await eventually(() => pusher.connection.state !== "connecting");
    expect(pusher.connection.state).not.to.equal("connected");
  });

  const path = `/app/${app.key}?protocol=7&client=test`;

  it("get a pong for every ping, of Pusher and of WebSocket", async () => {
    const socket = await Raw.open(bench, path);
    open.push(socket);
    socket.say({ event: "pusher:ping", data: {} });
    await eventually(() => socket.heard("pusher:pong"));
    socket.write(frame(9, Buffer.from("still there?")));
    await eventually(() =>
      socket.frames.some(({ opcode, payload }) => opcode === 10 && `${payload}` === "still there?"),
    );
  });

  it("get no events of a channel after they unsubscribed", async () => {
    const socket = await Raw.open(bench, path);
    open.push(socket);
    const subscribed = () => socket.events().filter(({ event }) => event === "pusher_internal:subscription_succeeded");
    socket.say({ event: "pusher:subscribe", data: { channel: "a" } });
    socket.say({ event: "pusher:unsubscribe", data: { channel: "a" } });
    socket.say({ event: "pusher:subscribe", data: { channel: "b" } });
    await eventually(() => subscribed().length === 2);
    await server.trigger(["a", "b"], "changed", 1);
    await eventually(() => socket.heard("changed"));
    const changed = socket.events().filter(({ event }) => event === "changed");
    expect(changed).to.deep.equal([{ event: "changed", channel: "b", data: "1" }]);
  });

  it("can send a message in fragments with other frames between them", async () => {
    const socket = await Raw.open(bench, path);
    open.push(socket);
    const text = JSON.stringify({ event: "pusher:subscribe", data: { channel: "orders" } });
    const bytes = Buffer.from(text);
    const pieces = Buffer.concat([
      frame(1, bytes.subarray(0, 10), { last: false }),
      frame(9, Buffer.alloc(0)),
      frame(0, bytes.subarray(10, 20), { last: false }),
      frame(0, bytes.subarray(20)),
    ]);
    for (const byte of pieces) socket.write(Buffer.from([byte]));
    await eventually(() => socket.heard("pusher_internal:subscription_succeeded"));
  });

  it("get an error after an invalid message, and stay connected", async () => {
    const socket = await Raw.open(bench, path);
    open.push(socket);
    const subscribe = (channel: unknown) => socket.say({ event: "pusher:subscribe", data: { channel } });
    for (const wrong of ["", "a b", 7, "presence-a"]) subscribe(wrong);
    socket.say({ event: "constructor" });
    socket.say({ event: "pusher:unsubscribe", data: { channel: { toString: 1, valueOf: 1 } } });
    socket.write(frame(1, Buffer.from("{")));
    await eventually(() => socket.events().filter(({ event }) => event === "pusher:error").length === 6);
    subscribe("a");
    await eventually(() => socket.heard("pusher_internal:subscription_succeeded"));
  });

  const largest = Buffer.alloc(65_535, " ");
  const breaches: [what: string, bytes: Buffer, code: number][] = [
    ["a frame without a mask", Buffer.from([0x81, 1, 0x61]), 1002],
    ["reserved bits", Buffer.from([0xc1, 0x81, 0, 0, 0, 0, 0x61]), 1002],
    ["an unknown kind of frame", Buffer.from([0x83, 0x80, 0, 0, 0, 0]), 1002],
    ["a continuation without a beginning", frame(0, Buffer.from("a")), 1002],
    ["a text inside a text", Buffer.concat([frame(1, Buffer.from("a"), { last: false }), frame(1, largest)]), 1002],
    ["a fragmented ping", frame(9, Buffer.alloc(0), { last: false }), 1002],
    ["a long ping", frame(9, Buffer.alloc(126)), 1002],
    ["binary data", frame(2, Buffer.from("a")), 1003],
    ["a text that is not UTF-8", frame(1, Buffer.from([0xff])), 1007],
    ["more than 64 kB in fragments", Buffer.concat([frame(1, largest, { last: false }), frame(0, largest)]), 1009],
    ["more than 64 kB in one frame", Buffer.from([0x81, 0xff, 0, 0, 0, 0, 0, 1, 0, 0]), 1009],
    ["a close frame", frame(8, Buffer.from([3, 232])), 1000],
  ];
  for (const [what, bytes, code] of breaches) {
    it(`are disconnected with ${code} for ${what}`, async () => {
      const socket = await Raw.open(bench, path);
      open.push(socket);
      socket.write(bytes);
      await eventually(() => socket.closed);
      expect(socket.frames.at(-1)?.opcode).to.equal(8);
      expect(socket.frames.at(-1)?.payload.readUInt16BE()).to.equal(code);
    });
  }

  it("are refused with an unknown version of the protocol", async () => {
    for (const [query, code] of [
      ["protocol=3", 4007],
      ["protocol=8", 4007],
      ["client=js", 4008],
    ] as const) {
      const socket = await Raw.open(bench, `/app/${app.key}?${query}`);
      open.push(socket);
      await eventually(() => socket.closed);
      expect(socket.events()).to.have.nested.property("[0].data.code", code);
    }
  });

  it("are limited to a hundred, and others can connect when one leaves", async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => Raw.open(bench, path)));
    open.push(...all);
    await eventually(() => all.every((socket) => socket.heard("pusher:connection_established")));
    const late = await Raw.open(bench, path);
    open.push(late);
    await eventually(() => late.closed);
    expect(late.events()).to.have.nested.property("[0].data.code", 4100);
    all[0]?.stop();
    await eventually(async () => {
      // The host needs a moment to notice the disconnection, and refuses new clients until then.
      const next = await Raw.open(bench, path);
      open.push(next);
      await eventually(() => next.events().length > 0);
      return next.heard("pusher:connection_established");
    });
  });

  it("are refused without a valid WebSocket handshake", async () => {
    const upgrade = { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key() };
    for (const [at, headers] of [
      [path, { ...upgrade, upgrade: "h2c" }],
      [path, { ...upgrade, "sec-websocket-version": "7" }],
      [path, { ...upgrade, "sec-websocket-key": "short" }],
      ["/apps/app-1", upgrade],
      ["//", upgrade],
    ] as const) {
      const socket = await Raw.ask(bench, at, headers);
      open.push(socket);
      await eventually(() => socket.closed);
      expect(socket.answer).to.match(/^HTTP\/1\.1 400 /);
    }
  });
});

const key = () => randomBytes(16).toString("base64");

/** A client's frame. */
function frame(opcode: number, payload: Buffer, { last = true } = {}): Buffer {
  const mask = randomBytes(4);
  const { length } = payload;
  const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 0xff];
  const masked = payload.map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([Buffer.from([(last ? 0x80 : 0) | opcode, ...size]), mask, masked]);
}

/** A connection for raw frames. */
class Raw {
  answer = "";
  closed = false;
  readonly frames: { readonly opcode: number; readonly payload: Buffer }[] = [];
  private bytes = Buffer.alloc(0);

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk: Buffer) => this.take(chunk));
    socket.on("error", () => {});
    socket.on("close", () => {
      this.closed = true;
    });
  }

  static async ask(bench: Bench, path: string, headers: Readonly<Record<string, string>>): Promise<Raw> {
    const { hostname, port } = new URL(bench.sandbox.url);
    const socket = connect(Number(port), hostname);
    await once(socket, "connect");
    const lines = Object.entries({ host: "x", connection: "Upgrade", ...headers }).map((pair) => pair.join(": "));
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
    return new Raw(socket);
  }

  static async open(bench: Bench, path: string): Promise<Raw> {
    const headers = { upgrade: "websocket", "sec-websocket-version": "13", "sec-websocket-key": key() };
    const raw = await Raw.ask(bench, path, headers);
    await eventually(() => raw.answer !== "");
    expect(raw.answer).to.match(/^HTTP\/1\.1 101 /);
    return raw;
  }

  write(bytes: Buffer): void {
    this.socket.write(bytes);
  }

  say(message: object): void {
    this.write(frame(1, Buffer.from(JSON.stringify(message))));
  }

  events(): Record<string, unknown>[] {
    return this.frames.filter(({ opcode }) => opcode === 1).map(({ payload }) => JSON.parse(payload.toString()));
  }

  heard(name: string): boolean {
    return this.events().some(({ event }) => event === name);
  }

  stop(): void {
    this.socket.destroy();
  }

  private take(chunk: Buffer): void {
    this.bytes = Buffer.concat([this.bytes, chunk]);
    if (this.answer === "") {
      const end = this.bytes.indexOf("\r\n\r\n");
      if (end === -1) return;
      this.answer = this.bytes.subarray(0, end).toString();
      this.bytes = this.bytes.subarray(end + 4);
    }
    for (;;) {
      const [first = 0, second = 0] = this.bytes;
      const start = second === 126 ? 4 : 2;
      if (this.bytes.length < start) return;
      const length = second === 126 ? this.bytes.readUInt16BE(2) : second;
      if (this.bytes.length < start + length) return;
      this.frames.push({ opcode: first & 0x0f, payload: this.bytes.subarray(start, start + length) });
      this.bytes = this.bytes.subarray(start + length);
    }
  }
}
