import { expect } from "chai";
import { withoutOwnerOf } from "../../src/inbox/domain/forget-number.ts";

const ids = ["5917", "page-1"];
const left = (payload: unknown) => JSON.parse(withoutOwnerOf(JSON.stringify(payload), ids) ?? "null");

describe("forgetting a number in what a platform sent", () => {
  it("takes out the entries that name it, and leaves those of others", () => {
    const value = {
      contacts: [{ wa_id: "5917", profile: { name: "Ana" } }, { wa_id: "5918" }],
      messages: [
        { from: "5917", text: { body: "Hola" } },
        { from: "5918", text: { body: "5917 es su número" } },
      ],
      statuses: [{ recipient_id: "5917" }, { recipient_id: 5917 }, { recipient_id: "5918" }],
    };
    expect(left({ entry: [{ id: "x", changes: [{ value }] }] })).to.deep.equal({
      entry: [
        {
          id: "x",
          changes: [
            {
              value: {
                contacts: [{ wa_id: "5918" }],
                messages: [{ from: "5918", text: { body: "5917 es su número" } }],
                statuses: [{ recipient_id: "5918" }],
              },
            },
          ],
        },
      ],
    });
  });

  it("leaves nothing of what is about it alone, and of what is no JSON", () => {
    expect(withoutOwnerOf('{"from":"5917","text":"Hola"}', ids)).to.equal(null);
    expect(withoutOwnerOf("{", ids)).to.equal(null);
  });
});
