/** A cluster that a policy breaks: policies are newer than what the other ways need. */

import { expect, test, vi } from "vitest";
import { openSession } from "../session.suite.ts";

const group = "admissionregistration.orch.io";
const policies = `
apiVersion: ${group}/v1
kind: ValidatingAdmissionPolicy
metadata: { name: no-pods }
spec:
  matchConstraints:
    resourceRules: [{ apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods] }]
  validations: [{ expression: "false" }]
---
apiVersion: ${group}/v1
kind: ValidatingAdmissionPolicyBinding
metadata: { name: no-pods }
spec: { policyName: no-pods, validationActions: [Deny] }
`;

test("a policy that refuses every pod is found by why, and undone", async () => {
  await using session = await openSession("ctl", {
    history: "1h",
    controllers: ["*"],
    nodes: 1,
    emulatedVersion: "1.35",
  });
  await session.ok("create deployment web --image=web:1");
  await session.server.until("Deployment", "web", ({ status }: Deployed) => status?.availableReplicas === 1);
  await session.ok(["apply", "-f", session.file("policy.yaml", policies)]);
  await vi.waitFor(async () => expect((await session.run("run one --image=i")).err).toMatch(/denied/), {
    timeout: 30_000,
  });
  await session.ok("delete pods -l app=web --wait=false");
  const told = await session.ok("why deploy/web");
  const [, number] = /(\d+) .*create validatingadmissionpolicybindings\/no-pods/.exec(told) ?? [];
  expect(number, told).toBeDefined();
  await session.ok(["undo", number!]);
  await vi.waitFor(() => session.ok("run two --image=i"), { timeout: 30_000 });
});

interface Deployed {
  readonly metadata: object;
  readonly status?: { readonly availableReplicas?: number };
}
