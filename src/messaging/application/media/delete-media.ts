import { MediaNotConfigured, MediaNotFound } from "../../domain/media.ts";
import type { MediaRegister, MediaStorage } from "./ports.ts";
import { removeFile } from "./remove-file.ts";

export interface DeleteMediaCommand {
  readonly businessId: number;
  readonly name: string;
  /** The user who must have uploaded it, or it is one that does not exist; null where anybody's will do. */
  readonly uploadedBy: number | null;
}

export type DeleteMediaFailure = MediaNotFound | MediaNotConfigured;

/** Deletes a file whatever names it: its address answers 404 from then on. */
export class DeleteMedia {
  /** @param onFailure - hears why a file that nobody finds any more could not be removed at once; the sweep will */
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
