import { expect, test } from "vitest";
import { Pod } from "../api/core/v1/pod.ts";
import { Ingress as IngressOfExtensions } from "../api/extensions/v1beta1/ingress.ts";
import { Ingress } from "../api/networking/v1/ingress.ts";
import { Ingress as IngressBeta } from "../api/networking/v1beta1/ingress.ts";
import { createCatalog } from "../machinery/catalog/bind.ts";
import type { BoundKind } from "../machinery/schema/catalog.ts";
import { customKind } from "../machinery/schema/custom-kind.suite.ts";
import { plainEnvironment } from "../machinery/schema/environment.suite.ts";
import type { Operation } from "../registry/contract/admission.ts";
import { createWorld } from "./admission.suite.ts";
import { isOn, on, plugin, under } from "./on.ts";

const world = createWorld([]);
const catalog = createCatalog([Pod, Ingress, IngressBeta, IngressOfExtensions], plainEnvironment());
const asked = (kind: BoundKind, operation: Operation, subresource = "") => ({
  ...world.request("pods", { operation, subresource, object: { metadata: {} } }),
  kind,
});
const pods = catalog.of(Pod);

test("a kind means its objects themselves, with the named operations", () => {
  expect(isOn(asked(pods, "CREATE"), Pod, "CREATE")).toBe(true);
  expect(isOn(asked(pods, "UPDATE"), Pod, ["CREATE", "UPDATE"])).toBe(true);
  expect(isOn(asked(pods, "DELETE"), Pod, ["CREATE", "UPDATE"])).toBe(false);
  expect(isOn(asked(pods, "UPDATE", "status"), Pod, "UPDATE")).toBe(false);
});

test("subresources are named, or all of them with the object", () => {
  expect(isOn(asked(pods, "UPDATE", "status"), under(Pod, "status"), "UPDATE")).toBe(true);
  expect(isOn(asked(pods, "UPDATE"), under(Pod, "status"), "UPDATE")).toBe(false);
  for (const path of ["", "status", "eviction"]) {
    expect(isOn(asked(pods, "UPDATE", path), under(Pod, "*"), "UPDATE")).toBe(true);
  }
});

test("every version of the kind's group matches, and no other group that serves the same objects", () => {
  expect(isOn(asked(catalog.of(IngressBeta), "CREATE"), Ingress, "CREATE")).toBe(true);
  expect(isOn(asked(catalog.of(IngressOfExtensions), "CREATE"), Ingress, "CREATE")).toBe(false);
  expect(isOn(asked(pods, "CREATE"), [Ingress, Pod], "CREATE")).toBe(true);
});

test("a custom kind of the same name does not match", () => {
  const group = "networking.orch.io";
  const names = { group, version: "v9", kind: "Ingress", resource: "ingresses", scope: "Namespaced", doc: "" } as const;
  catalog.replace({ add: [customKind({ ...names, fields: {} })] });
  expect(isOn(asked(catalog.byResource(group, "v9", "ingresses")!, "CREATE"), Ingress, "CREATE")).toBe(false);
});

test("a plugin has the phases of its rules, and the first matching rule handles a request", async () => {
  const log: string[] = [];
  const made = plugin("Sample", [
    on(Pod, "CREATE", { mutate: ({ object }) => void log.push(`first ${object.metadata.name}`) }),
    on(Pod, ["CREATE", "DELETE"], { mutate: ({ operation }) => void log.push(`second ${operation}`) }),
  ]);
  expect([made.mutate !== undefined, made.validate !== undefined]).toEqual([true, false]);
  await world.admit(made, "pods", { object: { metadata: { name: "a" } } });
  await world.admit(made, "pods", { operation: "DELETE" });
  await world.admit(made, "services", { object: { metadata: { name: "a" } } });
  expect(log).toEqual(["first a", "second DELETE"]);
});

test("a rule that leaves old members cannot write to them", async () => {
  const made = plugin("Sample", [
    on(Pod, "UPDATE", {
      leavesOldMembers: true,
      mutate({ object }) {
        object.metadata.labels = { seen: "yes" };
        // @ts-expect-error The spec may be that of the old pod.
        if (object.spec) object.spec.nodeName = "n";
        if (object.spec) object.spec = { ...object.spec, hostname: "h" };
      },
    }),
    on(Pod, "CREATE", {
      mutate({ object }) {
        if (object.spec) object.spec.nodeName = "n";
      },
    }),
  ]);
  const object = { metadata: {}, spec: {} };
  await world.admit(made, "pods", { operation: "UPDATE", object });
  expect(object).toEqual({ metadata: { labels: { seen: "yes" } }, spec: { nodeName: "n", hostname: "h" } });
});
