/** Keeps the platforms' tokens sealed, each for its business: nobody else's opens it. */
export interface TokenVault {
  seal(token: string, businessId: number): Buffer;
  /** Throws when the bytes were changed, or were sealed for another business or under another master secret. */
  open(sealed: Buffer, businessId: number): string;
}
