/** Where clients of the Pusher-protocol host hear the orders of a business. */
export const pusherChannelOf = (businessId: number): string => `private-empresa-${businessId}`;

/** Of a text field that has to be cut. */
const longestText = 200;

/**
 * The same event for a host that takes no more than `limit` bytes: where it is larger, without its order's details,
 * and if need be with its texts cut; `truncado` says so.
 */
export function fitting(payload: object, limit: number): string {
  const whole = JSON.stringify(payload);
  if (Buffer.byteLength(whole) <= limit) return whole;
  const short = JSON.stringify({ ...payload, truncado: true }, withoutDetails);
  return Buffer.byteLength(short) <= limit ? short : JSON.stringify(JSON.parse(short), withShortTexts);
}

const withoutDetails = (name: string, value: unknown): unknown => (name === "details" ? undefined : value);

const withShortTexts = (_name: string, value: unknown): unknown =>
  typeof value === "string" ? value.slice(0, longestText) : value;
