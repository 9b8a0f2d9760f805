import { expect, test } from "vitest";
import { finish } from "../../../base/time-slice.ts";
import { deepFreeze } from "../../../machinery/json/json-value.ts";
import { decodeKind } from "../../../machinery/schema/decode-kind.ts";
import { catalog as kinds } from "../../catalog.ts";
import { bindVersions } from "../../life.suite.ts";

test("an autoscaler of thousands of metrics is converted in many steps, to the same as at once", () => {
  const { catalog } = bindVersions(kinds);
  const family = catalog.families().find(({ hub }) => hub.resource === "horizontalpodautoscalers");
  const version = family?.versions.find(({ apiVersion }) => apiVersion.endsWith("/v1"));
  if (family === undefined || version === undefined) throw new Error("autoscaling/v1 has no autoscaler");
  const matchLabels = { a: "<b>" };
  const metrics = Array.from({ length: 5_000 }, (_, at) => ({
    type: "External",
    external: { metric: { name: `m${at}`, selector: { matchLabels } }, target: { type: "Value", value: "1" } },
  }));
  const scaleTargetRef = { kind: "Deployment", name: "d", apiVersion: "apps/v1" };
  const given = { metadata: { name: "h", namespace: "n" }, spec: { maxReplicas: 3, scaleTargetRef, metrics } };
  const hub = deepFreeze(decodeKind(family.hub, given));

  const shown = version.fromHub(hub);
  expect(finish(version.fromHubInSteps(hub))).toEqual(shown);
  expect([...version.fromHubInSteps(hub)].length).toBeGreaterThan(20);
  expect(JSON.parse(Object.values(shown.metadata.annotations ?? {})[0] ?? "")).toHaveLength(5_000);

  const back = version.toHub(shown);
  expect(back).toEqual(hub);
  expect(finish(version.toHubInSteps(shown))).toEqual(back);
  expect([...version.toHubInSteps(shown)].length).toBeGreaterThan(5);
});
