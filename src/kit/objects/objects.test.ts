import { expect, test } from "vitest";
import { type Condition, withCondition } from "./conditions.ts";
import { ownerKey, setOwner } from "./owners.ts";
import { mergePatch } from "./patches.ts";

const ready = (status: Condition["status"], message = "") => ({ type: "Ready", status, reason: "Tested", message });

test("a condition keeps its time while its status does", () => {
  const first = withCondition([], ready("False"), 0);
  const same = withCondition(first, ready("False", "still"), 60_000);
  const other = withCondition(same, ready("True"), 120_000);
  expect([first, same, other].map(([one]) => one?.lastTransitionTime)).toEqual([
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:00:00Z",
    "1970-01-01T00:02:00Z",
  ]);
  expect(withCondition(first, ready("False"), 60_000)).toEqual(first);
  const two = withCondition(first, { ...ready("True"), type: "Synced" }, 0);
  expect(withCondition(two, ready("True"), 0).map(({ type, status }) => [type, status])).toEqual([
    ["Ready", "True"],
    ["Synced", "True"],
  ]);
});

const owner = { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "n", uid: "u1" } };
const object = { metadata: { name: "o", namespace: "n" } };

test("an owner is set once, and found again by its group and kind", () => {
  const owned = setOwner(setOwner(object, owner), owner);
  expect(owned.metadata).toMatchObject({ ownerReferences: [{ kind: "Widget", uid: "u1", controller: true }] });
  const address = { group: "example.com", kind: "Widget", namespaced: true };
  expect(ownerKey(owned, address)).toBe("n/w");
  expect(ownerKey(owned, { ...address, group: "example.org" })).toBeUndefined();
  expect(ownerKey(owned, { ...address, kind: "Gadget" })).toBeUndefined();
  expect(ownerKey(object, address)).toBeUndefined();
});

test("an owner that cannot be one is refused", () => {
  expect(() => setOwner(object, { metadata: { name: "w" } })).toThrow("must have apiVersion");
  expect(() => setOwner({ metadata: { name: "o", namespace: "m" } }, owner)).toThrow('in namespace "n"');
  const second = { ...owner, metadata: { ...owner.metadata, uid: "u2" } };
  expect(() => setOwner(setOwner(object, owner), second)).toThrow("Widget w controls the object already");
});

test("a merge patch holds what differs: changed and removed members, and lists as a whole", () => {
  const before = { metadata: { name: "a", labels: { app: "web", tier: "front" } }, spec: { ports: [1, 2], size: 3 } };
  const after = { metadata: { name: "a", labels: { app: "web", tier: undefined } }, spec: { ports: [2], size: 3 } };
  expect(mergePatch<object>(before, after)).toEqual({ metadata: { labels: { tier: null } }, spec: { ports: [2] } });
  expect(mergePatch(before, structuredClone(before))).toEqual({});
});
