import { typeAt } from "./media-types.ts";
import type { OutgoingContent, StoredFile } from "./outgoing.ts";

/** Channels show no text with an audio file. The file of a quick reply has no type, so its address tells the type. */
const hasCaption = ({ url, type }: StoredFile): boolean => !(typeAt(url) ?? type).startsWith("audio/");

/** Makes one message per file. The text goes with the first file that can have a text, or into its own message. */
export function contentsOf(text: string, files: readonly StoredFile[]): OutgoingContent[] {
  const said = text.trim() === "" ? "" : text;
  const captioned = said === "" ? undefined : files.find(hasCaption);
  const sent = files.map((file): OutgoingContent => ({ kind: "file", text: file === captioned ? said : "", file }));
  return said === "" || captioned ? sent : [{ kind: "text", text: said }, ...sent];
}
