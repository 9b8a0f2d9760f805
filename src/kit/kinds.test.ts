/** Kinds and versions that only later levels serve, through the typed client. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createServer, type OrchServer } from "../main/library.ts";
import {
  type Client,
  CSIStorageCapacityV1,
  connect,
  DeviceClass,
  FlowSchemaV1,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerV2,
  isNotFound,
  MutatingAdmissionPolicy,
  Pod,
  ResourceClaimTemplate,
  ResourceSlice,
  SelfSubjectReview,
  ServiceCIDR,
  ValidatingAdmissionPolicy,
  VolumeAttributesClass,
} from "./orch-client.ts";

for (const vocabulary of ["orch", "kubernetes"] as const)
  describe(`a server of level 1.35 that speaks ${vocabulary}`, () => {
    let server: OrchServer;
    let client: Client;
    beforeAll(async () => {
      server = await createServer({
        vocabulary,
        emulatedVersion: "1.35",
        controllers: false,
        runtimeConfig: { "api/beta": true },
        featureGates: { MutatingAdmissionPolicy: true },
      });
      client = await connect({ server });
    });
    afterAll(() => server.close());

    test("serves the kinds of its level", async () => {
      await client.of(DeviceClass).create({ metadata: { name: "gpu" }, spec: {} });
      const requests = [{ name: "one", exactly: { deviceClassName: "gpu" } }];
      const template = await client
        .of(ResourceClaimTemplate)
        .create({ metadata: { name: "gpu" }, spec: { spec: { devices: { requests } } } });
      expect(template.spec.spec.devices?.requests?.[0]?.exactly?.count).toBe(1); // by default
      const range = await client
        .of(ServiceCIDR)
        .create({ metadata: { name: "more" }, spec: { cidrs: ["10.9.0.0/24"] } });
      expect(range.spec?.cidrs).toEqual(["10.9.0.0/24"]);
      const review = await client.of(SelfSubjectReview).create({ metadata: {} });
      expect(review.status?.userInfo?.username).toBe("admin");
      const validations = [{ expression: "object.metadata.name != 'x'" }];
      const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] };
      const matchConstraints = { resourceRules: [rule] };
      const policy = { metadata: { name: "names" }, spec: { matchConstraints, validations } };
      expect((await client.of(ValidatingAdmissionPolicy).create(policy)).spec.failurePolicy).toBe("Fail");
      expect((await client.of(ResourceSlice).list().all()).items).toEqual([]);
      expect((await client.of(VolumeAttributesClass).list().all()).items).toEqual([]);
      expect((await client.of(MutatingAdmissionPolicy).list().all()).items).toEqual([]);
      expect((await client.of(CSIStorageCapacityV1).list().all()).items).toEqual([]);
      expect((await client.of(FlowSchemaV1).get("exempt")).spec?.matchingPrecedence).toBe(1);
    });

    test("has one autoscaler in two versions", async () => {
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
      const target = { type: "Utilization", averageUtilization: 70 };
      const metrics = [{ type: "Resource", resource: { name: "cpu", target } }];
      await client
        .of(HorizontalPodAutoscalerV2)
        .create({ metadata: { name: "web" }, spec: { scaleTargetRef, maxReplicas: 5, metrics } });
      const old = await client.of(HorizontalPodAutoscaler).get("web");
      expect(old.spec?.targetCPUUtilizationPercentage).toBe(70);
    });

    test("evicts pods", async () => {
      const pods = client.of(Pod);
      await pods.create({ metadata: { name: "web" }, spec: { containers: [{ name: "c", image: "i" }] } });
      await pods.evict("web");
      expect(await pods.find("web")).toBeUndefined();
    });
  });

test("a server of level 1.21 says that it does not have them", async () => {
  await using server = await createServer({ controllers: false });
  const client = await connect({ server });
  const error = await client
    .of(ServiceCIDR)
    .get("more")
    .catch((failure: unknown) => failure);
  expect(isNotFound(error)).toBe(true);
});
