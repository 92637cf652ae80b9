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
  private readonly keys;

  /** @param master - at least 32 characters. Changing it invalidates all keys, sessions and sealed tokens. */
  constructor(master: string) {
    const derive = (use: string) => Buffer.from(hkdfSync("sha256", master, "recado", use, 32));
    this.keys = {
      digest: derive("token digests"),
      seal: derive("sealed secrets"),
      device: derive("known devices"),
      number: derive("erased numbers"),
      instance: derive("instance webhooks of senders"),
      instanceName: derive("instance webhooks"),
    };
  }

  /** The stored form of a key or token. It reveals nothing without the master secret. */
  readonly digest = (token: string): Buffer => createHmac("sha256", this.keys.digest).update(token).digest();

  /** The stored form of an erased contact's number or platform id. It serves to recognize the contact later. */
  readonly digestNumber = (phone: string): Buffer => createHmac("sha256", this.keys.number).update(phone).digest();

  readonly signDevice = (text: string): string =>
    createHmac("sha256", this.keys.device).update(text).digest("base64url");

  /** Authenticates the QR provider's webhooks for one instance of one sender. */
  instanceSecret({ businessId, senderId, platformId }: InstanceOfSender): string {
    const whose = JSON.stringify([businessId, senderId, platformId]);
    return createHmac("sha256", this.keys.instance).update(whose).digest("base64url");
  }

  /**
   * The older form of `instanceSecret`, derived from the instance's name (`platformId`) alone. It is no longer given
   * out, but instances that were paired with it keep using it until they are paired again.
   */
  instanceNameSecret(platformId: string): string {
    return createHmac("sha256", this.keys.instanceName).update(platformId).digest("base64url");
  }

  /** Encrypts a secret for one business. The result cannot be opened for another business. */
  seal(secret: string, owner: number): Buffer {
    const nonce = randomBytes(nonceBytes);
    const encrypt = createCipheriv(cipher, this.keys.seal, nonce).setAAD(ownerBytes(owner));
    const sealed = Buffer.concat([encrypt.update(secret, "utf8"), encrypt.final()]);
    return Buffer.concat([nonce, encrypt.getAuthTag(), sealed]);
  }

  /** Throws if the bytes were changed, or sealed for another business or with another master secret. */
  open(sealed: Buffer, owner: number): string {
    const decrypt = createDecipheriv(cipher, this.keys.seal, sealed.subarray(0, nonceBytes), {
      authTagLength: tagBytes,
    });
    decrypt.setAAD(ownerBytes(owner)).setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
    return Buffer.concat([decrypt.update(sealed.subarray(nonceBytes + tagBytes)), decrypt.final()]).toString("utf8");
  }
}

const ownerBytes = (owner: number) => Buffer.from(String(owner));
