import type { OutgoingContent, StoredFile } from "./outgoing.ts";

/** Channels show no text beside a sound. */
const hasCaption = ({ type }: StoredFile): boolean => !type.startsWith("audio/");

/** The messages that a text and files become: the text stands under the first file that can have one, or by itself. */
export function contentsOf(text: string, files: readonly StoredFile[]): OutgoingContent[] {
  const said = text.trim() === "" ? "" : text;
  const captioned = said === "" ? undefined : files.find(hasCaption);
  const sent = files.map((file): OutgoingContent => ({ kind: "file", text: file === captioned ? said : "", file }));
  return said === "" || captioned ? sent : [{ kind: "text", text: said }, ...sent];
}
