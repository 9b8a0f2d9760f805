import { describe, expect, test } from "vitest";
import { PriorityClass } from "../../api/scheduling/v1/priority-class.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { createWorld } from "../admission.suite.ts";
import { createDefaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { createPriority } from "./priority.ts";
import { createServiceAccount } from "./service-account.ts";

const podOf = (spec: Record<string, unknown>, metadata = {}): ApiObject => ({
  metadata: { name: "p", ...metadata },
  spec,
});

describe("DefaultTolerationSeconds", () => {
  const world = createWorld([]);
  const plugin = createDefaultTolerationSeconds(world.context);
  const notReady = { key: "node.orch.io/not-ready", operator: "Exists", effect: "NoExecute", tolerationSeconds: 300 };
  const unreachable = { ...notReady, key: "node.orch.io/unreachable", tolerationSeconds: 200 };
  const other = { key: "example.com/t", operator: "Exists", effect: "NoSchedule" };
  const own = { key: "node.orch.io/unreachable", operator: "Exists", effect: "NoExecute" };
  const rows = [
    { why: "no tolerations", given: undefined, expected: [notReady, unreachable] },
    { why: "other tolerations come first", given: [other], expected: [other, notReady, unreachable] },
    { why: "a toleration of the pod is kept", given: [own], expected: [own, notReady] },
    {
      why: "a toleration of another effect does not count",
      given: [{ ...own, effect: "NoSchedule" }],
      expected: [{ ...own, effect: "NoSchedule" }, notReady, unreachable],
    },
    { why: "a toleration of everything", given: [{ operator: "Exists" }], expected: [{ operator: "Exists" }] },
  ];
  for (const { why, given, expected } of rows) {
    test(why, async () => {
      const pod = await world.admit(plugin, "pods", { object: podOf(given ? { tolerations: given } : {}) });
      expect(pod?.["spec"]).toEqual({ tolerations: expected });
    });
  }
});

describe("Priority", () => {
  const classOf = (name: string, value: number, more = {}) => ({
    resource: "priorityclasses",
    object: { metadata: { name }, value, preemptionPolicy: "PreemptLowerPriority", ...more } as ApiObject,
  });
  const world = createWorld([classOf("high", 1000, { preemptionPolicy: "Never" })]);
  const plugin = createPriority(world.context);
  const admit = (spec: Record<string, unknown>) => world.admit(plugin, "pods", { object: podOf(spec) });

  test("without a class a pod has priority 0", async () => {
    expect((await admit({}))?.["spec"]).toEqual({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
  });
  test("the class sets priority and preemption policy", async () => {
    expect((await admit({ priorityClassName: "high" }))?.["spec"]).toEqual({
      priorityClassName: "high",
      priority: 1000,
      preemptionPolicy: "Never",
    });
  });
  test("a missing class, another priority and another policy are refused", async () => {
    await expect(admit({ priorityClassName: "none" })).rejects.toThrow(/no PriorityClass with name none/);
    await expect(admit({ priorityClassName: "high", priority: 1 })).rejects.toThrow(/spec.priority must not be set/);
    await expect(admit({ priorityClassName: "high", preemptionPolicy: "X" })).rejects.toThrow(/preemptionPolicy/);
  });
  test("the default class is used by name, and of two the lower", async () => {
    const many = createWorld([classOf("a", 7, { globalDefault: true }), classOf("b", 5, { globalDefault: true })]);
    const pod = await many.admit(createPriority(many.context), "pods", { object: podOf({}) });
    expect(pod?.["spec"]).toMatchObject({ priorityClassName: "b", priority: 5 });
  });
  test("a class is used from when it becomes the default until it no longer is", async () => {
    const { context, admit } = createWorld([]);
    const late = createPriority(context);
    const kind = context.catalog.of(PriorityClass);
    const ref = { namespace: "", name: "late" };
    const writer = { user: serverUser, dryRun: false, fieldManager: "", warn() {} };
    const priority = async () => (await admit(late, "pods", { object: podOf({}) }))?.["spec"];
    const object = { metadata: { name: "late" }, value: 9, globalDefault: true } as PriorityClass;
    await context.registry.create(kind, object, ref, writer);
    expect(await priority()).toMatchObject({ priorityClassName: "late", priority: 9 });
    await context.registry.update(kind, ref, () => ({ ...object, globalDefault: false }), writer);
    expect(await priority()).toEqual({ priority: 0, preemptionPolicy: "PreemptLowerPriority" });
  });
  test("an update that omits the priority keeps it", async () => {
    const pod = await world.admit(plugin, "pods", {
      operation: "UPDATE",
      object: podOf({}),
      old: podOf({ priority: 4, preemptionPolicy: "Never" }),
    });
    expect(pod?.["spec"]).toEqual({ priority: 4, preemptionPolicy: "Never" });
  });
  test("a second default class is refused, the default itself may change", async () => {
    const one = createWorld([classOf("a", 7, { globalDefault: true })]);
    const own = createPriority(one.context);
    const second = { metadata: { name: "b" }, value: 1, globalDefault: true } as ApiObject;
    const same = { metadata: { name: "a" }, value: 7, globalDefault: true } as ApiObject;
    await expect(one.admit(own, "priorityclasses", { object: second })).rejects.toThrow(/already the default/);
    await one.admit(own, "priorityclasses", { object: same, operation: "UPDATE" });
  });
});

describe("ServiceAccount", () => {
  const account = (name: string, more = {}) => ({
    resource: "serviceaccounts",
    object: { metadata: { name, namespace: "a" }, ...more } as ApiObject,
  });
  const world = createWorld([
    account("default"),
    account("quiet", { automountServiceAccountToken: false, imagePullSecrets: [{ name: "pull" }] }),
    account("strict", {
      metadata: { name: "strict", namespace: "a", annotations: { "orch.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "ok" }],
      imagePullSecrets: [{ name: "pull" }],
    }),
  ]);
  const plugin = createServiceAccount(world.context);
  const admit = (spec: Record<string, unknown>, metadata = {}) =>
    world.admit(plugin, "pods", { namespace: "a", object: podOf(spec, metadata) });
  const mountPath = "/var/run/secrets/orch.io/serviceaccount";
  const mount = { name: "orch-api-access-xxxxx", readOnly: true, mountPath };

  test("a pod without an account gets the default one with its token in every container", async () => {
    const spec = {
      initContainers: [{ name: "i" }],
      containers: [{ name: "a", volumeMounts: [{ name: "v", mountPath }] }, { name: "b" }],
    };
    expect((await admit(spec))?.["spec"]).toEqual({
      serviceAccountName: "default",
      serviceAccount: "default",
      initContainers: [{ name: "i", volumeMounts: [mount] }],
      containers: [
        { name: "a", volumeMounts: [{ name: "v", mountPath }] },
        { name: "b", volumeMounts: [mount] },
      ],
      volumes: [
        {
          name: "orch-api-access-xxxxx",
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3600, path: "token" } },
              { configMap: { name: "orch-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
              {
                downwardAPI: {
                  items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
                },
              },
            ],
          },
        },
      ],
    });
  });

  test("since 1.22 the volume of the token says the mode of its files", async () => {
    const late = createWorld([account("default")], "orch", { level: "1.35" });
    const object = podOf({ containers: [{ name: "c" }] });
    const pod = await late.admit(createServiceAccount(late.context), "pods", { namespace: "a", object });
    expect(pod?.["spec"]).toMatchObject({ volumes: [{ projected: { defaultMode: 0o644 } }] });
  });

  test("an account without automount mounts nothing, and its pull secrets are copied", async () => {
    expect((await admit({ serviceAccountName: "quiet", containers: [{ name: "c" }] }))?.["spec"]).toEqual({
      serviceAccountName: "quiet",
      serviceAccount: "quiet",
      containers: [{ name: "c" }],
      imagePullSecrets: [{ name: "pull" }],
    });
  });

  test("a missing account is refused", async () => {
    await expect(admit({ serviceAccountName: "nobody", containers: [] })).rejects.toThrow(
      /no service account a\/nobody/,
    );
  });

  const base = { serviceAccountName: "strict", automountServiceAccountToken: false };
  const secretsRows = [
    { why: "an unlisted volume", spec: { volumes: [{ name: "v", secret: { secretName: "bad" } }] } },
    {
      why: "an unlisted variable",
      spec: {
        containers: [{ name: "c", env: [{ name: "E", valueFrom: { secretKeyRef: { name: "bad", key: "k" } } }] }],
      },
    },
    { why: "an unlisted pull secret", spec: { imagePullSecrets: [{ name: "bad" }] } },
  ];
  for (const { why, spec } of secretsRows) {
    test(`a strict account refuses ${why}`, async () => {
      await expect(admit({ ...base, ...spec })).rejects.toThrow(/bad/);
    });
  }
  test("a strict account refuses secrets in containers that are added to its running pods (C18 in docs/security-rows.md)", async () => {
    const running = { resource: "pods", object: podOf({ serviceAccountName: "strict" }, { namespace: "a" }) };
    const strict = account("strict", {
      metadata: { name: "strict", namespace: "a", annotations: { "orch.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "ok" }],
    });
    const { context, request } = createWorld([running, strict]);
    const add = async (container: object) =>
      createServiceAccount(context).validate?.(
        request("pods", {
          operation: "UPDATE",
          subresource: "ephemeralcontainers",
          namespace: "a",
          name: "p",
          old: { metadata: { name: "p" }, ephemeralContainers: [] },
          object: { metadata: { name: "p" }, ephemeralContainers: [{ name: "e", ...container }] },
        }),
      );
    await add({ envFrom: [{ secretRef: { name: "ok" } }] });
    await expect(add({ envFrom: [{ secretRef: { name: "bad" } }] })).rejects.toThrow(/secret bad/);
    const variable = { name: "E", valueFrom: { secretKeyRef: { name: "bad", key: "k" } } };
    await expect(add({ env: [variable] })).rejects.toThrow(/secret bad/);
  });
  test("at level 1.35 a strict account also refuses whole secrets as variables, and added containers of a pod", async () => {
    const running = { resource: "pods", object: podOf({ serviceAccountName: "strict" }, { namespace: "a" }) };
    const strict = account("strict", {
      metadata: { name: "strict", namespace: "a", annotations: { "orch.io/enforce-mountable-secrets": "true" } },
      secrets: [{ name: "ok" }],
    });
    const { context, request, admit: admitAt } = createWorld([running, strict], "orch", { level: "1.35" });
    const late = createServiceAccount(context);
    const user = (name: string) => ({ name: "e", envFrom: [{ secretRef: { name } }] });
    const create = (name: string) => ({ namespace: "a", object: podOf({ ...base, containers: [user(name)] }) });
    await admitAt(late, "pods", create("ok"));
    await expect(admitAt(late, "pods", create("bad"))).rejects.toThrow(/secret bad/);
    await world.admit(plugin, "pods", create("bad")); // level 1.21 does not look
    const add = async (container: object) =>
      late.validate?.(
        request("pods", {
          ...{ operation: "UPDATE", subresource: "ephemeralcontainers", namespace: "a", name: "p" },
          old: podOf({}),
          object: podOf({ ephemeralContainers: [container] }),
        }),
      );
    await add(user("ok"));
    await expect(add(user("bad"))).rejects.toThrow(/secret bad/);
  });
  test("the restrictions of an account are checked before validation of the pod", async () => {
    const bad = { volumes: [{ name: "v", secret: { secretName: "bad" } }] };
    const mirror = { annotations: { "orch.io/config.mirror": "x" } };
    for (const object of [podOf({ ...base, ...bad }), podOf(bad, mirror)]) {
      const request = world.request("pods", { namespace: "a", object });
      await expect(async () => plugin.mutate?.(request)).rejects.toMatchObject({ code: 403 });
    }
  });
  test("a strict account allows listed secrets", async () => {
    await admit({
      ...base,
      volumes: [{ name: "v", secret: { secretName: "ok" } }],
      imagePullSecrets: [{ name: "pull" }],
    });
  });

  test("a mirror pod gets no account and may not use secrets or tokens", async () => {
    const mirror = { annotations: { "orch.io/config.mirror": "x" } };
    expect((await admit({ containers: [{ name: "c" }] }, mirror))?.["spec"]).toEqual({ containers: [{ name: "c" }] });
    await expect(admit({ serviceAccountName: "default" }, mirror)).rejects.toThrow(/may not name a service account/);
    const volumes = [{ secret: { secretName: "s" } }, { cinder: { volumeID: "v", secretRef: { name: "s" } } }];
    for (const source of volumes) {
      await expect(admit({ volumes: [{ name: "v", ...source }] }, mirror)).rejects.toThrow(/may not use secrets/);
    }
    await expect(admit({ imagePullSecrets: [{ name: "s" }] }, mirror)).rejects.toThrow(/may not use secrets/);
    const token = { volumes: [{ name: "v", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }] };
    await expect(admit(token, mirror)).rejects.toThrow(/may not use service account tokens/);
  });
});
