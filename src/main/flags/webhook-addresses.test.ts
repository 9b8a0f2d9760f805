import { networkInterfaces } from "node:os";
import { expect, test } from "vitest";
import { type LocalTargets, webhookAddresses } from "./webhook-addresses.ts";

const allowed = (local: LocalTargets, bindAddress: string, address: string, port = 443) =>
  webhookAddresses({ local, bindAddress, ownPort: () => 6443 })(address, port);

const cases: [local: LocalTargets, bindAddress: string, address: string, allowed: boolean][] = [
  ["auto", "0.0.0.0", "10.0.0.1", true],
  ["auto", "0.0.0.0", "127.0.0.1", false],
  ["auto", "0.0.0.0", "::1", false],
  ["auto", "127.0.0.1", "127.0.0.1", true],
  ["auto", "127.0.0.1", "::ffff:127.0.0.1", true],
  ["auto", "127.0.0.1", "169.254.169.254", false],
  ["auto", "127.0.0.1", "0.0.0.0", false],
  ["deny", "127.0.0.1", "127.0.0.1", false],
  ["allow", "0.0.0.0", "127.0.0.1", true],
  ["allow", "0.0.0.0", "169.254.169.254", true],
  ["allow", "0.0.0.0", "224.0.0.1", false],
  ["allow", "0.0.0.0", "not an address", false],
];
for (const [local, bound, address, expected] of cases) {
  test(`--webhook-local-targets=${local} on ${bound} ${expected ? "lets" : "does not let"} webhooks be at ${address}`, () =>
    expect(allowed(local, bound, address)).toBe(expected));
}

test("a server never calls its own port", () => {
  expect(allowed("allow", "0.0.0.0", "127.0.0.1", 6443)).toBe(false);
  expect(allowed("allow", "0.0.0.0", "192.0.2.1", 6443)).toBe(true);
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of own) expect(allowed("allow", "0.0.0.0", address, 6443)).toBe(false);
});
