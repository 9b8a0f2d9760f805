import { expect, test } from "vitest";
import { checksCaches } from "../base/cache-check.ts";
import { deepFreeze } from "../machinery/json/json-value.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { AdmissionRequest } from "../registry/contract/admission.ts";
import { createWorld } from "./admission.suite.ts";
import { createAdmission } from "./chain.ts";
import { refuse } from "./context.ts";
import type { AdmissionPlugin } from "./contract.ts";

const claim = (): ApiObject => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  metadata: { name: "c", namespace: "a" },
  spec: { accessModes: ["ReadWriteOnce"], resources: {} },
});
const kindOf = (request: AdmissionRequest) => request.kind;
const plugin = (name: string, mutate: NonNullable<AdmissionPlugin["mutate"]>): AdmissionPlugin => ({
  name,
  handles: () => true,
  mutate,
});

function openWorld() {
  const world = createWorld([]);
  const object = claim();
  return { ...world, object, made: world.request("persistentvolumeclaims", { object, namespace: "a" }) };
}

test("a plugin that replaces the object makes all plugins run exactly once more", async () => {
  const { made, object } = openWorld();
  const rounds: string[] = [];
  const chain = createAdmission([
    plugin("First", ({ round }) => void rounds.push(`first ${round}`)),
    plugin("Hook", async (request) => {
      rounds.push(`hook ${request.round}`);
      const labels = { round: String(request.round) };
      await request.replace({ ...object, metadata: { ...object.metadata, labels } }, kindOf(request));
    }),
    plugin("Last", ({ round }) => void rounds.push(`last ${round}`)),
  ]);
  await chain.mutate(made);
  expect(rounds).toEqual(["first 0", "hook 0", "last 0", "first 1", "hook 1", "last 1"]);
  expect(object.metadata.labels).toEqual({ round: "1" });
});

test("a replacement by an equal object, and a change in place, do not rerun plugins", async () => {
  const { made, object } = openWorld();
  let runs = 0;
  const chain = createAdmission([
    plugin("Hook", (request) => {
      runs += 1;
      expect(request.replace(claimOf(request.object), kindOf(request))).toBe(false);
      object.metadata.labels = { a: "b" };
    }),
  ]);
  // Defaults are in the object already when plugins see it.
  made.replace(claim(), kindOf(made));
  const again = openWorld();
  Object.assign(again.object, object);
  await chain.mutate(again.made);
  expect(runs).toBe(1);
});

const claimOf = (object: ApiObject | undefined): unknown => JSON.parse(JSON.stringify(object));

test("a replacement is pruned and defaulted, and the object stays the same instance", () => {
  const { made, object } = openWorld();
  const given = { ...claim(), spec: { accessModes: ["ReadOnlyMany"], unknown: 1 } };
  expect(made.replace(given, made.kind)).toBe(true);
  expect(made.object).toBe(object);
  expect(object["spec"]).toEqual({ accessModes: ["ReadOnlyMany"], resources: {}, volumeMode: "Filesystem" });
});

test("a replacement that is not an object of the kind, or has no object to replace, is refused", () => {
  const { made, request } = openWorld();
  expect(() => made.replace({ spec: 3 }, made.kind)).toThrow(/spec/);
  const deletion = request("persistentvolumeclaims", { operation: "DELETE", old: claim() });
  expect(() => deletion.replace(claim(), deletion.kind)).toThrow(/no object/);
});

const owned = (fieldsType: string) => [
  { manager: "m", operation: "Update", apiVersion: "v1", fieldsType, fieldsV1: { "f:spec": {} } },
];

test("managed fields that a replacement made unreadable are restored, with a warning; cleared ones stay cleared", () => {
  const { made, object, warnings } = openWorld();
  object.metadata.managedFields = owned("FieldsV1");
  const replaceBooks = (managedFields: unknown) =>
    made.replace({ ...claim(), metadata: { name: "c", namespace: "a", managedFields } }, made.kind);
  replaceBooks(owned("Nonsense"));
  expect(object.metadata.managedFields).toEqual(owned("FieldsV1"));
  expect(warnings).toHaveLength(1);
  replaceBooks(undefined);
  expect(object.metadata.managedFields).toBeUndefined();
  expect(warnings).toHaveLength(1);
});

test("plugins annotate the audit record", async () => {
  const { made, annotations } = openWorld();
  await createAdmission([plugin("Notes", (request) => request.annotate("notes/key", "value"))]).mutate(made);
  expect([...annotations]).toEqual([["notes/key", "value"]]);
});

test("a request of a caller without a deadline has none, and is never aborted", () => {
  const { made } = openWorld();
  expect(made.deadlineMs).toBe(Number.POSITIVE_INFINITY);
  expect(made.signal.aborted).toBe(false);
});

test("a refusal names the plugin, whether it is synchronous or asynchronous", async () => {
  const { made } = openWorld();
  const refusing = (name: string, wait: boolean) =>
    plugin(name, (request) => {
      const refusal = refuse(request, "no");
      if (!wait) throw refusal;
      return Promise.reject(refusal);
    });
  const tried = async (...plugins: AdmissionPlugin[]) => createAdmission(plugins).mutate(made);
  const message = 'persistentvolumeclaims "c" is forbidden: no (admission plugin Picky)';
  const status = { reason: "Forbidden", code: 403, details: { name: "c", kind: "persistentvolumeclaims" } };
  for (const wait of [false, true]) {
    await expect(tried(refusing("Picky", wait))).rejects.toMatchObject({ message, ...status });
  }
});

test.skipIf(checksCaches)(
  "which rule of a plugin applies is determined once for each kind, subresource and operation",
  async () => {
    const asked: string[] = [];
    let runs = 0;
    const chain = createAdmission([
      {
        name: "Claims",
        ruleFor: ({ kind, subresource, operation }) => {
          asked.push(`${operation} ${kind.resource}/${subresource}`);
          return operation === "CREATE" ? { mutate: () => void runs++ } : undefined;
        },
        handles: () => true,
      },
    ]);
    const { request } = createWorld([]);
    for (const operation of ["CREATE", "CREATE", "UPDATE", "UPDATE"] as const)
      await chain.mutate(request("persistentvolumeclaims", { object: claim(), namespace: "a", operation }));
    await chain.mutate(request("persistentvolumeclaims", { object: claim(), namespace: "a", subresource: "status" }));
    expect(asked).toEqual([
      "CREATE persistentvolumeclaims/",
      "UPDATE persistentvolumeclaims/",
      "CREATE persistentvolumeclaims/status",
    ]);
    expect(runs).toBe(3);
  },
);

test("a plugin that changes members in place gets copies of those that the state before has", async () => {
  const old = deepFreeze(claim());
  const object = { ...claim(), spec: old["spec"] };
  const specs: unknown[] = [];
  const chain = createAdmission([
    { ...plugin("Reader", ({ object: shown }) => void specs.push(shown?.["spec"])), leavesOldMembers: true },
    plugin("Writer", ({ object: shown }) => {
      (shown?.["spec"] as { volumeName?: string }).volumeName = "v";
    }),
  ]);
  const { request } = createWorld([]);
  await chain.mutate(request("persistentvolumeclaims", { object, old, namespace: "a", operation: "UPDATE" }));
  expect(specs[0]).toBe(old["spec"]);
  expect(object["spec"]).toEqual({ ...(old["spec"] as object), volumeName: "v" });
  expect(old).toEqual(claim());
});
