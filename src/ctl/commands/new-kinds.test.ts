import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSession, type Session } from "../session.suite.ts";

/** In neutral names; a server with Kubernetes' names gets the same with those. */
interface NewKind {
  readonly resource: string;
  /** Group and version. */
  readonly in: string;
  readonly kind: string;
  readonly body: object;
  /** A field of it, with a word of its documentation. */
  readonly explained: readonly [path: string, word: string];
}

const device = { name: "d", exactly: { deviceClassName: "gpu" } };
const policy = {
  matchConstraints: {
    resourceRules: [{ apiGroups: [""], apiVersions: ["v1"], resources: ["pods"], operations: ["CREATE"] }],
  },
};
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "x" };
const newKinds: readonly NewKind[] = [
  {
    resource: "servicecidrs",
    in: "networking.orch.io/v1",
    kind: "ServiceCIDR",
    body: { spec: { cidrs: ["10.99.0.0/24"] } },
    explained: ["spec.cidrs", "range"],
  },
  {
    resource: "volumeattributesclasses",
    in: "storage.orch.io/v1",
    kind: "VolumeAttributesClass",
    body: { driverName: "d.example.com", parameters: { iops: "1" } },
    explained: ["driverName", "driver"],
  },
  {
    resource: "deviceclasses",
    in: "resource.orch.io/v1",
    kind: "DeviceClass",
    body: { spec: {} },
    explained: ["spec.selectors", "device"],
  },
  {
    resource: "resourceclaims",
    in: "resource.orch.io/v1",
    kind: "ResourceClaim",
    body: { spec: { devices: { requests: [device] } } },
    explained: ["spec.devices.requests", "device"],
  },
  {
    resource: "resourceclaimtemplates",
    in: "resource.orch.io/v1",
    kind: "ResourceClaimTemplate",
    body: { spec: { spec: { devices: { requests: [device] } } } },
    explained: ["spec.spec.devices", "device"],
  },
  {
    resource: "resourceslices",
    in: "resource.orch.io/v1",
    kind: "ResourceSlice",
    body: {
      spec: { driver: "d.example.com", nodeName: "n", pool: { name: "p", generation: 1, resourceSliceCount: 1 } },
    },
    explained: ["spec.pool", "pool"],
  },
  {
    resource: "validatingadmissionpolicies",
    in: "admissionregistration.orch.io/v1",
    kind: "ValidatingAdmissionPolicy",
    body: { spec: { ...policy, validations: [{ expression: "true" }] } },
    explained: ["spec.validations", "expression"],
  },
  {
    resource: "validatingadmissionpolicybindings",
    in: "admissionregistration.orch.io/v1",
    kind: "ValidatingAdmissionPolicyBinding",
    body: { spec: { policyName: "x", validationActions: ["Deny"] } },
    explained: ["spec.validationActions", "polic"],
  },
  {
    resource: "horizontalpodautoscalers",
    in: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    body: { spec: { scaleTargetRef: target, maxReplicas: 3 } },
    explained: ["spec.behavior", "scal"],
  },
];

describe.each(["ctl", "kubectl"] as const)("%s at a server of 1.35", (program) => {
  let session: Session;
  beforeAll(async () => {
    session = await openSession(program, { emulatedVersion: "1.35" });
  });
  afterAll(() => session[Symbol.asyncDispose]());
  const group = (text: string) => (program === "kubectl" ? text.replaceAll("orch.io", "k8s.io") : text);

  for (const { resource, in: apiVersion, kind, body, explained } of newKinds) {
    test(`creates, gets, describes, explains and waits for a ${kind}`, async () => {
      const object = { apiVersion: group(apiVersion), kind, metadata: { name: "x" }, ...body };
      const manifest = session.file(`${resource}.json`, JSON.stringify(object));
      const [name] = group(apiVersion).split("/");
      expect(await session.ok(`create -f ${manifest}`)).toBe(`${kind.toLowerCase()}.${name}/x created\n`);
      expect(await session.ok(`get ${resource} x`)).toMatch(/^NAME.*\nx /);
      expect(await session.ok(`get ${resource} x -o name`)).toBe(`${kind.toLowerCase()}.${name}/x\n`);
      expect(await session.ok(`describe ${resource} x`)).toMatch(/^Name: +x\n/);
      const [path, word] = explained;
      expect(await session.ok(`explain ${resource}.${path}`)).toContain(word);
      expect(await session.ok(`wait --for=create ${resource}/x`)).toContain("condition met");
      expect(await session.ok(`wait --for=jsonpath={.metadata.name}=x ${resource}/x`)).toContain("condition met");
      await session.ok(`delete ${resource} x --wait=false`);
    });
  }
});

test("get everything prints no warnings about types", async () => {
  await using session = await openSession("ctl", { emulatedVersion: "1.35" });
  const warned = "Warning: v1 Endpoints is deprecated in v1.33+";
  expect((await session.run("get endpoints")).err).toContain(warned);
  const { code, out, err } = await session.run("get everything -o name");
  expect([code, out]).toEqual([0, expect.stringContaining("service/orch\n")]);
  expect(err).not.toContain("Warning");
  expect((await session.run("get everything")).err).not.toContain("Warning");
});
