type Told = readonly [begins: RegExp, sentence: string];

/** The beginnings of the service's own reasons for not sending a message, each with its sentence for people. */
const ownReasons: readonly Told[] = [
  [/^the business has no sender /, "El negocio no tiene con qué enviar por este canal"],
  [/^the contact opted out$/, "El contacto no quiere recibir promociones"],
  [/^the contact has no phone number$/, "El contacto no tiene número de teléfono"],
  [
    /^(no connection within |connection failed: |it could not be handed |no URL is configured |too many requests under way|the client is closed|invalid request: )/,
    "El mensaje no salió: no hubo conexión con la plataforma",
  ],
];

/** This service's reasons on the channel of paired phones. Unlike `ownReasons`, these reasons have a code. */
const ofPairedPhones: readonly Told[] = [
  [/^the provider tells no reason$/, "El proveedor no dice por qué falló"],
  [/^the number does not exist on this channel$/, "El número no existe en este canal"],
  [/^the phone is not connected$/, "El teléfono no está conectado"],
  [/^bad request: /, "La plataforma rechazó el mensaje: "],
];

const notKnown = "No se sabe si el mensaje llegó: la plataforma no confirmó el envío";

/**
 * Why a message failed, for people. A platform's refusal keeps the platform's words. The service's own reasons are
 * translated into Spanish.
 */
export function sendReason(state: string, code: number | null, reason: string | null): string | null {
  if (reason === null) return null;
  if (code === null && state === "unknown") return notKnown;
  const [begins, sentence] = (code === null ? ownReasons : ofPairedPhones).find(([each]) => each.test(reason)) ?? [];
  if (begins === undefined || sentence === undefined) return reason;
  return sentence.endsWith(": ") ? reason.replace(begins, sentence) : sentence;
}
