import { expect, test } from "vitest";
import { addressScope } from "./address-scope.ts";

const cases = [
  ["127.0.0.1", "loopback"],
  ["127.255.1.2", "loopback"],
  ["::1", "loopback"],
  ["::ffff:127.0.0.1", "loopback"],
  ["::127.0.0.1", "loopback"],
  ["64:ff9b::7f00:1", "loopback"],
  ["2002:7f00:1::", "loopback"],
  ["169.254.169.254", "link-local"],
  ["::ffff:a9fe:a9fe", "link-local"],
  ["fe80::1%eth0", "link-local"],
  ["febf::1", "link-local"],
  ["0.0.0.0", "unspecified"],
  ["0.1.2.3", "unspecified"],
  ["::", "unspecified"],
  ["224.0.0.1", "multicast"],
  ["255.255.255.255", "multicast"],
  ["ff02::1", "multicast"],
  ["10.0.0.1", "global"],
  ["128.0.0.1", "global"],
  ["fd00::1", "global"],
  ["2001:db8::1", "global"],
  ["localhost", undefined],
  ["", undefined],
] as const;
for (const [address, scope] of cases) {
  test(`${address || "an empty text"} is ${scope ?? "not an address"}`, () =>
    expect(addressScope(address)).toBe(scope));
}
