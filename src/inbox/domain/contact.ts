import { isNumbered } from "../../kernel/channels.ts";
import { domainError } from "../../kernel/errors.ts";

/** The most custom fields of one contact. */
export const mostFields = 50;
/** The most custom-field columns of one export or import. More than `mostFields`, because contacts' fields differ. */
export const mostFieldColumns = 500;
/** In characters, like `longestFieldText` and `longestName`. */
export const longestFieldName = 100;
export const longestFieldText = 1_000;
export const longestName = 200;
/** Digits of the shortest national number without its country code, and of the longest E.164 number. */
export const shortestPhone = 7;
export const longestPhone = 15;
export const mostTags = 100;

/** @param phone - digits */
export const isPhoneNumber = (phone: string): boolean => phone.length >= shortestPhone && phone.length <= longestPhone;

/** An erasure keeps a digest of this text. With the prefix, a channel's id cannot be confused with a phone number. */
export const erasedNameOf = (channel: string, customer: string): string =>
  isNumbered(channel) ? customer : `${channel}:${customer}`;

/** The contact does not exist or was erased. */
export class ContactNotFound extends domainError("contact_not_found") {}

/** The contact changed after the caller read it. */
export class ContactMovedOn extends domainError("moved_on") {}

export class TagNotFound extends domainError("tag_not_found") {}

/** Another contact of the business has the number. */
export class NumberTaken extends domainError("number_taken") {}

/** The text has too few or too many digits for a telephone number. */
export class WrongNumber extends domainError("wrong_number") {}

/** A contact that is known only by its id on a channel without numbers cannot get a number. */
export class HasNoNumber extends domainError("has_no_number") {}

/** The file of refused rows does not exist or has expired. */
export class RefusedRowsNotFound extends domainError("file_not_found") {}
