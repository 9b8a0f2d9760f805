import { expect, test } from "vitest";
import { foreignResourcesMax, readResourceList, resourceListBytesMax } from "./read-resource-list.ts";

const read = (value: unknown) => readResourceList(Buffer.from(JSON.stringify(value)));
const toys = { name: "toys", singularName: "toy", namespaced: true, kind: "Toy", verbs: ["get"] };

test("known members of resources are kept, others are dropped", () => {
  const more = { shortNames: ["t"], categories: ["all"], group: "other.test", version: "v2", extra: { deep: [] } };
  const { extra: _extra, ...kept } = { ...toys, ...more };
  expect(read({ kind: "APIResourceList", resources: [toys, { ...toys, ...more }] })).toEqual([toys, kept]);
});

test("a list that is not one, or is too long, is refused", () => {
  const broken = [
    [],
    { kind: "Status" },
    { kind: "APIResourceList", resources: [null] },
    { kind: "APIResourceList", resources: [{ ...toys, name: 3 }] },
    { kind: "APIResourceList", resources: [{ ...toys, verbs: "get" }] },
    { kind: "APIResourceList", resources: [{ ...toys, kind: "x".repeat(300) }] },
    { kind: "APIResourceList", resources: Array.from({ length: foreignResourcesMax + 1 }, () => toys) },
  ];
  const padding = "x".repeat(resourceListBytesMax);
  expect(() => read({ kind: "APIResourceList", padding, resources: [] })).toThrow("larger than");
  for (const value of broken) expect(() => read(value)).toThrow();
});
