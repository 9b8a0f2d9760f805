/** Versions that are off by default, at each level that has them: served when they are asked for, with what is behind them. */

import { expect, test } from "vitest";
import { existsIn, type Span } from "../../src/base/release.ts";
import { levels } from "../../src/machinery/schema/levels.ts";
import { type CreateServerOptions, createServer, type OrchServer } from "../../src/main/library.ts";

const policies = "admissionregistration.orch.io";
const rules = [{ operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const policy = {
  metadata: { name: "p" },
  spec: {
    matchConstraints: { resourceRules: rules },
    validations: [{ expression: "object.metadata.name != 'bad'", message: "not that name" }],
  },
};
const bodies: Readonly<Record<string, object>> = {
  selfsubjectreviews: {},
  validatingadmissionpolicies: policy,
  validatingadmissionpolicybindings: {
    metadata: { name: "b" },
    spec: { policyName: "p", validationActions: ["Deny"] },
  },
  volumeattributesclasses: { metadata: { name: "fast" }, driverName: "disks.example.com", parameters: { speed: "9" } },
  ipaddresses: {
    metadata: { name: "10.9.0.1" },
    spec: { parentRef: { resource: "services", namespace: "default", name: "a" } },
  },
  servicecidrs: { metadata: { name: "more" }, spec: { cidrs: ["10.9.0.0/24"] } },
};

const rows: readonly (Span & { readonly of: string; readonly resources: readonly string[] })[] = [
  { of: "authentication.orch.io/v1alpha1", resources: ["selfsubjectreviews"], since: "1.26", until: "1.32" },
  { of: "authentication.orch.io/v1beta1", resources: ["selfsubjectreviews"], since: "1.27", until: "1.33" },
  {
    of: `${policies}/v1alpha1`,
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    since: "1.26",
    until: "1.32",
  },
  {
    of: `${policies}/v1beta1`,
    resources: ["validatingadmissionpolicies", "validatingadmissionpolicybindings"],
    since: "1.28",
    until: "1.34",
  },
  { of: "storage.orch.io/v1alpha1", resources: ["volumeattributesclasses"], since: "1.29", until: "1.35" },
  { of: "storage.orch.io/v1beta1", resources: ["volumeattributesclasses"], since: "1.31", until: "1.37" },
  { of: "networking.orch.io/v1alpha1", resources: ["ipaddresses"], since: "1.27", until: "1.31" },
  { of: "networking.orch.io/v1alpha1", resources: ["servicecidrs"], since: "1.29", until: "1.31" },
  { of: "networking.orch.io/v1beta1", resources: ["ipaddresses", "servicecidrs"], since: "1.31", until: "1.37" },
];

const open = (options: CreateServerOptions) => createServer({ controllers: false, ...options });

async function ask(server: OrchServer, path: string, body?: object) {
  const headers = { "content-type": "application/json" };
  const response = await server.fetch(path, body && { method: "POST", headers, body: JSON.stringify(body) });
  // biome-ignore lint/suspicious/noExplicitAny: whatever JSON came
  return { status: response.status, body: (await response.json()) as any };
}

for (const level of levels) {
  const here = rows.filter((row) => existsIn(level, row));
  if (here.length === 0) continue;
  test(`level ${level} serves ${here.map(({ of }) => of).join(", ")} when they are asked for`, async () => {
    const gate = existsIn(level, { since: "1.26", until: "1.27" }) ? { APISelfSubjectReview: true } : {};
    await using usual = await open({ emulatedVersion: level });
    await using server = await open({
      emulatedVersion: level,
      featureGates: gate,
      runtimeConfig: Object.fromEntries(here.map(({ of }) => [of, true])),
    });
    const { paths } = (await ask(server, "/openapi/v3")).body;
    for (const { of, resources } of here) {
      expect(Object.keys(paths)).toContain(`apis/${of}`);
      const found: { name: string }[] = (await ask(server, `/apis/${of}`)).body.resources;
      expect(found.map(({ name }) => name)).toEqual(expect.arrayContaining([...resources]));
      expect((await ask(usual, `/apis/${of}`)).status).toBe(404);
      for (const resource of resources) {
        const known = bodies[resource] as { metadata?: { name: string } }; // the table has one for each
        const name = `${known.metadata?.name ?? ""}${resource === "ipaddresses" ? "" : of.slice(-6)}`;
        const object = { ...known, metadata: { ...known.metadata, name } };
        const made = await ask(server, `/apis/${of}/${resource}`, resource === "selfsubjectreviews" ? {} : object);
        expect([made.status, made.body.apiVersion]).toEqual([201, of]);
        if (resource === "selfsubjectreviews") expect(made.body.status.userInfo.groups).toContain("system:masters");
        else
          expect((await ask(server, `/apis/${of}/${resource}/${name}`)).body.metadata.uid).toBe(made.body.metadata.uid);
      }
    }
  });
}

for (const [level, version, hasActions] of [
  ["1.26", "v1alpha1", false],
  ["1.27", "v1alpha1", true],
  ["1.28", "v1beta1", true],
  ["1.29", "v1alpha1", true],
] as const) {
  test(`at level ${level} policies of ${version} refuse requests when their gate is on`, async () => {
    const of = `${policies}/${version}`;
    for (const isOn of [true, false]) {
      await using server = await open({
        emulatedVersion: level,
        featureGates: { ValidatingAdmissionPolicy: isOn },
        runtimeConfig: { [of]: true },
      });
      const { validationActions: _, ...spec } = { policyName: "p", validationActions: ["Deny"] };
      const binding = { metadata: { name: "b" }, spec: hasActions ? { ...spec, validationActions: ["Deny"] } : spec };
      expect((await ask(server, `/apis/${of}/validatingadmissionpolicies`, policy)).status).toBe(201);
      expect((await ask(server, `/apis/${of}/validatingadmissionpolicybindings`, binding)).status).toBe(201);
      const bad = await ask(server, "/api/v1/namespaces/default/configmaps", { metadata: { name: "bad" } });
      expect(bad.status).toBe(isOn ? 422 : 201);
      expect((await ask(server, "/api/v1/namespaces/default/configmaps", { metadata: { name: "good" } })).status).toBe(
        201,
      );
    }
  });
}

test("a single resource of a version is served at levels since 1.24", async () => {
  const key = "storage.orch.io/v1beta1/volumeattributesclasses";
  await using server = await open({ emulatedVersion: "1.33", runtimeConfig: { [key]: true } });
  expect((await ask(server, `/apis/${key}`)).status).toBe(200);
  await expect(
    open({ emulatedVersion: "1.33", runtimeConfig: { "storage.orch.io/v1/CSINodes": true } }),
  ).rejects.toThrow("plural in lower case");
});
