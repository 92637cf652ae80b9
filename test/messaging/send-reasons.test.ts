import { expect } from "chai";
import { sendReason } from "../../src/messaging/adapters/wire/send-reasons.ts";

describe("the reason why a message failed", () => {
  const reasons: [state: string, code: number | null, stored: string | null, told: string | null][] = [
    ["failed", null, null, null],
    ["failed", null, "the contact opted out", "El contacto no quiere recibir promociones"],
    ["skipped", null, "the contact has no phone number", "El contacto no tiene número de teléfono"],
    ["failed", null, "the business has no sender on qr", "El negocio no tiene con qué enviar por este canal"],
    ["failed", null, "no connection within 30 ms", "El mensaje no salió: no hubo conexión con la plataforma"],
    [
      "unknown",
      null,
      "HTTP 500 that proves nothing",
      "No se sabe si el mensaje llegó: la plataforma no confirmó el envío",
    ],
    ["failed", 0, "the provider tells no reason", "El proveedor no dice por qué falló"],
    ["failed", 400, "the number does not exist on this channel", "El número no existe en este canal"],
    ["failed", 500, "the phone is not connected", "El teléfono no está conectado"],
    ["failed", 400, "bad request: text is too long", "La plataforma rechazó el mensaje: text is too long"],
  ];
  for (const [state, code, stored, told] of reasons) {
    it(`is translated for the API: ${stored}`, () => {
      expect(sendReason(state, code, stored)).to.equal(told);
    });
  }

  it("keeps the text of a platform", () => {
    expect(sendReason("failed", 131_026, "Message undeliverable")).to.equal("Message undeliverable");
  });
});
