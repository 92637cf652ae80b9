import { optionalUrl, requiredName, requiredText } from "../../adapters/http/fields.ts";
import type { RecordOnWire } from "../../adapters/http/record-on-wire.ts";
import type { QuickReply } from "./record.ts";

export const quickRepliesOnWire: RecordOnWire<QuickReply> = {
  path: "quick-replies",
  entity: "quick-reply",
  one: "QuickReply",
  many: "QuickReplies",
  matching: { by: ["name"] },
  chosenBy: ["name", "text", "mediaUrl"],
  fields: {
    name: requiredName("nombre"),
    text: requiredText("texto", 4_096),
    mediaUrl: optionalUrl("media_url"),
  },
  rules: [
    "`texto` may hold `{{contacto.nombre}}`, `{{contacto.numero}}`, `{{contacto.<campo>}}`, `{{agente.nombre}}` and " +
      "`{{negocio.nombre}}`. They are filled in when the reply is sent; an unknown value becomes an empty text.",
  ],
};
