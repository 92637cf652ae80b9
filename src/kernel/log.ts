/** Structured log lines. Fields must not hold tokens, keys, phone numbers or message texts. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
