import { expect } from "chai";
import { AnswerChat } from "../../src/inbox/public.ts";

type Parts = ConstructorParameters<typeof AnswerChat>;

describe("an answer with a template that could not be sent", () => {
  it("is shown as failed even if its count cannot be taken back", async () => {
    const failed = { id: 7, state: "failed" };
    const parts = [
      {
        run: async () => ({ messageId: 7, opened: { id: 7 }, events: [] }),
      },
      {
        chat: async () => ({ contactId: 5, isErased: false }),
        message: async () => failed,
      },
      { prepare: async () => ({ content: {}, release: () => Promise.reject(new Error("the database is away")) }) },
      {},
      { sendOpened: async () => {} },
      { publish: () => {} },
      null,
      () => "",
    ] as unknown as Parts;
    const viewer = { businessId: 1, userId: 11, agentId: 11 };
    const answer = { kind: "template", templateId: 3, parameters: [] } as const;
    const shown = await new AnswerChat(...parts).execute(viewer, { chatId: 2, answer, replyToId: null });
    expect(shown).to.equal(failed);
  });
});
