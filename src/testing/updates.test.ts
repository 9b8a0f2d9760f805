import { describe, expect, test } from "vitest";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { allKinds, testEnvironment } from "./all-kinds.ts";

/** Served by paths of their own, in the version that writes prefer. */
const resources = (isAsked: (kind: BoundKind) => boolean): string[] => {
  const found = allKinds(testEnvironment()).filter((kind) => kind.resource !== "" && isAsked(kind));
  return [...new Set(found.map(({ resource }) => resource))].sort();
};

describe("how kinds take a PUT", () => {
  test("these are made where there is none yet", () => {
    expect(resources(({ family }) => family.life.createOnUpdate === true)).toEqual([
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

  test("these are not replaced without a word on which state, in any version", () => {
    const isAsked = ({ life, compat }: BoundKind) =>
      life.unconditionalUpdate === false || compat.checksVersion === true;
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
