import type { MediaRegister, MediaStorage } from "./ports.ts";

/**
 * Removes a file for good. The content goes first: as long as the register has the file, the sweep can try again.
 *
 * @param onFailure - called if it could not be removed
 * @returns whether it was removed
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
