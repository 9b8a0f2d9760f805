import { expect, test } from "vitest";
import { measureWork } from "../../../../base/processor-time.suite.ts";
import { type HostPort, portConflicts } from "./host-ports.ts";

const port = (number: number, address = "0.0.0.0", protocol = "TCP"): HostPort => ({ port: number, address, protocol });

test("ports of a node conflict by number, protocol and address, where one address stands for all", () => {
  const conflicts = (a: HostPort, b: HostPort) => [portConflicts([a])([b]), portConflicts([b])([a])];
  expect(conflicts(port(80), port(80))).toEqual([true, true]);
  expect(conflicts(port(80), port(80, "192.0.2.1"))).toEqual([true, true]);
  expect(conflicts(port(80, "192.0.2.1"), port(80, "192.0.2.1"))).toEqual([true, true]);
  expect(conflicts(port(80, "192.0.2.2"), port(80, "192.0.2.1"))).toEqual([false, false]);
  expect(conflicts(port(80), port(81))).toEqual([false, false]);
  expect(conflicts(port(80), port(80, "0.0.0.0", "UDP"))).toEqual([false, false]);
  expect([portConflicts([])([port(80)]), portConflicts([port(80)])([])]).toEqual([false, false]);
});

test("very many ports are compared with as many others in little time", () => {
  const many = (net: number) =>
    Array.from({ length: 20_000 }, (_, at) => port(80, `192.${net}.${at >> 8}.${at & 255}`));
  const spent = measureWork();
  expect(portConflicts(many(1))(many(2))).toBe(false);
  expect(spent()).toBeLessThan(500); // 400 million comparisons take seconds
});
