import { idParam, said } from "../shared/search-params.ts";

const newParam = (value: unknown): "new" | undefined => (value === "new" ? value : undefined);

export interface NumbersSearch {
  /** The sender whose form is open. */
  readonly sender?: number | "new";
  /** The sender whose QR code is shown for pairing. */
  readonly pair?: number;
}

export const numbersSearch = ({ sender, pair }: Record<string, unknown>): NumbersSearch =>
  said<NumbersSearch>({ sender: newParam(sender) ?? idParam(sender), pair: idParam(pair) });

export interface KeysSearch {
  /** The key whose dialog is open. */
  readonly key?: number | "new";
}

export const keysSearch = ({ key }: Record<string, unknown>): KeysSearch =>
  said<KeysSearch>({ key: newParam(key) ?? idParam(key) });

export interface WebhooksSearch {
  /** `new` opens the form of a new webhook. An id opens the secret of the webhook that was just created. */
  readonly webhook?: number | "new";
}

export const webhooksSearch = ({ webhook }: Record<string, unknown>): WebhooksSearch =>
  said<WebhooksSearch>({ webhook: newParam(webhook) ?? idParam(webhook) });
