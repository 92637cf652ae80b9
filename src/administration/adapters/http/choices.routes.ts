import { limitOf, pageAnswer, pagedQuery, positionIn } from "../../../infra/http/routing/cursors.ts";
import { defineRoute, type Route } from "../../../infra/http/routing/route.ts";
import { codedFailure, nullableText, objectWith } from "../../../infra/http/routing/schema.ts";
import type { ManageRecords } from "../../application/manage-records.ts";
import { answers } from "./administration-dialect.ts";
import type { RecordOnWire } from "./record-on-wire.ts";
import { partsOf } from "./records.routes.ts";

const usualPage = 100;

/** The list from which users of every role choose a record. Resources without `chosenBy` have no such list. */
export function choicesRoutes<Fields extends object>(
  resource: RecordOnWire<Fields>,
  records: Pick<ManageRecords<Fields>, "list">,
): Route[] {
  const { path, many, chosenBy } = resource;
  if (!chosenBy) return [];
  const { codec, dialectFor } = partsOf(resource);
  return [
    defineRoute({
      method: "get",
      path: `/${path}`,
      operationId: `choose${many}`,
      tag: "Choices",
      auth: "key-or-session",
      summary: `List ${many} to choose from`,
      rules: {
        [`Choices.${many}`]:
          "For users of every role, with only the fields that are needed to choose one. Newest first; `next` is the cursor of the " +
          "next page, or null. `q` is a text that the name, or another searched field, must contain.",
      },
      query: pagedQuery(usualPage, { q: { type: "string", minLength: 1, maxLength: 100 } }),
      responses: {
        200: {
          description: "A page",
          schema: objectWith({ data: { type: "array", items: codec.choice(chosenBy) }, next: nullableText }),
        },
        400: { description: "A wrong parameter", schema: codedFailure },
        500: answers.unexpected,
      },
      dialect: dialectFor(),
      handle: async ({ query, caller }) => {
        const { q: text = null, cursor } = query;
        const limit = limitOf(query.limit ?? usualPage);
        const [after = null] = cursor === undefined ? [] : positionIn(cursor, 1);
        const found = await records.list(caller.businessId, { text, after, limit });
        return pageAnswer(found, limit, (record) => codec.choiceToWire(record, chosenBy));
      },
    }),
  ];
}
