import { expect, test } from "vitest";
import { Deployment } from "../api/apps/v1/deployment.ts";
import { ReplicaSet } from "../api/apps/v1/replica-set.ts";
import { ConfigMap } from "../api/core/v1/config-map.ts";
import { Namespace } from "../api/core/v1/namespace.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { createFeatureGates } from "../api/feature-gates.ts";
import { systemClock } from "../base/clock.ts";
import { silentLog } from "../base/log.ts";
import { seededRandom } from "../base/seeded-random.ts";
import { createClient } from "../client/client.ts";
import type { Fetch } from "../client/contract.ts";
import { createEnvironment } from "../main/environment.ts";
import { controllers } from "./list.ts";
import { runControllers } from "./run.ts";
import { type Scenario, withControllers } from "./scenario.suite.ts";
import { defaultSettings } from "./settings.ts";

const refusal = (code: number, reason: string) =>
  new Response(
    JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", code, reason, message: "injected" }),
    {
      status: code,
      headers: code === 429 ? { "retry-after": "0" } : {},
    },
  );

/** Every tenth write or so is refused, lost, or done without an answer, and some reads fail. */
function withFaults(seed: number): (fetch: Fetch) => Fetch {
  const random = seededRandom(seed);
  return (fetch) => async (path, init) => {
    const chance = random();
    if (init?.method === undefined || init.method === "GET") {
      if (chance < 0.02) throw new Error("the connection was refused");
      return await fetch(path, init);
    }
    if (chance < 0.04) return refusal(409, "Conflict");
    if (chance < 0.06) return refusal(429, "TooManyRequests");
    if (chance < 0.08) return refusal(500, "InternalError");
    if (chance < 0.1) throw new Error("the connection was broken off");
    const response = await fetch(path, init);
    if (chance < 0.14) throw new Error("no answer came after the commit");
    return response;
  };
}

/** A day in the life of a cluster; resolves with what is left in the end. */
async function live({ client, create, until, untilAll, untilGone }: Scenario): Promise<unknown> {
  await create(Namespace, { metadata: { name: "shop" } });
  await create(Namespace, { metadata: { name: "gone" } });
  const ref = { namespace: "shop", name: "web" };
  const template = (image: string) => ({
    metadata: { labels: { a: "b" } },
    spec: { containers: [{ name: "c", image }] },
  });
  const spec = { replicas: 6, selector: { matchLabels: { a: "b" } }, template: template("one") };
  await create(Deployment, { metadata: ref, spec });
  const isAlive = ({ metadata }: Pod) => !metadata.deletionTimestamp;
  await untilAll(Pod, "shop", (pods) => pods.filter(isAlive).length === 6);
  await client.of(Deployment).patch(ref, { spec: { replicas: 4 } });
  await untilAll(Pod, "shop", (pods) => pods.filter(isAlive).length === 4);
  await until(Deployment, ref, ({ status }) => status?.replicas === 4);

  const owner = await create(ConfigMap, { metadata: { namespace: "shop", name: "owner" } });
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner.metadata.uid ?? "" }];
  for (let at = 0; at < 5; at++)
    await create(ConfigMap, { metadata: { namespace: "shop", name: `d${at}`, ownerReferences } });
  await client.of(ConfigMap).delete({ namespace: "shop", name: "owner" });
  await untilAll(ConfigMap, "shop", (maps) => !maps.some(({ metadata }) => metadata.name?.startsWith("d")));
  await create(ConfigMap, { metadata: { namespace: "gone", name: "x" } });
  await client.of(Namespace).delete({ name: "gone" });
  await untilGone(Namespace, { name: "gone" });

  // A request whose answer was lost may have created one too many, which is deleted again.
  const pods = await untilAll(Pod, "shop", (all) => all.length === 4);
  const sets = (await client.of(ReplicaSet).list({ namespace: "shop" })).items;
  const owners = new Set(pods.map(({ metadata }) => metadata.ownerReferences?.[0]?.uid));
  return { sets: sets.length, pods: pods.length, owners: owners.size, isOwned: owners.has(sets[0]?.metadata.uid) };
}

const calm = { sets: 1, pods: 4, owners: 1, isOwned: true };
for (const seed of [undefined, 1, 2]) {
  test(
    `all controllers together reach the same state, ${seed === undefined ? "when nothing fails" : `whatever fails (seed ${seed})`}`,
    () =>
      withControllers(
        controllers,
        async (scenario) => expect(await live(scenario)).toEqual(calm),
        seed === undefined ? {} : { controllerFetch: withFaults(seed) },
      ),
    60_000,
  );
}

/** Controllers that are killed again and again: requests of a dead one never arrive, and their answers are lost. */
function startMortal({ server, client }: Scenario, random: () => number): { stop(): Promise<number> } {
  const closing: Promise<void>[] = [];
  let isOver = false;
  const start = () => {
    let isDead = false;
    const fetch: Fetch = async (path, init) => {
      if (isDead) throw new Error("killed");
      const response = await server.fetch(path, init);
      if (isDead) throw new Error("killed");
      return response;
    };
    const own = createClient({ fetch, vocabulary: client.vocabulary, clock: systemClock, userAgent: "mortal" });
    const running = runControllers({
      controllers,
      client: own,
      clientOf: () => own,
      settings: defaultSettings,
      environment: createEnvironment({
        vocabulary: client.vocabulary,
        gates: createFeatureGates(new Map()),
        clock: systemClock,
        allowPrivileged: true,
      }),
      clock: systemClock,
      log: silentLog,
      random: (below) => Math.floor(random() * below),
    });
    return () => {
      isDead = true;
      closing.push(running.close());
    };
  };
  const killing = (async () => {
    for (let kills = 0; ; kills++) {
      const kill = start();
      // Long enough to get something done even on a slow machine, since each begins by reading everything.
      await new Promise((resolve) => setTimeout(resolve, 150 + kills * 30 + random() * 200));
      kill();
      if (isOver) return kills;
    }
  })();
  return {
    async stop() {
      isOver = true;
      const kills = await killing;
      await Promise.all(closing);
      return kills;
    },
  };
}

test("all controllers together reach the same state, however often they are killed", () =>
  withControllers([], async (scenario) => {
    const mortal = startMortal(scenario, seededRandom(5));
    try {
      expect(await live(scenario)).toEqual(calm);
    } finally {
      await mortal.stop();
    }
  }));
