import { expect, test } from "vitest";
import { isMadeUp, nodeAddress, nodePositionAt, PodAddresses, podAddress, podAddressesMax } from "./addresses.ts";

test("five thousand nodes and 150,000 pods have addresses of their own, all of ranges that no host has", () => {
  const nodes = Array.from({ length: 5_000 }, (_, at) => nodeAddress(at));
  const pods = Array.from({ length: 150_000 }, (_, at) => podAddress(at));
  expect(new Set([...nodes, ...pods]).size).toBe(155_000);
  expect([...nodes, ...pods].filter((address) => !isMadeUp(address))).toEqual([]);
  expect(nodes.map(nodePositionAt)).toEqual(nodes.map((_, at) => at));
  expect(pods.filter((address) => nodePositionAt(address) !== undefined)).toEqual([]);
  expect([nodes[0], pods[0], pods.at(-1), podAddress(podAddressesMax - 1)]).toEqual([
    "198.18.0.0",
    "198.18.64.0",
    "240.0.137.240",
    "247.255.255.255",
  ]);
});

test("addresses that hosts may have are not made up", () => {
  const others = [
    "10.0.0.1",
    "10.128.0.1",
    "127.0.0.1",
    "192.0.2.1",
    "198.17.255.255",
    "198.20.0.0",
    "248.0.0.1",
    "::1",
    "web",
  ];
  expect(others.filter(isMadeUp)).toEqual([]);
  expect(isMadeUp("::ffff:198.18.0.1")).toBe(true);
});

test("nodes that an earlier version has left are found by their addresses", () => {
  expect([nodePositionAt("10.64.0.7"), nodePositionAt("10.64.1.0"), nodePositionAt("10.65.0.0")]).toEqual([
    7,
    256,
    undefined,
  ]);
});

test("an address that a pod has already is not given again", () => {
  const addresses = new PodAddresses();
  expect(addresses.take((address) => address === podAddress(0))).toBe(podAddress(1));
  expect(addresses.take(() => false)).toBe(podAddress(2));
});
