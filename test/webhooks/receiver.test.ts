import { expect } from "chai";
import { request } from "../support/http.ts";
import { Receiver } from "./support.ts";

describe("the tests' receiver of webhooks", () => {
  it("fails the test that looks at its deliveries if one is not JSON, and no other test", async () => {
    const receiver = await Receiver.start();
    try {
      const lost = request(receiver.url, { method: "POST", rawBody: "{" }).catch((error: Error) => error);
      expect(await lost).to.be.instanceOf(Error);
      expect(() => receiver.received).to.throw(SyntaxError);
    } finally {
      await receiver.close();
    }
  });
});
