/** Encrypts the platforms' tokens. A token sealed for one business cannot be opened for another. */
export interface TokenVault {
  seal(token: string, businessId: number): Buffer;
  /** Throws if the bytes were changed, or were sealed for another business or with another master secret. */
  open(sealed: Buffer, businessId: number): string;
}
