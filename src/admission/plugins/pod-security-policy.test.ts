import { expect, test } from "vitest";
import type { Attributes } from "../../authz/contract.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { createWorld } from "../admission.suite.ts";
import { createPodSecurityPolicy } from "./pod-security-policy.ts";

const any = { rule: "RunAsAny" };
const policy = (name: string, more: object = {}) => ({
  resource: "podsecuritypolicies",
  object: {
    metadata: { name },
    spec: { seLinux: any, runAsUser: any, fsGroup: any, supplementalGroups: any, volumes: ["*"], ...more },
  } as ApiObject,
});
const pod = (spec: object = {}, annotations?: Record<string, string>): ApiObject => ({
  metadata: { name: "p", namespace: "ns", ...(annotations ? { annotations } : {}) },
  spec: { serviceAccountName: "robot", containers: [{ name: "c" }], ...spec },
});
const changing = { readOnlyRootFilesystem: true };
const jane = { name: "jane", uid: "", groups: [], extra: new Map() };
const robot = "system:serviceaccount:ns:robot";

/** `grants`: names of policies by the name of a user or group who may use them, in the API group "policy". */
function open(policies: ReturnType<typeof policy>[], grants: Record<string, string[]>, group = "policy") {
  const asked: Attributes[] = [];
  const world = createWorld(policies, "orch", {
    authorizer(attributes) {
      asked.push(attributes);
      const { user, verb, resource, namespace, name } = attributes;
      const isUse = verb === "use" && resource === "podsecuritypolicies" && namespace === "ns";
      const isGranted = [user.name, ...user.groups].some((who) => grants[who]?.includes(name));
      const isAllowed = isUse && attributes.group === group && isGranted;
      return { outcome: isAllowed ? "allow" : "none", reason: "" };
    },
  });
  const plugin = createPodSecurityPolicy(world.context);
  const admit = (object: ApiObject, old?: ApiObject) =>
    world.admit(plugin, "pods", {
      namespace: "ns",
      user: jane,
      object,
      ...(old ? { old, operation: "UPDATE" as const } : {}),
    });
  const chosen = async (object: ApiObject) => (await admit(object))?.metadata.annotations?.["orch.io/psp"];
  return { ...world, admit, chosen, asked };
}

test("a policy that neither the caller nor the account may use admits nothing, and is not named (C19 in docs/security-rows.md)", async () => {
  const { admit } = open([policy("open")], {});
  await expect(admit(pod())).rejects.toMatchObject({ reason: "Forbidden" });
  const strict = open([policy("strict")], {});
  await expect(strict.admit(pod({ hostPID: true }))).rejects.toThrow(
    /unable to admit pod: \[\] \(admission plugin PodSecurityPolicy\)$/,
  );
});

test("without any policy every pod is refused", async () => {
  await expect(open([], {}).admit(pod())).rejects.toMatchObject({ reason: "Forbidden" });
});

test("the caller, the pod's account and a group of the account may be granted a policy, in either API group", async () => {
  for (const who of ["jane", robot, "system:serviceaccounts", "system:serviceaccounts:ns"]) {
    for (const group of ["policy", "extensions"]) {
      expect(await open([policy("open")], { [who]: ["open"] }, group).chosen(pod())).toBe("open");
    }
  }
  const { chosen } = open([policy("open")], { "system:serviceaccounts:other": ["open"] });
  await expect(chosen(pod())).rejects.toMatchObject({ reason: "Forbidden" });
});

test("a policy that changes nothing is preferred, then the first by name", async () => {
  const policies = [policy("d"), policy("c"), policy("a", changing), policy("b", { hostPID: true, ...changing })];
  const { chosen, admit, annotations } = open(policies, { jane: ["a", "b", "c", "d"] });
  expect(await chosen(pod())).toBe("c");
  expect(await chosen(pod({ hostPID: true }))).toBe("b");
  expect((await admit(pod({ hostPID: true })))?.["spec"]).toMatchObject({
    containers: [{ securityContext: { readOnlyRootFilesystem: true } }],
  });
  expect(Object.fromEntries(annotations)).toEqual({
    "podsecuritypolicy.admission.orch.io/admit-policy": "b",
    "podsecuritypolicy.admission.orch.io/validate-policy": "b",
  });
});

test("a refusal lists what usable policies found, and does not mention others", async () => {
  const { admit } = open([policy("mine"), policy("other", { volumes: [] })], { jane: ["mine"] });
  await expect(admit(pod({ hostPID: true, volumes: [{ name: "v", emptyDir: {} }] }))).rejects.toThrow(
    /^pods "p" is forbidden: unable to admit pod: \[spec.securityContext.hostPID: [^,]*\] \(admission plugin PodSecurityPolicy\)$/,
  );
});

test("an update is checked and never changed", async () => {
  const { admit } = open([policy("strict", changing)], { jane: ["strict"] });
  const old = pod();
  await expect(admit(pod({}, { a: "b" }), old)).rejects.toThrow(/unable to validate pod/);
  const fitting = pod({ containers: [{ name: "c", securityContext: changing }] }, { a: "b" });
  expect(await admit(structuredClone(fitting), old)).toEqual(fitting);
});

test("the garbage collector may change owners and finalizers of any pod", async () => {
  const { admit } = open([policy("strict")], {});
  const old = pod({ hostPID: true });
  const object = { ...old, metadata: { ...old.metadata, finalizers: ["example.com/f"] } };
  expect(await admit(object, old)).toEqual(object);
});

test("containers that are added to a running pod are checked with it (C18)", async () => {
  const running = { resource: "pods", object: pod() };
  const { context, request } = open([policy("strict"), running], { jane: ["strict"] });
  const plugin = createPodSecurityPolicy(context);
  const add = async (securityContext: object) =>
    plugin.validate?.(
      request("pods", {
        operation: "UPDATE",
        subresource: "ephemeralcontainers",
        namespace: "ns",
        name: "p",
        user: jane,
        old: { metadata: { name: "p" }, ephemeralContainers: [] },
        object: { metadata: { name: "p" }, ephemeralContainers: [{ name: "e", securityContext }] },
      }),
    );
  await add({});
  await expect(add({ privileged: true })).rejects.toThrow(/spec.ephemeralContainers\[0\].securityContext.privileged/);
});
