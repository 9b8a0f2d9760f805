import { describe, expect, test } from "vitest";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

/** Kinds with their own paths, in the preferred version. */
const resources = (isAsked: (kind: BoundKind) => boolean): string[] => {
  const found = allKinds(testEnvironment()).filter((kind) => kind.resource !== "" && isAsked(kind));
  return [...new Set(found.map(({ resource }) => resource))].sort();
};

describe("how kinds handle a PUT", () => {
  test("these are created by a PUT", () => {
    expect(resources(({ family }) => family.strategy.createOnUpdate === true)).toEqual([
      "clusterrolebindings",
      "clusterroles",
      "endpoints",
      "events",
      "leases",
      "limitranges",
      "rolebindings",
      "roles",
      "runtimeclasses",
    ]);
  });

  test("these require a resourceVersion, in any version", () => {
    const isAsked = ({ strategy, compat }: BoundKind) =>
      strategy.unconditionalUpdate === false || compat.checksVersion === true;
    const asked = resources(isAsked);
    expect(asked).toEqual([
      "apiservices",
      "csidrivers",
      "csinodes",
      "csistoragecapacities",
      "customresourcedefinitions",
      "leases",
      "mutatingwebhookconfigurations",
      "poddisruptionbudgets",
      "runtimeclasses",
      "services",
      "validatingwebhookconfigurations",
      "volumeattachments",
    ]);
    expect(resources((kind) => asked.includes(kind.resource) && !isAsked(kind))).toEqual([]);
  });
});
