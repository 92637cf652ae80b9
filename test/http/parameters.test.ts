import { expect } from "chai";
import { parametersOf } from "../../src/infra/http/parameters.ts";

describe("the parameters of a query", () => {
  it("are texts, or arrays if they are given several times", () => {
    expect({ ...parametersOf("limit=20&tag=1&tag=2&q=a+b%20c%2B&tag=3&empty=&flag") }).to.deep.equal({
      ...{ limit: "20", tag: ["1", "2", "3"], q: "a b c+", empty: "", flag: "" },
    });
  });

  it("may have names that objects inherit, and wrong escapes", () => {
    const all = parametersOf("__proto__=a&toString=b&toString=c&=d&%=%F&bytes=%ff");
    expect(Object.entries(all)).to.deep.equal([
      ["__proto__", "a"],
      ["toString", ["b", "c"]],
      ["", "d"],
      ["%", "%F"],
      ["bytes", "\ufffd"],
    ]);
  });

  it("may be thousands, each with a value of its own", () => {
    const names = Array.from({ length: 7_000 }, (_, n) => `p${n}`);
    expect(Object.keys(parametersOf(names.join("&")))).to.deep.equal(names);
  });
});
