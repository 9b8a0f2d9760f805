import { describe, expect, test } from "vitest";
import { StorageVersionMigration } from "../../api/storagemigration/v1beta1/storage-version-migration.ts";
import type { AnyObject, ListQuery, ObjectList } from "../../client/contract.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { carriedOut } from "../plan.suite.ts";
import { createMigrator, type MigratedServer } from "./migrate.ts";
import { type MigrationPass, planMigration } from "./reconcile.ts";

const nowMs = Date.parse("2026-01-01T00:02:00Z");
const condition = (type: string) => ({ type, status: "True", lastTransitionTime: "2026-01-01T00:00:00Z", reason: "R" });
const migration = (
  states: readonly string[],
  resourceVersion?: string,
  resource = "toys",
): StorageVersionMigration => ({
  metadata: { name: "m", creationTimestamp: "2026-01-01T00:00:00Z" },
  spec: { resource: { group: "example.com", resource } },
  status: {
    conditions: states.map((state) => ({ ...condition(state), message: "" })),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  },
});
const running = migration(["Running"], "7");

/** A server with two chunks of objects. `refuse`: what a write of the object is answered with. */
function fakeServer(refuse: (name: string) => Error | undefined = () => undefined) {
  const written: unknown[] = [];
  const lists: (string | undefined)[] = [];
  const item = (name: string): AnyObject => ({
    metadata: { namespace: "ns", name, uid: `u-${name}`, resourceVersion: "3" },
  });
  let expired = false;
  const resource = {
    async list(query: ListQuery): Promise<ObjectList<AnyObject>> {
      lists.push(query.continue);
      if (query.continue === undefined)
        return { items: [item("a"), item("b")], resourceVersion: "7", continue: "next" };
      if (expired) throw new StatusError("Expired", "too old");
      return { items: [item("c")], resourceVersion: "7", continue: "" };
    },
    async patch(ref: { name: string }, body: unknown) {
      const error = refuse(ref.name);
      if (error) throw error;
      written.push(body);
    },
  };
  const toys = {
    ...{ group: "example.com", version: "v2", resource: "toys", kind: "Toy", namespaced: true, singularName: "toy" },
    ...{ verbs: [], shortNames: [], categories: [], subresources: [] },
  };
  const client: MigratedServer = {
    discover: async () => ({ preferred: [toys] }),
    metadata: () => resource,
    at: () => resource,
  };
  const expire = () => {
    expired = true;
  };
  return { client, written, lists, expire };
}

describe("a pass of a migration", () => {
  test("notes the state of the resource, says that it runs, and stores the objects in chunks", async () => {
    const { client, written } = fakeServer();
    const migrator = createMigrator(client, () => nowMs);
    expect(await migrator.pass(migration([]))).toEqual({ found: "state", resourceVersion: "7" });
    expect(await migrator.pass(migration([], "7"))).toEqual({ found: "more" });
    expect(written).toEqual([]);
    expect(await migrator.pass(running)).toEqual({ found: "more" });
    expect(await migrator.pass(running)).toEqual({ found: "end" });
    expect(written).toHaveLength(3);
    expect(written[0]).toEqual({
      apiVersion: "example.com/v2",
      kind: "Toy",
      metadata: { namespace: "ns", name: "a", uid: "u-a", resourceVersion: "3" },
    });
    expect(await migrator.pass(migration(["Succeeded"], "7"))).toBeUndefined();
  });

  test("passes over objects that others have written or deleted, and ends with any other refusal", async () => {
    const gone = fakeServer((name) => (name === "a" ? new StatusError("Conflict", "changed") : undefined));
    expect(await createMigrator(gone.client, () => nowMs).pass(running)).toEqual({ found: "more" });
    const refused = fakeServer((name) => (name === "b" ? new StatusError("Forbidden", "no") : undefined));
    const failure = { found: "failure", message: "b: no" };
    expect(await createMigrator(refused.client, () => nowMs).pass(running)).toEqual(failure);
  });

  test("begins again when the list has expired", async () => {
    const { client, lists, expire } = fakeServer();
    const migrator = createMigrator(client, () => nowMs);
    await migrator.pass(running);
    expire();
    expect(await migrator.pass(running)).toEqual({ found: "more" });
    await migrator.pass(running);
    expect(lists).toEqual([undefined, "next", undefined]);
  });

  test("waits a minute for a resource that is not served", async () => {
    const missing = migration([], undefined, "dolls");
    const { client } = fakeServer();
    const created = Date.parse("2026-01-01T00:00:00Z");
    expect(await createMigrator(client, () => created + 59_000).pass(missing)).toBe("wait");
    const failure = { found: "failure", message: "resource not found" };
    expect(await createMigrator(client, () => created + 60_000).pass(missing)).toEqual(failure);
  });
});

describe("the status of a migration", () => {
  const told = async (pass: MigrationPass, of = running) => {
    const { log, sent } = await carriedOut(planMigration(StorageVersionMigration, of, pass, nowMs));
    const { conditions = [] } = (sent[0] as StorageVersionMigration | undefined)?.status ?? {};
    return { log, states: conditions.map(({ type, status, message }) => `${type} ${status} ${message}`.trim()) };
  };
  test("runs, goes on, and ends once", async () => {
    expect((await told({ found: "more" }, migration([], "7"))).states).toEqual(["Running True"]);
    expect((await told({ found: "more" })).log).toEqual(["again in 0"]);
    expect((await told({ found: "end" })).states).toEqual(["Running False", "Succeeded True"]);
    const failed = await told({ found: "failure", message: "b: no" });
    expect(failed.states).toEqual(["Running False", "Failed True b: no"]);
  });
});
