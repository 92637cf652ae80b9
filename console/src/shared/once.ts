import { useTranslation } from "react-i18next";
import { Refused } from "./api.ts";
import { newKey } from "./new-key.ts";

/** The error codes if the service answered the request before, but cannot repeat the answer. */
const answersGone: readonly unknown[] = ["answer_not_kept", "answer_erased"];
/** The same errors may come without a code. Their message then starts with these words. */
const answerGone = "This request was answered";
/** The status if an earlier attempt had the same key but other contents. */
const keyIsUsed = 422;
/** The statuses of requests that the service has not looked at. */
const notLookedAt: readonly number[] = [401, 408];
/** In milliseconds: a little less than the 24 hours for which the service remembers a key. */
const keyLifeMs = 23 * 60 * 60 * 1_000;

/** True if the request may have been carried out. Repeating it with the same key shows its outcome. */
export const isOpenAfter = (error: unknown): boolean =>
  !(error instanceof Refused) || error.status < 400 || (error.status >= 500 && !error.isReplay);

/** True if the service has not looked at the request, or still carries out an earlier attempt with the same key. */
const isTooEarly = (error: unknown): boolean =>
  error instanceof Refused && error.status < 500 && (error.isPassing || notLookedAt.includes(error.status));

/** True if the request may have been carried out, but repeating it with the same key cannot show its outcome. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Refused &&
  ((error.status >= 500 && error.isReplay) ||
    error.status === keyIsUsed ||
    answersGone.includes(error.code) ||
    (error.status === 409 && error.message.startsWith(answerGone)));

/**
 * True if no attempt with the request's key was carried out. If the outcome of an earlier attempt is open, only a
 * refusal that the service stored for the key (`isReplay`) proves this.
 *
 * @param isOpen - whether an earlier attempt may have been carried out
 */
export const isUndone = (error: unknown, isOpen: boolean): boolean =>
  error instanceof Refused &&
  !isOpenAfter(error) &&
  !isTooEarly(error) &&
  !isInDoubt(error) &&
  (error.isReplay || !isOpen);

interface Attempt {
  readonly key: string;
  readonly madeAt: number;
  /** Whether an attempt with this key may have been carried out. */
  isOpen: boolean;
}

/** The keys of requests whose outcome is open. They outlive the form, which the user may close and open again. */
const attempts = new Map<string, Attempt>();

function attemptAt(subject: string): Attempt {
  const known = attempts.get(subject);
  if (known && Date.now() - known.madeAt < keyLifeMs) return known;
  const begun = { key: newKey(), madeAt: Date.now(), isOpen: false };
  attempts.set(subject, begun);
  return begun;
}

/**
 * The `Idempotency-Key` of a request that must be carried out once, even if the connection breaks and the user tries
 * again. `done` and `failed` get the key that `begin` returned, so that a late answer to an old request does not remove
 * the key of the next request.
 *
 * @param subject - what the request is about, such as `template 12`; all attempts at it share a key
 */
export const onceFor = (subject: string) => ({
  /** Returns the key of the attempt that begins now. */
  begin: (): string => attemptAt(subject).key,
  /** Call it after a success, so that the next request gets a new key. */
  done: (key: string): void => {
    if (attempts.get(subject)?.key === key) attempts.delete(subject);
  },
  /**
   * Call it after a failure. The next attempt gets a new key if no attempt was carried out (`isUndone`), or if the old
   * key cannot show the outcome (`isInDoubt`). Otherwise the next attempt has the same key.
   */
  failed: (key: string, error: Error): void => {
    const attempt = attempts.get(subject);
    if (attempt?.key !== key) return;
    attempt.isOpen ||= isOpenAfter(error);
    if (isInDoubt(error) || isUndone(error, attempt.isOpen)) attempts.delete(subject);
  },
  /** Call it when the user gives up, so that the next request gets a new key. */
  forget: (): void => void attempts.delete(subject),
});

/** Returns a function that gives a failure's text: “under way”, “may have been carried out”, or else `reason`. */
export function useOutcome(): (error: unknown, reason: string) => string {
  const { t } = useTranslation();
  return (error, reason) => {
    if (error instanceof Refused && error.status === 409 && error.isPassing) return t("once.underWay");
    return isInDoubt(error) ? t("once.inDoubt") : reason;
  };
}
