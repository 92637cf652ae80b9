import { STATUS_CODES } from "node:http";
import type { Files } from "../core/files.ts";
import { type Call, type Platform, Refusal, SpecialAnswer } from "../core/route.ts";

/** Serves files at the addresses that the other platforms give to clients. */
export const filesPlatform = (files: Files): Platform => ({
  routes: [
    {
      route: "GET /__attachments/{name}",
      operation: "attachment",
      handle({ path, headers }: Call) {
        // A file store with signed URLs refuses a request that also has Basic credentials.
        if (/^Basic /i.test(headers.authorization ?? "")) throw new Refusal({ code: 400 });
        const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1];
        const file = files.open(path.name ?? "", token);
        if (file === "forbidden") throw new Refusal({ code: 401 });
        if (file === "missing") throw new Refusal({ code: 404 });
        return new SpecialAnswer(200, file.bytes, { "content-type": file.mime });
      },
    },
  ],
  control: [],
  // This platform has no codes except HTTP statuses.
  failure: ({ code, status = code >= 400 && code <= 599 ? code : 500 }) => ({
    status,
    body: `<html><h1>${STATUS_CODES[status] ?? status}</h1></html>`,
  }),
});
