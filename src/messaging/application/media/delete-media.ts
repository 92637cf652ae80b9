import { MediaNotConfigured, MediaNotFound } from "../../domain/media.ts";
import type { MediaRegister, MediaStorage } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

interface DeleteMediaCommand {
  readonly businessId: number;
  readonly name: string;
  /** Only a file that this user uploaded is deleted; null allows every file of the business. */
  readonly uploadedBy: number | null;
}

export type DeleteMediaFailure = MediaNotFound | MediaNotConfigured;

/** Deletes a file even if records still refer to it: its URL then answers 404. */
export class DeleteMedia {
  /** @param onFailure - called if the withdrawn file could not be removed now; the sweep removes it later */
  constructor(
    private readonly storage: MediaStorage | null,
    private readonly register: MediaRegister,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  async execute({ businessId, name, uploadedBy }: DeleteMediaCommand): Promise<void> {
    const { storage, register } = this;
    if (!storage) throw new MediaNotConfigured("no place for media");
    if (!(await register.withdraw(businessId, name, uploadedBy))) throw new MediaNotFound(name);
    await removeFile({ storage, register }, { businessId, name }, this.onFailure);
  }
}
