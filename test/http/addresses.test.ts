import { expect } from "chai";
import { networkOf, plainAddress } from "../../src/infra/http/addresses.ts";

describe("addresses", () => {
  it("lose the port that a proxy added, and IPv4 addresses lose their IPv6 form", () => {
    for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "192.0.2.1:4711"]) {
      expect(plainAddress(address)).to.equal("192.0.2.1");
    }
    for (const address of ["2001:db8::1", "[2001:db8::1]", "[2001:db8::1]:4711"]) {
      expect(plainAddress(address)).to.equal("2001:db8::1");
    }
  });

  it("are networks on their own for IPv4, and belong to one by their first four groups for IPv6", () => {
    for (const [address, network] of [
      ["192.0.2.1", "192.0.2.1"],
      ["2001:db8:0:1:2:3:4:5", "2001:db8:0:1"],
      ["2001:db8::5", "2001:db8:0:0"],
      ["2001:db8:7::", "2001:db8:7:0"],
      ["::1", "0:0:0:0"],
      ["2001::3:4:5:6:7", "2001:0:0:3"],
      ["2001::9:4:5:6:7", "2001:0:0:9"],
      ["64:ff9b::192.0.2.1", "64:ff9b:0:0"],
      ["1:2:3::192.0.2.1", "1:2:3:0"],
    ] as const) {
      expect(networkOf(address), address).to.equal(network);
    }
  });
});
