import { expect, test } from "vitest";
import type { Endpoint } from "../../../api/discovery/v1/endpoint.ts";
import type { EndpointSlice } from "../../../api/discovery/v1/endpoint-slice.ts";
import { endpointKey, pack } from "./slice-set.ts";

const endpoint = (number: number, ready = true): Endpoint => ({
  addresses: [`10.0.0.${number}`],
  conditions: { ready },
});
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => endpoint(from + index));
const slice = (name: string, endpoints: Endpoint[]): EndpointSlice => ({
  metadata: { name, labels: {} },
  addressType: "IPv4",
  ports: [],
  endpoints,
});
const packed = (existing: EndpointSlice[], desired: Endpoint[], labels: Record<string, string> = {}) => {
  const changes = pack({
    existing,
    desired: new Map(desired.map((each) => [endpointKey(each), each])),
    endpointsMax: 5,
    empty: () => ({ metadata: {}, addressType: "IPv4", ports: [], endpoints: [] }),
    labelsOf: () => labels,
  });
  const shown = (slices: EndpointSlice[]) =>
    slices.map(({ metadata, endpoints }) => `${metadata.name ?? "new"}:${endpoints.length}`);
  return [shown(changes.create), shown(changes.update), shown(changes.delete)];
};

const rows = [
  { why: "endpoints fill new slices", existing: [], desired: range(1, 7), changes: [["new:5", "new:2"], [], []] },
  {
    why: "nothing is written when nothing changed",
    existing: [slice("a", range(1, 3))],
    desired: range(1, 3),
    changes: [[], [], []],
  },
  {
    why: "a new endpoint is added to the slice with space",
    existing: [slice("a", range(1, 3))],
    desired: range(1, 4),
    changes: [[], ["a:4"], []],
  },
  {
    why: "of two with space the fuller one is filled",
    existing: [slice("a", range(1, 2)), slice("b", range(3, 5))],
    desired: range(1, 6),
    changes: [[], ["b:4"], []],
  },
  {
    why: "a slice that is written anyway is filled first",
    existing: [slice("a", range(1, 4)), slice("b", range(5, 6))],
    desired: [...range(2, 4), ...range(5, 7)],
    changes: [[], ["a:4"], []],
  },
  {
    why: "an empty slice is deleted",
    existing: [slice("a", range(1, 2)), slice("b", range(3, 3))],
    desired: range(1, 2),
    changes: [[], [], ["b:1"]],
  },
  {
    why: "a changed condition is written",
    existing: [slice("a", [endpoint(1, false)])],
    desired: range(1, 1),
    changes: [[], ["a:1"], []],
  },
];
for (const { why, existing, desired, changes } of rows)
  test(why, () => expect(packed(existing, desired)).toEqual(changes));

test("changed labels are written", () => {
  expect(packed([slice("a", range(1, 1))], range(1, 1), { team: "b" })).toEqual([[], ["a:1"], []]);
});
