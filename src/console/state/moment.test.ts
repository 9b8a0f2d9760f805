import { describe, expect, test } from "vitest";
import { lanesOf } from "./lanes.ts";
import { afterChange, countedIn, momentIn, withMoment } from "./moment.ts";

const at = "2026-11-18T10:00:00.999Z";

describe("the moment in an address", () => {
  test.each(["#/overview", "#/objects/core/v1/pods?namespace=shop", "#/object/core/v1/pods/shop/web?part=yaml"])(
    "is added to %s, found there, changed and taken away",
    (hash) => {
      const timed = withMoment(hash, at);
      expect(momentIn(timed)).toBe(at);
      expect(withMoment(timed, at)).toBe(timed);
      expect(withMoment(timed, "")).toBe(hash);
    },
  );

  test("that is none is now", () => {
    expect(momentIn("#/overview?at=yesterday")).toBe("");
    expect(momentIn("#/overview?format=1")).toBe("");
  });

  test("after a change is the end of its second", () => {
    expect(afterChange("2026-11-18T10:00:00Z")).toBe(at);
    expect(afterChange("")).toBe("");
  });
});

test("changes are counted in the parts of a span, and those outside of it nowhere", () => {
  expect(countedIn([-1, 0, 4, 5, 9, 10], 0, 10, 2)).toEqual([2, 2]);
});

describe("lanes", () => {
  const change = (uid: string, name: string, operation: string, second: number, owner = "") => ({
    metadata: { name: `${second}`, creationTimestamp: `2026-11-18T10:00:0${second}Z` },
    object: { uid, kind: "Pod", name },
    operation,
    manager: "test",
    fields: [{ path: "", new: `{"metadata":{"ownerReferences":[{"kind":"X","uid":"${owner}"}]}}` }],
  });
  const own = { kind: "ReplicaSet", metadata: { uid: "set", name: "web" } };

  test("are the object, what it owns and what it owned, with their times", () => {
    const changes = [
      change("new", "web-2", "create", 6, "set"),
      change("old", "web-1", "delete", 5),
      change("other", "db-0", "create", 4, "elsewhere"),
      change("old", "web-1", "create", 1, "set"),
    ];
    const lanes = lanesOf(own, changes, [{ uid: "old", ownerUids: ["set"] }]);
    expect(lanes.map(({ name, depth }) => [name, depth])).toEqual([
      ["web", 0],
      ["web-1", 1],
      ["web-2", 1],
    ]);
    expect(lanes[1]?.toMs).toBe(Date.parse("2026-11-18T10:00:05Z"));
    expect(lanes[2]?.toMs).toBeUndefined();
  });

  test("end where objects own each other in a circle", () => {
    const circle = [
      { uid: "set", ownerUids: ["old"] },
      { uid: "old", ownerUids: ["set"] },
    ];
    expect(lanesOf(own, [change("old", "web-1", "update", 1)], circle)).toHaveLength(2);
  });
});
