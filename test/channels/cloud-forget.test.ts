import { expect } from "chai";
import { withoutOwnerOf } from "../../src/channels/cloud/forget.ts";

const forgotten = { ids: ["5917", "page-1"], senders: ["own"] };
const left = (payload: unknown) => JSON.parse(withoutOwnerOf(JSON.stringify(payload), forgotten) ?? "null");

describe("erasing a number from a webhook", () => {
  it("removes the entries with that number, and keeps those of others", () => {
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

  it("keeps entries for the senders of other businesses", () => {
    const value = { metadata: { phone_number_id: "foreign" }, messages: [{ from: "5917", text: { body: "Hola" } }] };
    const own = { ...value, metadata: { phone_number_id: "own" } };
    const payload = { entry: [{ id: "x", changes: [{ value }, { value: own }] }] };
    expect(left(payload).entry[0].changes).to.deep.equal([{ value }, { value: { ...own, messages: [] } }]);
  });

  it("removes a webhook that is only about the number, or that is not JSON", () => {
    expect(withoutOwnerOf('{"from":"5917","text":"Hola"}', forgotten)).to.equal(null);
    expect(withoutOwnerOf("{", forgotten)).to.equal(null);
  });
});
