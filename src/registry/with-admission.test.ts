import { expect, test } from "vitest";
import { createWorld } from "../admission/admission.suite.ts";
import { createAdmission } from "../admission/chain.ts";
import { createNamespaceLifecycle } from "../admission/plugins/namespace-lifecycle.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Action, ActionRequest } from "./contract/action.ts";
import { withAdmission } from "./with-admission.ts";

const world = createWorld([
  { resource: "namespaces", object: { metadata: { name: "live" } } as ApiObject },
  {
    resource: "namespaces",
    object: { metadata: { name: "leaving" }, status: { phase: "Terminating" } } as ApiObject,
  },
]);
const chain = createAdmission([createNamespaceLifecycle(world.context)]);
const action: Action = { create: async ({ body }) => ({ object: body, code: 201 }) };
const request = (namespace: string): ActionRequest => ({
  kind: world.request("serviceaccounts", {}).kind,
  accepted: undefined,
  ref: { namespace, name: "robot" },
  body: { metadata: {} },
  context: {
    user: { name: "tester", uid: "", groups: [], extra: new Map() },
    dryRun: false,
    fieldManager: "",
    warn() {},
  },
  registry: world.context.registry,
});

test("an action is refused where a create would be", async () => {
  const admitted = withAdmission("serviceaccounts/token", action, chain);
  expect((await admitted.create?.(request("live")))?.code).toBe(201);
  await expect(admitted.create?.(request("leaving"))).rejects.toMatchObject({ code: 403, details: { name: "robot" } });
  await expect(admitted.create?.(request("nowhere"))).rejects.toMatchObject({ code: 404 });
});

test("plugins see which subresource it is", async () => {
  const seen: string[] = [];
  const spy = createAdmission([
    {
      name: "Spy",
      handles: () => true,
      validate: ({ subresource }) => void seen.push(subresource),
    },
  ]);
  await withAdmission("serviceaccounts/token", action, spy).create?.(request("live"));
  await withAdmission("tokenreviews", action, spy).create?.(request("live"));
  expect(seen).toEqual(["token", ""]);
});

test("plugins that check see what the action completes, and plugins that change do not", async () => {
  const seen: unknown[] = [];
  const spy = createAdmission([
    {
      name: "Spy",
      handles: () => true,
      mutate: ({ object }) => void seen.push(object?.metadata.uid),
      validate: ({ object }) => void seen.push(object?.metadata.uid),
    },
  ]);
  const completing: Action = {
    ...action,
    async complete({ body }) {
      body.metadata.uid = "of the account";
    },
  };
  const answer = await withAdmission("serviceaccounts/token", completing, spy).create?.(request("live"));
  expect(seen).toEqual([undefined, "of the account"]);
  expect(answer?.object.metadata.uid).toBe("of the account");
});
