/** Structured log lines. Fields never hold tokens, keys, phone numbers or message texts. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
