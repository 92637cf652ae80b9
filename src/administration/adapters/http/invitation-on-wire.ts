import { named, objectWith, text, timestamp } from "../../../infra/http/routing/schema.ts";
import type { Invitation } from "../../application/user-access.ts";

export const invitationSchema = named("Invitation", objectWith({ token: text, expires_at: timestamp }));

export const invitationToWire = ({ token, expiresAt }: Invitation) => ({ token, expires_at: expiresAt.toISOString() });
