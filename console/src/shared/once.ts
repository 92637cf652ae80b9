import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Refused } from "./api.ts";
import { newKey } from "./new-key.ts";

/** The request was carried out, but the service no longer has its answer. */
const answersGone: readonly unknown[] = ["answer_not_kept", "answer_erased"];
/** An earlier attempt had the same key and other contents. */
const keyIsUsed = 422;
/** The statuses of requests that the service has not looked at. */
const notLookedAt: readonly number[] = [401, 408];

/**
 * True if a request with the same key can still tell whether this one was carried out. A new key could carry it out
 * twice.
 */
function canStillTell(error: unknown): boolean {
  if (!(error instanceof Refused)) return true;
  const { status, isReplay, isPassing } = error;
  return status >= 500 ? !isReplay : isPassing || notLookedAt.includes(status);
}

/** True if the request may have been carried out, and its key cannot tell. */
export const isInDoubt = (error: unknown): boolean =>
  error instanceof Refused &&
  ((error.status >= 500 && error.isReplay) || error.status === keyIsUsed || answersGone.includes(error.code));

/** True if the request was not carried out. */
export const isUndone = (error: unknown): boolean => !canStillTell(error) && !isInDoubt(error);

interface Once {
  /** The `Idempotency-Key` of the next attempt. */
  readonly key: string;
  /** Call it after a success: the next request is another one. */
  readonly renew: () => void;
  /** Call it after a failure. The next attempt gets a new key only if this one's key cannot tell more. */
  readonly failed: (error: Error) => void;
}

/** Keys for a request that must be carried out once, even if the connection breaks and the user tries again. */
export function useOnce(): Once {
  const [key, setKey] = useState(newKey);
  const renew = (): void => setKey(newKey());
  return { key, renew, failed: (error) => canStillTell(error) || renew() };
}

/** Adds to the reason of a failure that the request may have been carried out. */
export function useDoubt(): (error: unknown, reason: string) => string {
  const { t } = useTranslation();
  return (error, reason) => {
    if (!isInDoubt(error)) return reason;
    return error instanceof Refused && error.status < 500 ? t("inDoubt") : `${reason} ${t("inDoubt")}`;
  };
}
