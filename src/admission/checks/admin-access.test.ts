import { expect, test } from "vitest";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import { createAdminAccessCheck } from "./admin-access.ts";

const devices = (adminAccess: boolean) => ({
  devices: { requests: [{ name: "a", exactly: { deviceClassName: "c", adminAccess } }] },
});

async function outcome(resource: string, spec: object, labels: Record<string, string> = {}) {
  const object: ApiObject = { metadata: { name: "x", namespace: "a" }, spec };
  const world = createWorld([{ resource: "namespaces", object: { metadata: { name: "a", labels } } }], "orch", {
    level: "1.35",
  });
  const { registry, catalog } = world.context;
  const check = createAdminAccessCheck({ registry, catalog });
  const request = world.request(resource, { operation: "CREATE", object, namespace: "a" });
  expect(check.handles(request)).toBe(true);
  return Promise.resolve(check.validate?.(request)).then(
    () => "allowed",
    (error: { details: { causes: { field: string; reason: string }[] } }) => error.details.causes,
  );
}

test("devices are claimed for maintenance only in namespaces with the label", async () => {
  const refused = [
    expect.objectContaining({ field: "spec.devices.requests[0].adminAccess", reason: "FieldValueForbidden" }),
  ];
  expect(await outcome("resourceclaims", devices(true))).toEqual(refused);
  expect(await outcome("resourceclaimtemplates", { spec: devices(true) })).toEqual(refused);
  expect(await outcome("resourceclaims", devices(true), { "resource.orch.io/admin-access": "true" })).toBe("allowed");
  expect(await outcome("resourceclaims", devices(false))).toBe("allowed");
});
