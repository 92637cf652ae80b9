import { DomainError } from "../../kernel/errors.ts";

export class UserNotFound extends DomainError<"user_not_found"> {
  readonly code = "user_not_found";
}

export class TemplateNotFound extends DomainError<"template_not_found"> {
  readonly code = "template_not_found";
}

/** The chat that the message would go to is assigned to another user. */
export class ChatOfAnother extends DomainError<"chat_of_another"> {
  readonly code = "chat_of_another";
}

/** The platform has not approved the template in the language that would be sent. */
export class NotApproved extends DomainError<"not_approved"> {
  readonly code = "not_approved";
}

/** The business has reached its monthly limit of templates. */
export class LimitReached extends DomainError<"limit_reached"> {
  readonly code = "limit_reached";
}

/** The business has no number at the messaging platform. */
export class NoSender extends DomainError<"no_sender"> {
  readonly code = "no_sender";
}

/** The sender already belongs to another business. */
export class SenderOfAnotherBusiness extends DomainError<"sender_taken"> {
  readonly code = "sender_taken";
}

/** Media was given for a template whose header takes none. */
export class NoMediaHeader extends DomainError<"no_media_header"> {
  readonly code = "no_media_header";
}

export class MediaNotAccessible extends DomainError<"media_not_accessible"> {
  readonly code = "media_not_accessible";
  /** @param status - the answer of the file's host; null if there was none */
  constructor(readonly status: number | null) {
    super(`media answered ${status ?? "nothing"}`);
  }
}

/** The platform refused the message: it was not sent. */
export class SendRefused extends DomainError<"send_refused"> {
  readonly code = "send_refused";
}

/** Whether the message was sent is not known; its delivery status will show it. */
export class SendUncertain extends DomainError<"send_uncertain"> {
  readonly code = "send_uncertain";
}

/** The platform could not be reached: the message was not sent. */
export class PlatformUnreachable extends DomainError<"platform_unreachable"> {
  readonly code = "platform_unreachable";
}
