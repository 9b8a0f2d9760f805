import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { type ProxyTargets, proxyAddresses } from "./proxy-addresses.ts";

const allowed = (local: ProxyTargets, address: string, port = 80) =>
  proxyAddresses({ local, ownPort: () => 6443, advertised: ["203.0.113.7"] })(address, port);

const cases: [address: string, denied: boolean, allowed: boolean][] = [
  ["10.0.0.5", true, true],
  ["2001:db8::5", true, true],
  ["127.0.0.1", false, true],
  ["::1", false, true],
  ["::ffff:127.0.0.1", false, true],
  ["64:ff9b::7f00:1", false, true],
  ["169.254.169.254", false, true],
  ["fe80::1%lo", false, true],
  ["0.0.0.0", false, false],
  ["::", false, false],
  ["224.0.0.1", false, false],
  ["255.255.255.255", false, false],
  ["not an address", false, false],
  ["203.0.113.7", false, true],
  ["::ffff:203.0.113.7", false, true],
];
for (const [address, denied, permitted] of cases) {
  test(`${address} is ${denied ? "" : "not "}proxied to by default, and ${permitted ? "" : "not "}with --proxy-local-targets=allow (C04 in docs/security-rows.md)`, () =>
    expect([allowed("deny", address), allowed("allow", address)]).toEqual([denied, permitted]));
}

test("the server's own port is never proxied to, at any of its addresses (A02)", () => {
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const address of ["127.0.0.1", "127.9.9.9", "::1", "203.0.113.7", ...own.map((one) => one.address)]) {
    expect([address, allowed("allow", address, 6443)]).toEqual([address, false]);
    expect([address, allowed("deny", address, 10_250)]).toEqual([address, false]);
  }
  expect(allowed("allow", "10.0.0.5", 6443)).toBe(true);
});
