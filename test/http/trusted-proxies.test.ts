import type { IncomingMessage } from "node:http";
import { expect } from "chai";
import { trustedProxies } from "../../src/infra/http/trusted-proxies.ts";

/** A request over a connection from `peer`. */
const asked = (peer: string, forwarded?: string, protocol?: string) =>
  ({
    socket: { remoteAddress: peer },
    headers: { "x-forwarded-for": forwarded, "x-forwarded-proto": protocol },
  }) as unknown as IncomingMessage;

describe("a client's address", () => {
  const cases: [setting: string, peer: string, forwarded: string | undefined, address: string][] = [
    ["", "10.0.0.1", "1.1.1.1", "10.0.0.1"],
    ["false", "10.0.0.1", "1.1.1.1", "10.0.0.1"],
    ["0", "10.0.0.1", "1.1.1.1", "10.0.0.1"],
    ["1", "10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"],
    ["1", "10.0.0.1", undefined, "10.0.0.1"],
    ["2", "10.0.0.1", "6.6.6.6, 1.1.1.1, 10.0.0.2", "1.1.1.1"],
    ["2", "10.0.0.1", "6.6.6.6,  1.1.1.1,10.0.0.2", "1.1.1.1"],
    ["10.0.0.1", "10.0.0.1", "6.6.6.6, 1.1.1.1", "1.1.1.1"],
    ["10.0.0.1", "10.0.0.2", "1.1.1.1", "10.0.0.2"],
    ["10.0.0.0/8, 192.0.2.7", "10.0.0.1", "6.6.6.6, 1.1.1.1, 192.0.2.7, 10.9.9.9", "1.1.1.1"],
    ["loopback, uniquelocal", "127.0.0.1", "10.0.0.1, 1.1.1.1, 192.168.0.4", "1.1.1.1"],
    ["uniquelocal", "10.0.0.1", "10.0.0.5, 10.0.0.4", "10.0.0.5"],
    ["2001:db8::/32", "2001:db8::1", "::1, 2001:dead::1", "2001:dead::1"],
    ["loopback", "::ffff:127.0.0.1", "::ffff:1.1.1.1", "1.1.1.1"],
    ["1", "10.0.0.1", "1.1.1.1:40231", "1.1.1.1"],
    ["1", "10.0.0.1", "[2001:db8::1]:40231", "2001:db8::1"],
    ["", "::ffff:1.1.1.1", undefined, "1.1.1.1"],
  ];
  for (const [setting, peer, forwarded, address] of cases) {
    it(`is ${address} with TRUST_PROXY=${setting}, from ${peer}, forwarded for ${forwarded}`, () => {
      expect(trustedProxies(setting).addressOf(asked(peer, forwarded))).to.equal(address);
    });
  }

  for (const setting of ["true", "yes", "-1", "1.5", "10.0.0.0/99", "10.0.0.1,", "proxy.example"]) {
    it(`is refused with TRUST_PROXY=${setting}, with the possible values`, () => {
      expect(() => trustedProxies(setting)).to.throw(/^must be the number of proxies in front .* or their addresses/);
    });
  }
});

describe("the called host", () => {
  const cases: [setting: string, peer: string, forwarded: string | string[] | undefined, host: string][] = [
    ["", "10.0.0.1", "panel.example", "api.internal"],
    ["1", "10.0.0.1", "panel.example", "panel.example"],
    ["1", "10.0.0.1", undefined, "api.internal"],
    ["1", "10.0.0.1", "", "api.internal"],
    ["1", "10.0.0.1", "evil.example, panel.example", "api.internal"],
    ["10.0.0.1", "10.0.0.2", "panel.example", "api.internal"],
  ];
  for (const [setting, peer, forwarded, host] of cases) {
    it(`is ${host} with TRUST_PROXY=${setting}, from ${peer}, forwarded as ${forwarded}`, () => {
      const headers = { host: "api.internal", "x-forwarded-host": forwarded };
      const given = { socket: { remoteAddress: peer }, headers } as unknown as IncomingMessage;
      expect(trustedProxies(setting).hostOf(given)).to.equal(host);
    });
  }
});

describe("the protocol of a request", () => {
  const cases: [setting: string, peer: string, protocol: string | undefined, isHttps: boolean][] = [
    ["", "10.0.0.1", "https", false],
    ["1", "10.0.0.1", "https", true],
    ["1", "10.0.0.1", "http", false],
    ["1", "10.0.0.1", undefined, false],
    ["10.0.0.1", "10.0.0.1", "HTTPS, http", true],
    ["10.0.0.1", "10.0.0.2", "https", false],
  ];
  for (const [setting, peer, protocol, isHttps] of cases) {
    it(`is ${isHttps ? "" : "not "}https with TRUST_PROXY=${setting}, from ${peer}, forwarded as ${protocol}`, () => {
      expect(trustedProxies(setting).isHttps(asked(peer, undefined, protocol))).to.equal(isHttps);
    });
  }

  it("is https over TLS", () => {
    const request = { socket: { remoteAddress: "10.0.0.1", encrypted: true }, headers: {} };
    expect(trustedProxies("").isHttps(request as unknown as IncomingMessage)).to.equal(true);
  });
});
