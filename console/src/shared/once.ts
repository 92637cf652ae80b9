import { useTranslation } from "react-i18next";
import { Refused } from "./api.ts";
import { newKey } from "./new-key.ts";

/** The request was carried out, but the service no longer has its answer. */
const answersGone: readonly unknown[] = ["answer_not_kept", "answer_erased"];
/** Endpoints whose errors have no code answer such a request with a message that starts with these words. */
const answerGone = "This request was answered";
/** An earlier attempt had the same key and other contents. */
const keyIsUsed = 422;
/** The statuses of requests that the service has not looked at. */
const notLookedAt: readonly number[] = [401, 408];
/** Milliseconds, less than the day for which the service remembers keys. */
const keyLifeMs = 23 * 60 * 60 * 1_000;

/** True if it is unknown whether the request was carried out. Repeating it with the same key gives the answer. */
export const isOpenAfter = (error: unknown): boolean =>
  !(error instanceof Refused) || error.status < 400 || (error.status >= 500 && !error.isReplay);

/** True if the same attempt can simply be repeated: the service has not looked at it, or is still carrying it out. */
const isTooEarly = (error: unknown): boolean =>
  error instanceof Refused && error.status < 500 && (error.isPassing || notLookedAt.includes(error.status));

/** True if the request may have been carried out, and repeating it with the same key would not show whether it was. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Refused &&
  ((error.status >= 500 && error.isReplay) ||
    error.status === keyIsUsed ||
    answersGone.includes(error.code) ||
    (error.status === 409 && error.message.startsWith(answerGone)));

/**
 * True if no attempt with the request's key was carried out. The refusal of a later attempt says nothing about an
 * earlier attempt, unless the refusal is the stored answer to the key.
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
 * again. `done` and `failed` get the key that `begin` returned: a late answer to the request of a closed form says
 * nothing about the next request.
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
   * Call it after a failure. The next attempt keeps the key while the same key may still tell the outcome, or if this
   * attempt came too early. Otherwise it gets a new key.
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

/** Returns the text of a failure: that the request is under way, that it may have been carried out, or `reason`. */
export function useOutcome(): (error: unknown, reason: string) => string {
  const { t } = useTranslation();
  return (error, reason) => {
    if (error instanceof Refused && error.status === 409 && error.isPassing) return t("once.underWay");
    return isInDoubt(error) ? t("once.inDoubt") : reason;
  };
}
