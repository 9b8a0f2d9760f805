import { expect, test } from "vitest";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { systemClock } from "../base/clock.ts";
import { type Log, silentLog } from "../base/log.ts";
import { createClient } from "../client/client.ts";
import { createServer } from "../main/library.ts";
import { orch } from "../vocabulary/orch.ts";
import { replicaSetController } from "./replicaset/wire.ts";
import { withControllers } from "./scenario.suite.ts";
import { loggedFieldsMax, withWriteLog } from "./write-log.ts";

interface Line extends Record<string, unknown> {
  readonly message: string;
}

function collector(verbosity: number): { readonly log: Log; readonly lines: Line[] } {
  const lines: Line[] = [];
  const info = (message: string, fields: Record<string, unknown> = {}) => void lines.push({ message, ...fields });
  return { log: { ...silentLog, verbosity, info }, lines };
}

const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } };
const set = (replicas: number): ReplicaSet => ({
  metadata: { namespace: "default", name: "web" },
  spec: { replicas, selector: { matchLabels: { app: "web" } }, template },
});

async function writesOf(verbosity: number): Promise<readonly Line[]> {
  const { log, lines } = collector(verbosity);
  await withControllers(
    [replicaSetController],
    async ({ create, until, untilAll }) => {
      await create(ReplicaSet, set(1));
      await untilAll(Pod, "default", (pods) => pods.length === 1);
      await until(ReplicaSet, { namespace: "default", name: "web" }, ({ status }) => status?.replicas === 1);
    },
    { log },
  );
  return lines.filter(({ message }) => message === "controller write");
}

test("at --v=4 each write of a controller is one line with the object, the verb and the reason", async () => {
  const lines = await writesOf(4);
  expect(lines[0]).toEqual({
    message: "controller write",
    controller: "replicaset",
    verb: "create",
    object: "pods default/web-*",
    reason: "ReplicaSet web needs it",
    reconciling: "default/web",
  });
  const updates = lines.filter(({ verb }) => verb === "update");
  expect(updates.map(({ object }) => object)).toContain("replicasets.apps/status default/web");
  expect(updates.map(({ reason }) => reason).join()).toContain("status.replicas");
});

test("below --v=4 writes are not logged", async () => {
  expect(await writesOf(3)).toEqual([]);
});

test("a write can give its own reason, and a long list of fields is cut", async () => {
  const { log, lines } = collector(4);
  await using server = await createServer({ controllers: false });
  const plain = createClient({ fetch: server.fetch, vocabulary: orch, clock: systemClock, userAgent: "test" });
  const client = withWriteLog(plain, { controller: "test", log, known: () => undefined });
  const ref = { namespace: "default", name: "web" };
  await client.of(ReplicaSet).create(set(0));
  const labels = Object.fromEntries(Array.from({ length: loggedFieldsMax + 2 }, (_, at) => [`l${at}`, "x"]));
  await client.of(ReplicaSet).patch(ref, { metadata: { labels } });
  await client.of(ReplicaSet).patch(ref, [{ op: "remove", path: "/metadata/labels" }], { type: "json" });
  await client.of(ReplicaSet).update(set(2));
  await client.of(ReplicaSet).delete(ref, { reason: "the test is over" });
  expect(lines.map(({ verb, reason }) => `${verb}: ${reason}`)).toEqual([
    "create: it is missing",
    `patch: changes ${Object.keys(labels)
      .slice(0, loggedFieldsMax)
      .map((name) => `metadata.labels.${name}`)
      .join(", ")} and 2 more`,
    "patch: changes /metadata/labels",
    "update: changes an object that is not cached",
    "delete: the test is over",
  ]);
});
