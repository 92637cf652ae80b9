import { answered, api, type Message, type paths, Refused } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";
import type { Outgoing, OutgoingContent } from "./outgoing.ts";

export type Outcome =
  | { readonly kind: "sent"; readonly message: Message }
  /** What the service answered then is gone. */
  | { readonly kind: "sent-unseen" }
  | { readonly kind: "refused"; readonly error: Refused }
  /** Nothing of the service's own: the connection or the service is down, the session is over, or it is too busy. */
  | { readonly kind: "unreached" }
  /** The service failed, which does not mean that the message is wrong: it is sent again under its key. */
  | { readonly kind: "trouble" };

type Body = NonNullable<paths["/chats/{id}/messages"]["post"]["requestBody"]>["content"]["application/json"];

function bodyOf(content: OutgoingContent): Body {
  switch (content.kind) {
    case "text":
      return { texto: content.text };
    case "note":
      return { nota: content.text };
    case "file":
      return { media_url: content.file.url, ...(content.text && { texto: content.text }) };
    case "template":
      return {
        plantilla_id: content.templateId,
        parameters: [...content.parameters],
        ...(content.file && { media_url: content.file.url }),
      };
  }
}

export async function post({ key, chatId, content, replyTo }: Outgoing): Promise<Outcome> {
  const body = { ...bodyOf(content), ...(replyTo !== null && { responde_a: replyTo }) };
  const params = { path: { id: chatId }, header: { "Idempotency-Key": key } };
  try {
    return { kind: "sent", message: await answered(api.POST("/chats/{id}/messages", { params, body })) };
  } catch (error) {
    return outcomeOf(error);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (!(error instanceof Refused)) return { kind: "unreached" };
  if (error.status === 401) {
    queryClient.setQueryData(meKey, null);
    return { kind: "unreached" };
  }
  if (error.code === "answer_not_kept" || error.code === "answer_erased") return { kind: "sent-unseen" };
  const { status, code } = error;
  // The code means that an earlier request with the same key is not answered yet.
  if (status === 408 || status === 429 || code === "request_under_way") return { kind: "unreached" };
  if (status < 500) return { kind: "refused", error };
  // A proxy in front of the service answers without a code while the service is down.
  return { kind: code === undefined ? "unreached" : "trouble" };
}
