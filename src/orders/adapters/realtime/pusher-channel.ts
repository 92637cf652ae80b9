/** The channel for a business's orders at the Pusher-protocol host. */
export const pusherChannelOf = (businessId: number): string => `private-empresa-${businessId}`;

/** In characters. */
const longestText = 200;

/**
 * The payload as JSON. If it has more than `limit` bytes, it gets `truncado: true` and loses its `details`. If it is
 * still too large, long texts lose their ends, too.
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
