import { generateKeyPairSync, randomBytes, sign } from "node:crypto";

/** Years for which a certificate is good: as long as anybody leaves a demo running. */
const years = 2;

/** A new certificate for this machine alone, signed by itself: browsers and curl have to be told to take it. */
export function selfSigned(now = new Date()): { readonly key: string; readonly cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const until = new Date(now);
  until.setUTCFullYear(until.getUTCFullYear() + years);
  const details = sequence(
    element(0xa0, element(0x02, [2])),
    element(0x02, [1, ...randomBytes(8)]),
    ecdsaWithSha256,
    localhost,
    sequence(time(now), time(until)),
    localhost,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, sequence(sequence(objectId(0x55, 0x1d, 0x11), element(0x04, names)))),
  );
  const signature = element(0x03, [0], sign("sha256", details, privateKey));
  const der = sequence(details, ecdsaWithSha256, signature).toString("base64");
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${der.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`,
  };
}

/** DER (X.690): a tag, the length of what follows, and that. */
function element(tag: number, ...parts: (Uint8Array | readonly number[])[]): Buffer {
  const content = Buffer.concat(parts.map((part) => Uint8Array.from(part)));
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Uint8Array.from([tag, ...size]), content]);
}

const sequence = (...parts: readonly Buffer[]): Buffer => element(0x30, ...parts);
const objectId = (...bytes: readonly number[]): Buffer => element(0x06, bytes);
const time = (at: Date): Buffer =>
  element(
    0x17,
    Buffer.from(
      `${at
        .toISOString()
        .replaceAll(/[-:T]|\..*/g, "")
        .slice(2)}Z`,
    ),
  );

const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
const commonName = sequence(objectId(0x55, 0x04, 0x03), element(0x0c, Buffer.from("localhost")));
const localhost = sequence(element(0x31, commonName));
/** localhost and 127.0.0.1. */
const names = sequence(element(0x82, Buffer.from("localhost")), element(0x87, [127, 0, 0, 1]));
