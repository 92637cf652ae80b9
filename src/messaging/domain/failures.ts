import { domainError } from "../../kernel/errors.ts";

export class UserNotFound extends domainError("user_not_found") {}
export class TemplateNotFound extends domainError("template_not_found") {}

/** The chat that the message would go to is assigned to another user. */
export class ChatOfAnother extends domainError("chat_of_another") {}

/** The platform has not approved the template in the language that would be sent. */
export class NotApproved extends domainError("not_approved") {}

/** The business has reached its monthly limit of sent templates. */
export class LimitReached extends domainError("limit_reached") {}

/** The business has no sender on the channel that the request needs. */
export class NoSender extends domainError("no_sender") {
  override readonly mayRepeat = true;
}

/** The sender already belongs to another business. */
export class SenderOfAnotherBusiness extends domainError("sender_taken") {}

/** Media was given for a template whose header takes none. */
export class NoMediaHeader extends domainError("no_media_header") {}

export class MediaNotAccessible extends domainError("media_not_accessible") {
  /** @param status - the answer of the file's host; null if there was none */
  constructor(readonly status: number | null) {
    super(`media answered ${status ?? "nothing"}`);
  }
}

/** The message was not sent: the platform refused it, or a check before the send did. */
export class SendRefused extends domainError("send_refused") {}

/** The message may have been sent. A later delivery status may show whether it was. */
export class SendUncertain extends domainError("send_uncertain") {}

/** The platform could not be reached: the message was not sent. */
export class PlatformUnreachable extends domainError("platform_unreachable") {
  override readonly mayRepeat = true;
}
