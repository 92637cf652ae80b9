import type { MediaRegister, MediaStorage } from "./ports.ts";

/**
 * Removes a file for good, the file itself first: what is in the register can be removed later.
 *
 * @param onFailure - hears why it could not be removed
 * @returns whether it is gone
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
