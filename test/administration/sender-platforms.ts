import type { ChatChannelName } from "../../src/kernel/channels.ts";
import type { World } from "../support/world.ts";

type Body = Readonly<Record<string, unknown>>;

/** Adds the sender that the body describes to its sandbox platform. */
export async function knowSender(world: World, body: Body): Promise<void> {
  const [platformId, accountId, phone, token] = [body.platform_id, body.account_id, body.phone, body.token];
  switch (body.provider) {
    case "platform-apicloud": {
      const number = { phoneNumberId: platformId, accountId, displayPhoneNumber: `+${phone}`, token, templates: [] };
      return world.control("POST", "/accounts", number);
    }
    case "platform-page":
    case "platform-photo":
      return world.control("POST", "/pages", { pageId: platformId, token, channel: body.provider });
    case "qr":
      return world.control("POST", "/qr-instances", { instance: platformId, apiKey: token, connected: false });
    case "provider-b":
      return world.control("POST", "/provider-b", { accountId: platformId, token, phone });
    default:
      throw new Error(`no sample platform for ${body.provider}`);
  }
}

/** By provider: a valid body. Each `n` describes another sender. */
export const senderBodies: Readonly<Record<ChatChannelName, (n: number) => Body>> = {
  "platform-apicloud": (n) => ({ ...common(n), platform_id: `número-${n}`, account_id: `cuenta-${n}` }),
  "platform-page": (n) => ({ ...common(n), platform_id: `página-${n}`, account_id: `negocio-${n}` }),
  "platform-photo": (n) => ({ ...common(n), platform_id: `fotos-${n}`, account_id: "" }),
  qr: (n) => ({ ...common(n), platform_id: `tienda ${n}`, account_id: "" }),
  "provider-b": (n) => ({ ...common(n), platform_id: `AC${n}`, account_id: `AC${n}` }),
};

const common = (n: number) => ({
  name: `Número ${n}`,
  phone: `5917${String(n).padStart(7, "0")}`,
  messages_per_second: (n % 100) + 1,
  token: `secreto-${n}`,
});
