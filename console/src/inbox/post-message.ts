import { answered, api, type Message, type paths, Refused } from "../shared/api.ts";
import { meKey, queryClient } from "../shared/query.ts";
import type { Outgoing, OutgoingContent } from "./outgoing.ts";

export type Outcome =
  | { readonly kind: "sent"; readonly message: Message }
  /** An earlier request sent the message, and the service no longer has the answer to that request. */
  | { readonly kind: "sent-unseen" }
  | { readonly kind: "refused"; readonly error: Refused }
  /**
   * The service was not reached or is too busy, an earlier request is still under way, or the session is over. The
   * message is sent again with the same key.
   */
  | { readonly kind: "unreached" }
  /** The service failed. The failure may pass, so the message is sent again with the same key. */
  | { readonly kind: "trouble" }
  /** The service only repeats an earlier failure for this key. The message may have been sent. */
  | { readonly kind: "doubt" };

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
  // `request_under_way`: an earlier request with the same key is not answered yet.
  if (status === 408 || status === 429 || code === "request_under_way") return { kind: "unreached" };
  if (status < 500) return { kind: "refused", error };
  if (error.isReplay) return { kind: "doubt" };
  // While the service is down, a proxy in front of it answers without a code.
  return { kind: code === undefined ? "unreached" : "trouble" };
}
