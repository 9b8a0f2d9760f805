import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import {
  type LocalTargets,
  metadataAddresses,
  type WorkspaceTargets,
  webhookAddresses,
  workspaceAddresses,
} from "./webhook-addresses.ts";

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

describe("webhooks of workspaces", () => {
  const within = (local: WorkspaceTargets, address: string, port = 443) =>
    workspaceAddresses({
      local,
      rootAddresses: webhookAddresses({ local: "allow", bindAddress: "0.0.0.0", ownPort: () => 6443 }),
    })(address, port);
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);

  test.each([
    ...["127.0.0.1", "::1", "::ffff:127.0.0.1", "169.254.169.254", "::ffff:a9fe:a9fe", "fe80::1", "0.0.0.0", "::"],
    ...metadataAddresses,
    "::ffff:100.100.100.200",
    ...own.map(({ address }) => address),
  ])("are not at %s, though the root's may be", (address) => expect(within("deny", address)).toBe(false));

  test("are elsewhere, or where those of the root are if a flag says so", () => {
    expect(within("deny", "192.0.2.1")).toBe(true);
    expect(within("allow", "127.0.0.1")).toBe(true);
    expect(within("allow", "127.0.0.1", 6443)).toBe(false);
  });
});

test("a server never calls its own port", () => {
  expect(allowed("allow", "0.0.0.0", "127.0.0.1", 6443)).toBe(false);
  expect(allowed("allow", "0.0.0.0", "192.0.2.1", 6443)).toBe(true);
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  for (const { address } of own) expect(allowed("allow", "0.0.0.0", address, 6443)).toBe(false);
});
