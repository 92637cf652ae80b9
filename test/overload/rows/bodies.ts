import { once } from "node:events";
import { rmSync } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { aWebhook, signatureOf } from "../../support/world.ts";
import { attacker } from "../arena.ts";
import type { Row, Scene } from "../row.ts";
import { bytesReadBy } from "../run-row.ts";
import type { Repeated, RequestSpec } from "../wire.ts";
import { agentsOwn, hammer, hold, megabyte, ofAttacker, post, refused, stream } from "./common.ts";

/** The preview of a campaign to one contact. The contact has an unused field with this JSON text. */
function previewOf(scene: Scene, { before = "", repeat, times, after = "" }: Repeated): RequestSpec {
  const text = JSON.stringify(scene.arena.campaign(1, { extra: "{field}" }));
  const [start, end] = text.split('"{field}"');
  return post("/campaigns/preview", { repeat, times, before: start + before, after: after + end }, ofAttacker(scene));
}

/**
 * Three files: one with a row of many cells, one with long rows, one with many rows. A business's imports run one by
 * one. The slowest file is the last, so that it delays the other files least.
 */
const imports: readonly Repeated[] = [
  { repeat: ",", times: 5_000_000 },
  { repeat: `${"x".repeat(250_000)},\n`, times: 400 },
  { repeat: ",\n", times: 2_500_000 },
];

/** An empty field of a form. */
const emptyPart = '--x\r\nContent-Disposition: form-data; name="n"\r\n\r\n\r\n';

const uploadQuotaMegabytes = 50;
const uploadDirectory = join(tmpdir(), `recado-overload-${process.pid}`);

async function bytesIn(directory: string): Promise<number> {
  const names = await readdir(directory, { recursive: true }).catch(() => []);
  const sizes = await Promise.all(names.map((name) => stat(join(directory, name)).catch(() => undefined)));
  return sizes.reduce((sum, each) => sum + (each?.isFile() ? each.size : 0), 0);
}

/** Rows with large, deeply nested or endless bodies. */
export const bodyRows: Readonly<Record<string, Row>> = {
  "preview-field": {
    about: "previews with one contact's unknown field of 117 MB: a text, a list of objects; 2 connections",
    attackers: (scene) => {
      const fields = [
        { before: '"', repeat: "a", times: 117 * megabyte, after: '"' },
        { before: "[", repeat: "{},", times: 39 * megabyte, after: "0]" },
      ];
      return [hammer({ connections: 2, requests: fields.map((field) => previewOf(scene, field)) })];
    },
    judge: (_scene, [told]) => refused(told),
  },

  "preview-nested": {
    about: "previews with a contact's field of 30 MB of [[[..., 2 connections",
    attackers: (scene) => [
      hammer({ connections: 2, requests: [previewOf(scene, { repeat: "[", times: 30 * megabyte })] }),
    ],
    judge: (_scene, [told]) => refused(told),
  },

  "webhook-bodies": {
    about: "400 connections that send 3.9 of 4 MB to /webhooks/cloud, unsigned, and wait",
    attackers: () => [
      hold({
        connections: 400,
        beginning: {
          ...post("/webhooks/cloud", { repeat: "a", times: 3.9 * 1_000_000 }),
          declaredLength: 4 * 1_000_000,
        },
      }),
    ],
  },

  "nested-webhooks": {
    about: "signed webhooks nested 5,000 deep, 8 connections",
    attackers: () => {
      const depth = 5_000;
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const body = JSON.stringify(aWebhook(attacker, { messages: "{deep}" })).replace('"{deep}"', deep);
      const signed = post("/webhooks/cloud", body, { "x-hub-signature-256": signatureOf(body) });
      return [hammer({ connections: 8, requests: [signed] })];
    },
    judge: async ({ arena }) => {
      const waiting = await arena.rows<{ count: number }>("select count(*)::int as count from incoming_webhooks");
      const left = waiting[0]?.count ?? 0;
      await arena.rows("delete from incoming_webhooks");
      return left === 0 ? {} : { misses: [`${left} webhooks wait to be tried again`] };
    },
  },

  "tiny-chunks": {
    about: "bodies in chunks of one byte: 5 connections without a key, and 60 with a key that begin a campaign",
    attackers: (scene) => {
      const part = { repeat: "1\r\na\r\n", times: 10_000 };
      return [
        stream({ connections: 5, beginning: post("/nothing", undefined), part }),
        stream({ connections: 60, beginning: post("/campaigns/preview", undefined, ofAttacker(scene)), part }),
      ];
    },
  },

  "held-chunks": {
    about: "400 connections that send 18 kB in chunks of one byte and wait",
    attackers: () => {
      const body = { repeat: "1\r\na\r\n", times: 3_000 };
      const headers = { "Transfer-Encoding": "chunked" };
      return [hold({ connections: 400, beginning: post("/auth/session", body, headers) })];
    },
  },

  "chunk-extensions": {
    about: "bodies in chunks of one byte with extensions of 15 kB, 100 connections",
    attackers: () => {
      const part = { repeat: `1;${"x".repeat(15_000)}\r\na\r\n`, times: 8 };
      return [stream({ connections: 100, beginning: post("/auth/session", undefined), part })];
    },
  },

  "bodies-after-answers": {
    about: "200 connections without a key whose bodies go on after the answer",
    attackers: () => {
      const part = { repeat: `10000\r\n${"a".repeat(65_536)}\r\n`, times: 4 };
      return [stream({ connections: 200, beginning: post("/nothing", undefined), part })];
    },
  },

  "endless-upload": {
    about: "one chunked upload without an end, which continues after its 401",
    attackers: () => [{ attack: "endless", settings: {} }],
    throughout: async ({ service }, signal) => {
      const before = (await bytesReadBy(service)) ?? 0;
      if (!signal.aborted) await once(signal, "abort");
      const after = await bytesReadBy(service);
      return after === undefined
        ? {}
        : { figures: { "MB read by the process": Math.round((after - before) / megabyte) } };
    },
    judge: (_scene, [told]) => {
      // `bytesSent` includes bytes in the system's buffers. The service itself has read less.
      const sent = Math.round((told?.bytesSent ?? 0) / megabyte);
      const most = 16;
      return sent <= most ? {} : { misses: [`${sent} MB were taken from it, over ${most} MB`] };
    },
  },

  imports: {
    about: "imports of contacts: a row of 5,000,000 cells, 400 rows of 250 kB, 2,500,000 empty rows; 5 connections",
    attackers: (scene) => {
      const headers = { ...ofAttacker(scene), "Content-Type": "text/csv" };
      const requests = imports.map((rows) => post("/contacts/import", { before: "numero,nombre\n", ...rows }, headers));
      return [hammer({ connections: 5, requests })];
    },
  },

  "form-parts": {
    about: "forms of 60,000 empty fields, and of one that resembles a boundary of one letter; 20 connections",
    attackers: (scene) => {
      const headers = { ...ofAttacker(scene), "Content-Type": "multipart/form-data; boundary=x" };
      const after = "\r\n--x--\r\n";
      const many = post("/media", { repeat: emptyPart, times: 60_000, after }, headers);
      const dashes = post("/media", { before: emptyPart.slice(0, -2), repeat: "-", times: 4_000_000, after }, headers);
      return [hammer({ connections: 20, requests: [many, dashes] })];
    },
    judge: (_scene, [told]) => refused(told),
  },

  uploads: {
    about: `an agent's session uploads 940 MB against a quota of ${uploadQuotaMegabytes} MB, 4 connections`,
    environment: { MEDIA_BASE_URL: "https://files.test/media/", MEDIA_DIR: uploadDirectory },
    attackers: async (scene) => {
      const { arena } = scene;
      process.once("exit", () => rmSync(uploadDirectory, { recursive: true, force: true }));
      await arena.rows(
        `update businesses set feature_flags = feature_flags || '{"media_quota_bytes": ${uploadQuotaMegabytes * megabyte}}'
         where id = ${attacker}`,
      );
      const head = `--x\r\nContent-Disposition: form-data; name="file"; filename="{n}.txt"\r\n\r\n`;
      const body = { before: head, repeat: "texto ", times: 10_000_000 / 6, after: "\r\n--x--\r\n" };
      const headers = { authorization: await agentsOwn(scene), "Content-Type": "multipart/form-data; boundary=x" };
      return [hammer({ connections: 4, most: 94, requests: [post("/media", body, headers)] })];
    },
    judge: async () => {
      const stored = Math.round((await bytesIn(uploadDirectory)) / megabyte);
      const figures = { "MB stored": stored };
      return stored <= uploadQuotaMegabytes
        ? { figures }
        : { figures, misses: [`${stored} MB are stored, over the quota of ${uploadQuotaMegabytes} MB`] };
    },
  },
};
