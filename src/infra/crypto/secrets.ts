import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { TokenVault } from "../../kernel/token-vault.ts";

const tokenBytes = 32;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A new key or token. The prefix helps people and secret scanners to recognize it. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(tokenBytes).toString("base64url")}`;

/** A new secret for signing webhooks, in the format of Standard Webhooks. */
export const newSigningSecret = (): string => `whsec_${randomBytes(tokenBytes).toString("base64")}`;

/** A paired phone's instance at the QR provider. */
interface InstanceOfSender {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

/** Derives a key for each use from the master secret (HKDF, RFC 5869). */
export class Secrets implements TokenVault {
  private readonly digestKey: Buffer;
  private readonly sealKey: Buffer;
  private readonly deviceKey: Buffer;
  private readonly numberKey: Buffer;
  private readonly instanceKey: Buffer;
  private readonly instanceNameKey: Buffer;

  /** @param master - at least 32 characters. Changing it invalidates all keys, sessions and sealed tokens. */
  constructor(master: string) {
    const derive = (use: string) => Buffer.from(hkdfSync("sha256", master, "recado", use, 32));
    this.digestKey = derive("token digests");
    this.sealKey = derive("sealed secrets");
    this.deviceKey = derive("known devices");
    this.numberKey = derive("erased numbers");
    this.instanceKey = derive("instance webhooks of senders");
    this.instanceNameKey = derive("instance webhooks");
  }

  /** The stored form of a key or token. It reveals nothing without the master secret. */
  digest(token: string): Buffer {
    return createHmac("sha256", this.digestKey).update(token).digest();
  }

  digestNumber(phone: string): Buffer {
    return createHmac("sha256", this.numberKey).update(phone).digest();
  }

  /** Authenticates the QR provider's webhooks for one instance of one sender. */
  instanceSecret({ businessId, senderId, platformId }: InstanceOfSender): string {
    const whose = JSON.stringify([businessId, senderId, platformId]);
    return createHmac("sha256", this.instanceKey).update(whose).digest("base64url");
  }

  /**
   * The older form of `instanceSecret`, derived from the instance's name (`platformId`) alone. It is no longer given
   * out, but instances that were paired with it keep using it until they are paired again.
   */
  instanceNameSecret(platformId: string): string {
    return createHmac("sha256", this.instanceNameKey).update(platformId).digest("base64url");
  }

  signDevice(text: string): string {
    return createHmac("sha256", this.deviceKey).update(text).digest("base64url");
  }

  /** Encrypts the secret for one business; it cannot be opened for another. */
  seal(secret: string, owner: number): Buffer {
    const nonce = randomBytes(nonceBytes);
    const encrypt = createCipheriv(cipher, this.sealKey, nonce).setAAD(ownerBytes(owner));
    const sealed = Buffer.concat([encrypt.update(secret, "utf8"), encrypt.final()]);
    return Buffer.concat([nonce, encrypt.getAuthTag(), sealed]);
  }

  /** Throws if the bytes were changed, or sealed for another business or with another master secret. */
  open(sealed: Buffer, owner: number): string {
    const decrypt = createDecipheriv(cipher, this.sealKey, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decrypt.setAAD(ownerBytes(owner)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decrypt.update(sealed.subarray(nonceBytes + tagBytes)), decrypt.final()]).toString("utf8");
  }
}

const ownerBytes = (owner: number) => Buffer.from(String(owner));
