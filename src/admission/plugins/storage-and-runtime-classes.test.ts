import { describe, expect, test } from "vitest";
import { createWorld } from "../admission.suite.ts";
import { mergeTolerations, tolerationsMergedMax } from "../tolerations.ts";
import { createDefaultStorageClass } from "./default-storage-class.ts";
import { createPersistentVolumeClaimResize } from "./persistent-volume-claim-resize.ts";
import { createRuntimeClass } from "./runtime-class.ts";

const storageClass = (name: string, isDefault: boolean, more: Record<string, unknown> = {}) => ({
  resource: "storageclasses",
  object: {
    metadata: { name, annotations: { "storageclass.orch.io/is-default-class": String(isDefault) } },
    provisioner: "p",
    ...more,
  },
});

describe("DefaultStorageClass", () => {
  const admitted = async (classes: ReturnType<typeof storageClass>[], spec: object, annotations: object = {}) => {
    const { context, admit } = createWorld(classes);
    const object = { metadata: { name: "c", annotations: { ...annotations } }, spec };
    return (await admit(createDefaultStorageClass(context), "persistentvolumeclaims", { object, namespace: "a" }))?.[
      "spec"
    ];
  };
  const slow = storageClass("slow", false);
  const fast = storageClass("fast", true);

  test("gives the default class to claims that name none", async () => {
    expect(await admitted([slow, fast], {})).toEqual({ storageClassName: "fast" });
    expect(await admitted([slow], {})).toEqual({});
  });
  test("ignores claims that name a class or the empty class", async () => {
    expect(await admitted([fast], { storageClassName: "" })).toEqual({ storageClassName: "" });
    expect(await admitted([fast], {}, { "volume.beta.orch.io/storage-class": "old" })).toEqual({});
  });
  test("refuses two default classes", async () => {
    await expect(admitted([fast, storageClass("other", true)], {})).rejects.toMatchObject({ code: 403 });
  });
});

describe("PersistentVolumeClaimResize", () => {
  const claim = (storage: string, storageClassName: string, phase = "Bound") => ({
    metadata: { name: "c" },
    spec: { storageClassName, resources: { requests: { storage } } },
    status: { phase },
  });
  const resize = async (old: ReturnType<typeof claim>, object: ReturnType<typeof claim>) => {
    const classes = [storageClass("grows", false, { allowVolumeExpansion: true }), storageClass("stays", false)];
    const { context, admit } = createWorld(classes);
    const plugin = createPersistentVolumeClaimResize(context);
    return await admit(plugin, "persistentvolumeclaims", { object, old, operation: "UPDATE", namespace: "a" });
  };

  test("depends on the class", async () => {
    await resize(claim("1Gi", "grows"), claim("2Gi", "grows"));
    for (const name of ["stays", "missing", ""]) {
      await expect(resize(claim("1Gi", name), claim("2Gi", name))).rejects.toMatchObject({ code: 403 });
    }
  });
  test("lets only bound claims grow, and ignores other updates", async () => {
    await expect(resize(claim("1Gi", "grows", "Pending"), claim("2Gi", "grows"))).rejects.toMatchObject({ code: 403 });
    await resize(claim("1Gi", "stays"), claim("1024Mi", "stays"));
  });
});

describe("RuntimeClass", () => {
  const runtimeClass = (more: Record<string, unknown>) => ({
    resource: "runtimeclasses",
    object: { metadata: { name: "r" }, handler: "h", ...more },
  });
  const admitted = async (existing: ReturnType<typeof runtimeClass>[], spec: object) => {
    const { context, admit } = createWorld(existing);
    const object = { metadata: { name: "p" }, spec: { containers: [], ...spec } };
    return (await admit(createRuntimeClass(context), "pods", { object, namespace: "a" }))?.["spec"];
  };
  const heavy = runtimeClass({ overhead: { podFixed: { cpu: "1" } } });
  const picky = runtimeClass({ scheduling: { nodeSelector: { disk: "ssd" }, tolerations: [{ operator: "Exists" }] } });
  const named = { runtimeClassName: "r" };

  test("must exist", async () => {
    await expect(admitted([], named)).rejects.toMatchObject({ code: 403 });
    expect(await admitted([], {})).toEqual({ containers: [] });
  });
  test("sets its overhead, which a pod cannot choose", async () => {
    expect(await admitted([heavy], named)).toMatchObject({ overhead: { cpu: "1" } });
    await expect(admitted([heavy], { ...named, overhead: { cpu: "2" } })).rejects.toMatchObject({ code: 403 });
    await expect(admitted([heavy], { ...named, overhead: { cpu: "1" } })).rejects.toMatchObject({ code: 403 });
    expect(await admitted([runtimeClass({ overhead: {} })], named)).not.toHaveProperty("overhead");
    await expect(admitted([runtimeClass({})], { ...named, overhead: { cpu: "1" } })).rejects.toMatchObject({
      code: 403,
    });
    await expect(admitted([], { overhead: { cpu: "1" } })).rejects.toMatchObject({ code: 403 });
  });
  test("merges its node selector with that of the pod", async () => {
    const spec = { ...named, nodeSelector: { zone: "a" }, tolerations: [{ key: "k", operator: "Exists" }] };
    expect(await admitted([picky], spec)).toMatchObject({
      nodeSelector: { zone: "a", disk: "ssd" },
      tolerations: [{ operator: "Exists" }],
    });
    await expect(admitted([picky], { ...named, nodeSelector: { disk: "hdd" } })).rejects.toMatchObject({ code: 403 });
  });
});

describe("RuntimeClass under load", () => {
  test("tolerations are merged up to a limit, so that comparing them stays cheap", async () => {
    const { context, admit } = createWorld([
      {
        resource: "runtimeclasses",
        object: {
          metadata: { name: "r" },
          handler: "h",
          scheduling: { tolerations: [{ key: "r", operator: "Exists" }] },
        },
      },
    ]);
    const admitted = (count: number) => {
      const tolerations = Array.from({ length: count }, (_, index) => ({ key: `k${index}`, operator: "Exists" }));
      const object = { metadata: { name: "p" }, spec: { containers: [], runtimeClassName: "r", tolerations } };
      return admit(createRuntimeClass(context), "pods", { object, namespace: "a" });
    };
    await admitted(tolerationsMergedMax - 1);
    await expect(admitted(tolerationsMergedMax)).rejects.toMatchObject({ code: 403 });
  });
});

describe("merged tolerations", () => {
  const cases = [
    {
      why: "equal ones are merged",
      first: [{ key: "a", operator: "Exists" }],
      second: [{ key: "a", operator: "Exists" }],
      merged: [{ key: "a", operator: "Exists" }],
    },
    {
      why: "a longer toleration covers a shorter one",
      first: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 5 }],
      second: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 }],
      merged: [{ key: "a", operator: "Exists", effect: "NoExecute", tolerationSeconds: 9 }],
    },
    {
      why: "different values are kept separately",
      first: [{ key: "a", value: "1" }],
      second: [{ key: "a", value: "2" }],
      merged: [
        { key: "a", value: "1" },
        { key: "a", value: "2" },
      ],
    },
  ];
  for (const { why, first, second, merged } of cases) {
    test(why, () => expect(mergeTolerations(first, second)).toEqual(merged));
  }
});
