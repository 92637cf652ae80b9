import { isNumbered } from "../../kernel/channels.ts";
import { DomainError } from "../../kernel/errors.ts";

/** Custom fields of a contact, at most. */
export const mostFields = 50;
/** Custom fields of all contacts together that an export has columns for, and an import takes. */
export const mostFieldColumns = 500;
/** Characters. */
export const longestFieldName = 100;
export const longestFieldText = 1_000;
export const longestName = 200;
/** Digits of a number with its country code (E.164), with some that are written without it. */
export const shortestPhone = 7;
export const longestPhone = 15;
export const mostTags = 100;

/** @param phone - digits */
export const isPhoneNumber = (phone: string): boolean => phone.length >= shortestPhone && phone.length <= longestPhone;

/**
 * What an erasure keeps a digest of: the number, or the customer's id with the channel that it is of. No number looks like
 * the latter.
 */
export const erasedNameOf = (channel: string, customer: string): string =>
  isNumbered(channel) ? customer : `${channel}:${customer}`;

/** No such contact, or one that was erased. */
export class ContactNotFound extends DomainError<"contact_not_found"> {
  readonly code = "contact_not_found";
}

/** Somebody changed the contact since the caller read it. */
export class ContactMovedOn extends DomainError<"moved_on"> {
  readonly code = "moved_on";
}

export class TagNotFound extends DomainError<"tag_not_found"> {
  readonly code = "tag_not_found";
}

/** Another contact of the business has the number. */
export class NumberTaken extends DomainError<"number_taken"> {
  readonly code = "number_taken";
}

/** No telephone has such a number. */
export class WrongNumber extends DomainError<"wrong_number"> {
  readonly code = "wrong_number";
}

/** The contact is known by the id of a channel without numbers, and to that channel alone. */
export class HasNoNumber extends DomainError<"has_no_number"> {
  readonly code = "has_no_number";
}

/** No such file of refused rows, or its time is over. */
export class RefusedRowsNotFound extends DomainError<"file_not_found"> {
  readonly code = "file_not_found";
}
