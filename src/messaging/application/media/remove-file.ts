import type { MediaRegister, MediaStorage } from "./ports.ts";

/**
 * Deletes a file. The content goes first: while the register has the file, the sweep can try again.
 *
 * @param onFailure - called if it could not be deleted
 * @returns true if it was deleted
 */
export async function removeFile(
  { storage, register }: { readonly storage: MediaStorage; readonly register: Pick<MediaRegister, "forget"> },
  { businessId, name }: { readonly businessId: number; readonly name: string },
  onFailure: (error: unknown) => void,
): Promise<boolean> {
  try {
    await storage.remove(name);
    await register.forget(businessId, name);
    return true;
  } catch (error) {
    onFailure(error);
    return false;
  }
}
