import { MissingToken, NotShown } from "../domain/failures.ts";
import type { AdAccess, AdCredentials, AdSettings } from "./ports.ts";

/** The business's settings and access for the ad platform. Rejects with `BusinessNotFound` or `MissingToken`. */
export async function accessOf(
  credentials: AdCredentials,
  businessId: number,
): Promise<{ readonly access: AdAccess; readonly settings: AdSettings }> {
  const settings = await credentials.of(businessId);
  if (settings.token === null) throw new MissingToken(`business ${businessId} has no token of the ad platform`);
  return { access: { businessId, token: settings.token }, settings };
}

/** Resolves to `otherwise` if the platform does not show the object to the business. */
export async function shownOr<Result>(asked: Promise<Result>, otherwise: Result): Promise<Result> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof NotShown) return otherwise;
    throw error;
  }
}
