/** A day of a busy cluster in the history of an embedded store, without a server: what is kept, in how many bytes, and what questions cost. */

import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { catalog as kinds } from "../../src/api/catalog.ts";
import { createFeatureGates } from "../../src/api/feature-gates.ts";
import { alwaysAllow } from "../../src/authz/always-allow.ts";
import { createManualClock } from "../../src/base/clock.ts";
import { seededRandom } from "../../src/base/seeded-random.ts";
import { ChangesSource } from "../../src/history/changes.ts";
import type { Kv } from "../../src/kv/contract.ts";
import { openEmbeddedKv } from "../../src/kv/embedded/embedded.ts";
import { createCatalog } from "../../src/machinery/catalog/bind.ts";
import { createEnvironment } from "../../src/main/environment.ts";
import { plainTransformer } from "../../src/registry/contract/transformer.ts";
import { orch } from "../../src/vocabulary/orch.ts";
import { median, megabytes, type Row } from "../report.ts";

const [pods, namespaces, changesPerSecond] = [10_000, 20, 50];
const bytesMax = 256 * 1024 ** 2;
const startMs = Date.parse("2026-11-18T00:00:00Z");
/** Of the day, to compare what a write costs in all: some segments are made. */
const comparedSeconds = 1_500;
const comparedRounds = 3;
/** In milliseconds of CPU. */
const [objectBudget, namespaceBudget] = [10, 100];

export async function measureHistoryDay(quick: boolean): Promise<Row[]> {
  const hours = quick ? 1 : 24;
  const folder = mkdtempSync(join(tmpdir(), "orch-bench-history-"));
  const clock = createManualClock(startMs);
  const open = () => openEmbeddedKv({ folder, clock, noted: { ageMs: 24 * 3_600_000, bytesMax }, syncMode: "none" });
  let kv = await open();
  try {
    const day = new Day(kv, clock);
    await day.create();
    const cpuBefore = process.cpuUsage();
    await day.run(hours * 3_600);
    const cpu = process.cpuUsage(cpuBefore);
    const history = kv.history!()!;
    const keptHours = (clock.now() - history.oldest.atMs) / 3_600_000;
    const fileBytes = statSync(join(folder, "data.mdb")).size;
    const rows: Row[] = [
      plainRow(
        `${hours} h of ${pods.toLocaleString("en")} pods with ${changesPerSecond} changes a second: bytes by the bound, at most`,
        {
          measured: megabytes(day.bytesMost),
          budget: `<= ${megabytes(bytesMax)}`,
          met: day.bytesMost <= bytesMax,
        },
      ),
      plainRow("the same: data file, with the objects and the watch history", { measured: megabytes(fileBytes) }),
      plainRow("the same: how far back it goes", { measured: `${keptHours.toFixed(1)} h` }),
      plainRow("the same: a write, its compaction and removal", {
        measured: `${((cpu.user + cpu.system) / day.writes).toFixed(0)} µs CPU`,
      }),
    ];
    await kv.close();
    kv = await open();
    return [...rows, ...(await questions(kv, day)), await compareWrites()];
  } finally {
    await kv.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const plainRow = (what: string, row: Pick<Row, "measured"> & Partial<Row>): Row => ({
  what,
  beside: "",
  budget: "",
  ...row,
});

/** A write in all: its commit, the compaction of the state that it replaced, and its part of a segment. */
async function compareWrites(): Promise<Row> {
  const sides = [0, bytesMax].map((bytes) => {
    const folder = mkdtempSync(join(tmpdir(), "orch-bench-history-"));
    return { folder, clock: createManualClock(startMs), bytes, cpuMicros: 0, writes: 0 };
  });
  const opened: { day: Day; kv: Kv; side: (typeof sides)[number] }[] = [];
  try {
    for (const side of sides) {
      const { folder, clock, bytes } = side;
      const noted = bytes > 0 ? { ageMs: 24 * 3_600_000, bytesMax: bytes } : undefined;
      const kv = await openEmbeddedKv({ folder, clock, noted, syncMode: "none" });
      const day = new Day(kv, clock);
      opened.push({ day, kv, side });
      await day.create();
    }
    // The first round is that of a program that has not been compiled, and of a store that compacts nothing yet.
    for (let round = 0; round <= comparedRounds; round += 1)
      for (const { day, side } of opened) {
        const [before, writes] = [process.cpuUsage(), day.writes];
        await day.run(comparedSeconds / comparedRounds);
        const { user, system } = process.cpuUsage(before);
        if (round === 0) continue;
        side.cpuMicros += user + system;
        side.writes += day.writes - writes;
      }
    const [without, kept] = sides.map(({ cpuMicros, writes }) => `${(cpuMicros / writes).toFixed(0)} µs CPU`);
    return plainRow("a write, its compaction and its part of a segment, in turns", {
      measured: kept!,
      beside: `${without!} without history`,
    });
  } finally {
    for (const { kv } of opened) await kv.close();
    for (const { folder } of sides) rmSync(folder, { recursive: true, force: true });
  }
}

async function questions(kv: Kv, day: Day): Promise<Row[]> {
  const source = changesSource(kv);
  const namespace = namespaceOf(day.busiest);
  const ofObject = [
    { path: "object.group", operator: "=", value: "" },
    { path: "object.resource", operator: "=", value: "pods" },
    { path: "object.name", operator: "=", value: nameOf(day.busiest) },
  ] as const;
  const ask = (limit: number, fields: readonly (typeof ofObject)[number][]) =>
    source.page({
      namespace,
      fields,
      limit,
      after: "",
      user: { name: "bench", groups: [], uid: "", extra: new Map() },
    });
  const first = await cpuMsOf(() => ask(50, []));
  const memoryBefore = process.memoryUsage().heapUsed;
  const [object, fifty, fiveHundred] = [
    await asked(() => ask(60, ofObject)),
    await asked(() => ask(50, [])),
    await asked(() => ask(500, [])),
  ];
  const { objects } = await ask(60, ofObject);
  const row = (what: string, cpuMs: number, budget?: number) =>
    plainRow(what, {
      measured: `${cpuMs.toFixed(1)} ms CPU`,
      ...(budget !== undefined && { budget: `< ${budget} ms`, met: cpuMs < budget }),
    });
  return [
    row("the first question for a namespace after a start", first),
    row(`the newest ${objects.length} changes of an object`, object, objectBudget),
    row("the newest 50 changes of a namespace", fifty),
    row("the newest 500 changes of a namespace", fiveHundred, namespaceBudget),
    plainRow("memory that 60 questions leave", {
      measured: megabytes(Math.max(0, process.memoryUsage().heapUsed - memoryBefore)),
    }),
  ];
}

async function asked(question: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  // Half of them are of a program that has been compiled, as that of a server that has run for a while.
  for (let round = 0; round < 60; round += 1) samples.push(await cpuMsOf(question));
  return median(samples);
}

async function cpuMsOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const allKinds = { keeps: () => true, since: () => undefined };

function changesSource(kv: Kv): ChangesSource {
  const environment = createEnvironment({
    vocabulary: orch,
    gates: createFeatureGates(new Map()),
    clock: createManualClock(startMs),
    allowPrivileged: false,
  });
  const catalog = createCatalog(kinds, environment);
  const source = new ChangesSource({
    kv,
    history: kv.history!()!,
    kinds: allKinds,
    catalog,
    transformer: plainTransformer,
  });
  source.use(alwaysAllow);
  return source;
}

const namespaceOf = (pod: number): string => `team-${pod % namespaces}`;
const nameOf = (pod: number): string => `web-5d9c7b-${pod}`;
const keyOf = (pod: number): string => `/core/pods/${namespaceOf(pod)}/${nameOf(pod)}`;

/** Writes as a cluster does: mostly reports of nodes, some changes by people, and pods that are replaced. */
class Day {
  writes = 0;
  /** The most that the history ever had. */
  bytesMost = 0;
  readonly busiest = 7;
  readonly #kv: Kv;
  readonly #clock: ReturnType<typeof createManualClock>;
  readonly #random = seededRandom(1);
  readonly #revisions: bigint[] = [];

  constructor(kv: Kv, clock: ReturnType<typeof createManualClock>) {
    this.#kv = kv;
    this.#clock = clock;
  }

  async create(): Promise<void> {
    for (let pod = 0; pod < pods; pod += 1_000)
      await Promise.all(Array.from({ length: 1_000 }, (_, at) => this.#write(pod + at, "create")));
  }

  async run(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      const chosen = new Set<number>(second % 60 === 0 ? [this.busiest] : []);
      while (chosen.size < changesPerSecond) chosen.add(Math.floor(this.#random() * pods));
      await Promise.all([...chosen].map((pod) => this.#change(pod)));
      this.#clock.advance(1_000);
      this.bytesMost = Math.max(this.bytesMost, this.#kv.history!()?.bytes ?? 0);
    }
  }

  async #change(pod: number): Promise<void> {
    if (pod !== this.busiest && this.#random() < 0.05) {
      this.#revisions[pod] = await this.#kv.delete(keyOf(pod), this.#revisions[pod]!, noteOf("delete"));
      this.#revisions[pod] = 0n;
      this.writes += 1;
      return this.#write(pod, "create");
    }
    return this.#write(pod, "update");
  }

  async #write(pod: number, operation: "create" | "update"): Promise<void> {
    this.writes += 1;
    const state = Buffer.from(JSON.stringify(podState(pod, this.#clock.now(), this.writes)));
    this.#revisions[pod] = await this.#kv.put(keyOf(pod), state, this.#revisions[pod] ?? 0n, noteOf(operation));
  }
}

/** As a server writes it, of a node's agent. */
const noteOf = (operation: string): Uint8Array =>
  Buffer.from(
    JSON.stringify([
      operation,
      operation === "update" ? "patch" : operation,
      operation === "update" ? "status" : "",
      "system:node:node-17",
      "",
      "orch-node/1.0 (linux/amd64)",
      "node",
      randomUUID(),
      "pod team-7/web-5d9c7b-4711",
    ]),
  );

/** A pod of 2 kB with times and numbers that are others in each state. */
function podState(pod: number, nowMs: number, count: number): object {
  const time = new Date(nowMs).toISOString();
  const name = nameOf(pod);
  const condition = (type: string) => ({ type, status: count % 3 === 0 ? "False" : "True", lastTransitionTime: time });
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: namespaceOf(pod),
      uid: `5f8b4a52-7d0e-4c1c-9a43-${String(pod).padStart(12, "0")}`,
      creationTimestamp: "2026-11-17T00:00:00Z",
      labels: { app: "web", "pod-template-hash": "5d9c7b" },
      ownerReferences: [
        { apiVersion: "apps/v1", kind: "ReplicaSet", name: "web-5d9c7b", uid: `rs-${pod % 100}`, controller: true },
      ],
      managedFields: ["replicaset-controller", "node"].map((manager) => ({
        manager,
        operation: "Update",
        time,
        fieldsType: "FieldsV1",
        fieldsV1: { "f:metadata": { "f:labels": { "f:app": {} } }, "f:status": { "f:conditions": {}, "f:podIP": {} } },
      })),
    },
    spec: {
      nodeName: `node-${pod % 100}`,
      containers: ["main", "sidecar"].map((container) => ({
        name: container,
        image: `registry.example.com/team/${container}:1.2.3`,
        args: ["--listen=:8080", `--name=${name}`],
        resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
        imagePullPolicy: "IfNotPresent",
      })),
      restartPolicy: "Always",
    },
    status: {
      phase: "Running",
      podIP: `10.0.${pod % 250}.${count % 250}`,
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map(condition),
      containerStatuses: ["main", "sidecar"].map((container) => ({
        name: container,
        ready: true,
        restartCount: count % 7,
        containerID: `orch://${container}-${count}`,
        state: { running: { startedAt: time } },
      })),
    },
  };
}
