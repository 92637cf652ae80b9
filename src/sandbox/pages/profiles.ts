import { photoChannel } from "../../kernel/channels.ts";
import { type Files, onePixelPng } from "../core/files.ts";
import type { Page } from "./pages.ts";

const pictureId = "profile-picture";

/** A customer's profile: the requested fields that the channel has. */
export function profileOf(page: Page, id: string, name: string, query: URLSearchParams, files: Files): object {
  const [first = name, ...others] = name.split(" ");
  const known: Readonly<Record<string, () => string>> =
    page.channel === photoChannel
      ? {
          name: () => name,
          username: () => name.toLowerCase().replace(/\W+/g, "."),
          profile_pic: () => pictureIn(files),
        }
      : {
          first_name: () => first,
          last_name: () => others.join(" "),
          name: () => name,
          profile_pic: () => pictureIn(files),
        };
  const asked = query.get("fields")?.split(",") ?? ["first_name", "last_name", "name", "profile_pic"];
  const told = asked.flatMap((field) => (Object.hasOwn(known, field) ? [[field, known[field]?.()]] : []));
  return { ...Object.fromEntries(told), id };
}

function pictureIn(files: Files): string {
  if (!files.find(pictureId)) {
    files.keep({ mime: "image/png", bytes: Buffer.from(onePixelPng, "base64"), owner: "" }, pictureId);
  }
  return files.link(pictureId);
}
