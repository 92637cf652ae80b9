import { expect } from "chai";
import { chatLine, endedLine, goneLine, typingLine, viewingLine } from "../../src/demo/inbox-line.ts";
import { orderLine } from "../../src/demo/order-line.ts";

describe("make watch", () => {
  it("prints an order's event on one line", () => {
    const card = {
      seq: 7,
      id: 223,
      version: 2,
      status: 8,
      shipment_method: "pickup",
      payment_method: null,
      paid: null,
      cancel_reason: null,
      total: 46.2,
      chat: { contacto: { nombre: "Ana" } },
      details: [{ quantity: 2, articulo: { name: "Saice" }, extras: [{ extra: { name: "Llajua" } }] }],
    };
    expect(orderLine(card)).to.equal(
      "order 223 v2, pending, pickup, not paid, total 46.20 | Ana | 2 x Saice + Llajua | event 7",
    );
    expect(orderLine({ ...card, details: [], chat: null, status: 5, cancel_reason: "Sin stock" })).to.equal(
      "order 223 v2, cancelled, Sin stock, pickup, not paid, total 46.20 | no customer | no products | event 7",
    );
  });

  it("prints each event about a chat on one line", () => {
    const card = {
      seq: 9,
      chat_id: 5,
      contacto: { nombre: "Carla" },
      estado: "pendiente",
      soporte_id: null,
      no_leidos: 2,
      tags: [{ nombre: "vip" }],
      version: 3,
    };
    expect(chatLine(card)).to.equal("chat 5 v3, pendiente, unassigned, 2 unread, #vip | Carla | event 9");
    expect(chatLine({ ...card, soporte_id: 2, tags: [] })).to.equal(
      "chat 5 v3, pendiente, with user 2, 2 unread | Carla | event 9",
    );
    expect(goneLine(card)).to.equal("chat 5 is no longer visible | event 9");
    expect(typingLine({ chat_id: 5, usuario: { nombre: "Ana" } })).to.equal("Ana writes in chat 5");
    expect(viewingLine({ chat_id: 5, usuarios: [{ nombre: "Ana" }, { nombre: "Beto" }] })).to.equal(
      "chat 5 is viewed by Ana, Beto",
    );
    expect(viewingLine({ chat_id: 5, usuarios: [] })).to.equal("chat 5 is viewed by no user");
    expect(endedLine({ reason: "revoked" })).to.equal("access ended: revoked");
  });
});
