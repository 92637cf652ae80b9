import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import type { TokenVault } from "../../kernel/token-vault.ts";

/** Bytes of randomness in a key or token: 256 bits. */
const tokenBytes = 32;
const cipher = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** A new key or token; the prefix tells people and secret scanners what they found. */
export const newToken = (prefix: string): string => `${prefix}_${randomBytes(tokenBytes).toString("base64url")}`;

/** A new secret by which a receiver knows what we send, as Standard Webhooks spells it. */
export const newSigningSecret = (): string => `whsec_${randomBytes(tokenBytes).toString("base64")}`;

/** An instance of the provider of paired phones, by its name there, as a sender of a business. */
interface InstanceOfSender {
  readonly businessId: number;
  readonly senderId: number;
  readonly platformId: string;
}

/** What the master secret is good for; each use has a key of its own, derived from it (HKDF, RFC 5869). */
export class Secrets implements TokenVault {
  private readonly digestKey: Buffer;
  private readonly sealKey: Buffer;
  private readonly deviceKey: Buffer;
  private readonly numberKey: Buffer;
  private readonly instanceKey: Buffer;
  private readonly instanceNameKey: Buffer;

  /** @param master - at least 32 characters; changing it makes every stored key, session and sealed token void */
  constructor(master: string) {
    const derive = (use: string) => Buffer.from(hkdfSync("sha256", master, "recado", use, 32));
    this.digestKey = derive("token digests");
    this.sealKey = derive("sealed secrets");
    this.deviceKey = derive("known devices");
    this.numberKey = derive("erased numbers");
    this.instanceKey = derive("instance webhooks of senders");
    this.instanceNameKey = derive("instance webhooks");
  }

  /** What is stored of a key or token: 32 bytes that tell nothing without the master secret. */
  digest(token: string): Buffer {
    return createHmac("sha256", this.digestKey).update(token).digest();
  }

  /** By which a phone number is known again without being kept: 32 bytes. */
  digestNumber(phone: string): Buffer {
    return createHmac("sha256", this.numberKey).update(phone).digest();
  }

  /**
   * What the provider of paired phones proves with that it tells of this sender's instance. An instance that gets another
   * name, or that another business has afterwards, has another secret.
   */
  instanceSecret({ businessId, senderId, platformId }: InstanceOfSender): string {
    const whose = JSON.stringify([businessId, senderId, platformId]);
    return createHmac("sha256", this.instanceKey).update(whose).digest("base64url");
  }

  /**
   * The first form of that, made of the name alone. Instances that were paired while it was given out go on proving
   * themselves with it, until a code is asked for again or the sender becomes another one. It is not given out any more.
   */
  instanceNameSecret(platformId: string): string {
    return createHmac("sha256", this.instanceNameKey).update(platformId).digest("base64url");
  }

  /** Proves that what a device shows was written here. */
  signDevice(text: string): string {
    return createHmac("sha256", this.deviceKey).update(text).digest("base64url");
  }

  /** Encrypts; `owner` is bound to the result, so that one business's secret does not open under another's. */
  seal(secret: string, owner: number): Buffer {
    const nonce = randomBytes(nonceBytes);
    const encrypt = createCipheriv(cipher, this.sealKey, nonce).setAAD(ownerBytes(owner));
    const sealed = Buffer.concat([encrypt.update(secret, "utf8"), encrypt.final()]);
    return Buffer.concat([nonce, encrypt.getAuthTag(), sealed]);
  }

  /** Throws when the bytes were changed, belong to another owner or were sealed under another master secret. */
  open(sealed: Buffer, owner: number): string {
    const decrypt = createDecipheriv(cipher, this.sealKey, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
    decrypt.setAAD(ownerBytes(owner)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decrypt.update(sealed.subarray(nonceBytes + tagBytes)), decrypt.final()]).toString("utf8");
  }
}

const ownerBytes = (owner: number) => Buffer.from(String(owner));
