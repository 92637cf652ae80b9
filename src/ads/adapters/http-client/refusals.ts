import { type Fields, fields } from "../../../infra/http-client/json.ts";

/** What the platform's error means for the request. */
type RefusalKind = "rate" | "less-data" | "not-shown" | "wrong-cursor" | "passing" | "token" | "final";

export interface Refusal {
  readonly kind: RefusalKind;
  /** Code, subcode and HTTP status. The platform's text is not kept, because it may quote the token. */
  readonly reason: string;
}

/** Codes for reached limits: of the app, the user, the account, or a use case. */
const rateCodes = new Set([4, 17, 32, 613, ...Array.from({ length: 15 }, (_, n) => 80_000 + n)]);
/** Codes for a token that is missing, no longer valid, or malformed. */
const tokenCodes = new Set([102, 190, 2500]);
const temporaryCodes = new Set([1, 2]);

/**
 * Matches the error about an object that cannot have ad sets, such as an ad. Wrong parameters give the same code, so
 * only the text tells the two errors apart. The same error about a campaign, which can have ad sets, does not match.
 */
const hasNoAdSets = /nonexisting field \(adsets\) on node type \((?!Campaign\)|AdCampaignGroup\))/;

/** The error in the platform's JSON; undefined if there is none. */
export function refusalIn({ error }: Fields, status: number): Refusal | undefined {
  const { code, error_subcode: subcode, message } = fields(error);
  if (typeof code !== "number") return undefined;
  const text = typeof message === "string" ? message : "";
  const reason = `code ${code}${typeof subcode === "number" ? `/${subcode}` : ""}, HTTP ${status}`;
  return { kind: kindOf(code, subcode, text, status), reason };
}

function kindOf(code: number, subcode: unknown, message: string, status: number): RefusalKind {
  if (rateCodes.has(code)) return "rate";
  if (/reduce the amount of data/i.test(message) || (code === 100 && subcode === 1504018)) return "less-data";
  // A missing permission (10, 200) must not be `not-shown`, or callers would get an empty list although objects exist.
  if (code === 803 || (code === 100 && subcode === 33)) return "not-shown";
  if (code === 100 && hasNoAdSets.test(message)) return "not-shown";
  if (code === 100 && /cursor/i.test(message)) return "wrong-cursor";
  if (tokenCodes.has(code)) return "token";
  if (temporaryCodes.has(code)) return "passing";
  return status === 429 ? "rate" : "final";
}
