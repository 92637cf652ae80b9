import { heldTo } from "../../../infra/http/routing/caller.ts";
import { type Dialect, failed, type InvalidInput } from "../../../infra/http/routing/dialect.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import {
  boolean,
  failure,
  integer,
  nullableInteger,
  numericIdOf,
  objectWith,
  phoneNumber,
  withOptional,
} from "../../../infra/http/routing/schema.ts";
import type { BusinessNotFound } from "../../../kernel/errors.ts";
import { phoneDigits } from "../../../kernel/text.ts";
import type { CreateTicket, CreateTicketFailure } from "../../application/tickets/create-ticket.ts";

const params = objectWith({ id: { ...numericIdOf("step"), "x-error": "paso_id es requerido y debe ser un número" } });

const body = withOptional(
  objectWith({
    empresa_id: { ...numericIdOf("business"), "x-error": "empresa_id es requerido y debe ser un número" },
    phone_number: phoneNumber,
  }),
  { name: { type: "string", maxLength: 200 } },
);

const dialect: Dialect<InvalidInput | BusinessNotFound | CreateTicketFailure> = {
  invalid_input: (error) => [400, failed(error.message)],
  business_not_found: () => [404, failed("Empresa no encontrada")],
  step_not_found: () => [404, failed("Paso no encontrado")],
  step_of_another_business: () => [404, failed("El paso no pertenece a la empresa")],
  chat_taken: () => [409, failed("El chat lo tiene otro agente")],
  unexpected: () => [500, failed("Error: fallo inesperado")],
};

/** §5 Create a ticket as the business. */
export const createTicketRoute = (createTicket: Pick<CreateTicket, "execute">): Route =>
  defineRoute({
    method: "post",
    path: "/chats/crear/ticket/business/:id",
    operationId: "createTicket",
    tag: "Inbox",
    summary: "Create a ticket for a phone number from a script step",
    rules: {
      "§5.1": "No template is sent. The step must be of type ticket and belong to the business.",
      "§5.2":
        "Missing contacts, chats and conversations are created on the cloud business API; a contact with chats gets the " +
        "ticket in the latest one. `name` is used only for a new contact.",
      "§5.3":
        "The agent is the step's `agente` if available, else the available agent of the step's department with the " +
        "fewest open tickets; on a tie, the one whose last ticket is the oldest. Available means: an active agent, marked " +
        "available, within the department's hours. A step without a department takes any agent at any time.",
      "§5.4":
        "The agent is assigned to the chat, the bot is switched off, the step's tags are applied, and the step's content " +
        "is sent to the contact, with the step's media if it has any. A failed send does not change the ticket.",
      "§5.5": "The chat moves to the top of the inbox; clients get `ticket:new` and `inbox:reorder`.",
      "§5.6":
        "Without an available agent no ticket is created: the contact gets the department's out-of-hours message, at most " +
        "once in ten minutes, and waits. The ticket is created as soon as an agent is available, " +
        "unless somebody attends the chat by then.",
      "§5.7": "A chat has one open ticket per step: a repeated request returns it and changes nothing.",
      "§5.8":
        "If another user has the chat, the session of a user who is not an administrator gets 409, and nothing is created.",
    },
    auth: "key-or-token",
    scope: "send",
    idempotent: true,
    params,
    body,
    ownBusiness: "body.empresa_id",
    responses: {
      200: {
        description: "The open ticket of the chat, or none while no agent is available",
        schema: objectWith({ success: boolean, chat_id: integer, ticket_id: nullableInteger }),
      },
      400: { description: "A field is missing or wrong", schema: failure },
      404: { description: "No such business or step, or another business's step", schema: failure },
      409: { description: "Another agent has the chat", schema: failure },
      500: { description: "Unexpected failure", schema: failure },
    },
    dialect,
    handle: async ({ params, body, caller }) => {
      const { chatId, ticketId } = await createTicket.execute({
        businessId: caller.businessId,
        stepId: params.id,
        agentId: heldTo(caller),
        phone: phoneDigits(body.phone_number) ?? "",
        ...(body.name?.trim() ? { contactName: body.name.trim() } : {}),
      });
      return { success: ticketId !== null, chat_id: chatId, ticket_id: ticketId };
    },
  });
