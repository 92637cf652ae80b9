import { Readable } from "node:stream";
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  S3Client,
  S3ServiceException,
} from "@aws-sdk/client-s3";
import { Upload } from "@aws-sdk/lib-storage";
import type { Bytes, MediaStorage } from "../../application/media/ports.ts";
import type { ByteRange } from "../../domain/media.ts";

interface S3Settings {
  readonly bucket: string;
  readonly region: string;
  /** The URL of an S3-compatible store; absent for Amazon's S3. */
  readonly endpoint?: string | undefined;
}

/** The longest waits, in milliseconds: for a connection, for the start of an answer, and for the next byte. */
const timeouts = {
  connectionTimeout: 5_000,
  requestTimeout: 20_000,
  socketTimeout: 20_000,
  throwOnRequestTimeout: true,
};
/** The smallest part that S3 accepts. Small parts keep the memory of an upload low. */
const partBytes = 5 * 1024 * 1024;

/**
 * Stores files as objects in a bucket. The SDK takes credentials from the environment, a profile or the machine's
 * role.
 */
export class S3Storage implements MediaStorage {
  private readonly client: S3Client;

  constructor(private readonly settings: S3Settings) {
    const { region, endpoint } = settings;
    this.client = new S3Client({
      region,
      // Other stores get the bucket's name in the path: with the name in the host, each bucket would need a DNS entry.
      ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
      requestHandler: timeouts,
      // Some stores other than Amazon's do not support the newer checksums.
      requestChecksumCalculation: "WHEN_REQUIRED",
      responseChecksumValidation: "WHEN_REQUIRED",
    });
  }

  async write(name: string, type: string, content: Bytes): Promise<void> {
    const upload = new Upload({
      client: this.client,
      params: { ...this.object(name), ContentType: type, Body: Readable.from(content) },
      partSize: partBytes,
      queueSize: 1,
      leavePartsOnError: false,
    });
    await upload.done();
  }

  async has(name: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand(this.object(name)));
      return true;
    } catch (error) {
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 404) return false;
      throw error;
    }
  }

  async *read(name: string, range: ByteRange | null): AsyncGenerator<Uint8Array> {
    const bytes = range ? { Range: `bytes=${range.from}-${range.to}` } : {};
    const { Body } = await this.client.send(new GetObjectCommand({ ...this.object(name), ...bytes }));
    if (Body instanceof Readable) yield* Body;
  }

  async remove(name: string): Promise<void> {
    const { bucket } = this.settings;
    const listed = await this.client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: name }));
    for (const { Key, UploadId } of listed.Uploads ?? []) {
      if (Key === name) await this.client.send(new AbortMultipartUploadCommand({ ...this.object(name), UploadId }));
    }
    await this.client.send(new DeleteObjectCommand(this.object(name)));
  }

  close(): void {
    this.client.destroy();
  }

  private object(name: string): { Bucket: string; Key: string } {
    return { Bucket: this.settings.bucket, Key: name };
  }
}
