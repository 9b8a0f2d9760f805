import { describe, expect, test } from "vitest";
import { acceptNames } from "../api/apiextensions/definition/accepted-names.ts";
import { takenBy } from "../api/apiextensions/definition/group-names.ts";
import { obstacle } from "./api-services.ts";
import { outcome } from "./definition-cleanup.ts";
import { withCondition } from "./write-status.ts";

describe("names of a definition", () => {
  const fruit = { plural: "apples", singular: "apple", kind: "Fruit", listKind: "FruitList", shortNames: ["ap"] };
  const cases = [
    {
      why: "are all accepted in an empty group",
      asked: fruit,
      others: [],
      reason: "NoConflicts",
      accepted: { ...fruit, categories: [] },
    },
    {
      why: "are accepted except for those that are in use",
      asked: { ...fruit, plural: "pears", singular: "pear", shortNames: ["pr"] },
      others: [fruit],
      reason: "ListKindConflict",
      accepted: { plural: "pears", singular: "pear", kind: "", shortNames: ["pr"], categories: [] },
    },
    {
      why: "of resources and kinds do not conflict",
      asked: { plural: "fruit", singular: "f", kind: "apples", listKind: "L", shortNames: [] },
      others: [fruit],
      reason: "NoConflicts",
      accepted: { plural: "fruit", singular: "f", kind: "apples", listKind: "L", shortNames: [], categories: [] },
    },
    {
      why: "must not use the plural of another as a short name",
      asked: { plural: "crabs", singular: "crab", kind: "Crab", listKind: "CrabList", shortNames: ["apples", "cr"] },
      others: [fruit],
      reason: "ShortNamesConflict",
      accepted: { plural: "crabs", singular: "crab", kind: "Crab", listKind: "CrabList", categories: [] },
    },
  ];
  for (const { why, asked, others, reason, accepted } of cases) {
    test(why, () => {
      const outcome = acceptNames(asked, undefined, takenBy(others));
      expect(outcome.acceptedNames).toEqual(accepted);
      expect(outcome.condition).toMatchObject({ reason, status: reason === "NoConflicts" ? "True" : "False" });
    });
  }

  test("that are accepted stay so although another definition requests them", () => {
    const outcome = acceptNames(fruit, { acceptedNames: fruit }, takenBy([{ ...fruit }]));
    expect(outcome.condition.reason).toBe("NoConflicts");
  });
});

describe("why an API service is unavailable", () => {
  const wanted = { namespace: "a", name: "b", port: 443 };
  const service = { spec: { type: "ClusterIP", ports: [{ port: 443, name: "https" }] } } as Parameters<
    typeof obstacle
  >[1];
  const endpoints = (name: string, addresses: string[]) => [{ addresses, ports: [{ name, port: 1 }] }];
  const cases = [
    { why: "a missing service", service: undefined, endpoints: undefined, reason: "ServiceNotFound" },
    {
      why: "a closed port",
      service: { spec: { type: "ClusterIP", ports: [] } },
      endpoints: undefined,
      reason: "ServicePortError",
    },
    { why: "missing endpoints", service, endpoints: undefined, reason: "EndpointsNotFound" },
    { why: "endpoints without addresses", service, endpoints: endpoints("https", []), reason: "MissingEndpoints" },
    {
      why: "endpoints of another port",
      service,
      endpoints: endpoints("http", ["10.0.0.1"]),
      reason: "MissingEndpoints",
    },
    { why: "nothing", service, endpoints: endpoints("https", ["10.0.0.1"]), reason: undefined },
    {
      why: "a service outside the cluster is not checked",
      service: { spec: { type: "ExternalName" } },
      endpoints: undefined,
      reason: undefined,
    },
  ];
  for (const row of cases) {
    const given = row.service as Parameters<typeof obstacle>[1];
    test(row.why, () => expect(obstacle(wanted, given, row.endpoints)?.reason).toBe(row.reason));
  }
});

describe("conditions", () => {
  const next = { type: "A", status: "True", reason: "R", message: "m" };
  test("are not written if nothing changes", () => {
    expect(withCondition([{ ...next, lastTransitionTime: "then" }], next, "now")).toBeUndefined();
  });
  test("have the time of their last change of status", () => {
    const before = [{ type: "B" }, { ...next, reason: "Old", lastTransitionTime: "then" }];
    expect(withCondition(before, next, "now")).toEqual([{ type: "B" }, { ...next, lastTransitionTime: "then" }]);
    expect(withCondition(before, { ...next, status: "False" }, "now")?.[1]).toMatchObject({
      lastTransitionTime: "now",
    });
  });
  test("are added after existing ones", () => {
    expect(withCondition([{ type: "B" }], next, "now")).toEqual([
      { type: "B" },
      { ...next, lastTransitionTime: "now" },
    ]);
  });
});

test("a definition that was never established has no objects", () => {
  expect(outcome([{ type: "Established", status: "True" }]).reason).toBe("InstanceDeletionCompleted");
  expect(outcome([{ type: "Established", status: "False" }]).reason).toBe("NeverEstablished");
});
