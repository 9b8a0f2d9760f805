/**
 * Random objects that are allowed, of every kind, written, changed, read in all forms and deleted by several users at once, beside the
 * controllers, the scheduler, simulated nodes and the console: no turn of the event loop is long, no other request waits for long, and the
 * memory is free again afterwards.
 *
 * A run of all tests tries a few. `LONG_TESTS=1` goes on for `FUZZ_MINUTES` (60) at each level, also the newest, which has the most kinds;
 * a failure prints its seed, and `PROPERTY_SEED=N` begins with the same objects again. It tells each minute how far it is, and which turns
 * were long. The profile that explains these keeps others waiting for half a second itself: `FUZZ_WAITS=1` goes without it, and looks at
 * how long turns and waits are.
 */

import { describe, expect, onTestFailed, test } from "vitest";
import { goldenLevels, type Level, levels } from "../../src/machinery/schema/levels.ts";
import { createConsoleReader } from "./console-reader.ts";
import { type RandomObject, randomObjects } from "./random-objects.ts";
import { type Cost, checkTurns, createChance, pause, type Target, turnMsMax, useTarget } from "./target.ts";

const isLong = process.env["LONG_TESTS"] !== undefined;
const minutes = Number(process.env["FUZZ_MINUTES"] ?? "60");
const seed = Number(process.env["PROPERTY_SEED"] ?? (process.env["CI"] === "true" ? 1 : Date.now() % 100_000));
/** Objects of the short form. */
const fewObjects = 8;
/** Users that write at the same time, and objects that each leaves behind for a while. */
const users = 3;
const keptMax = 5;
const explainsTurns = !isLong || process.env["FUZZ_WAITS"] === undefined;
/** How long an honest request may wait, in processor time of the server; the aim is 250 ms. */
const waitMsMax = isLong ? 250 : 5 * turnMsMax;
/** What may stay in memory: code that was compiled meanwhile, and the recent changes that a watch can begin from. */
const staysBytesMax = 96 * 1024 * 1024;
const lookMs = 60_000;
const limit = 2 * minutes * 60_000 + 600_000;

const namespace = "default";
const merge = "application/merge-patch+json";

for (const level of new Set([...goldenLevels, ...levels.slice(isLong ? -1 : levels.length)])) {
  describe(`at level ${level}`, () => {
    const target = useTarget({
      command: "up",
      explainsTurns,
      flags: () => ["--nodes=2", `--emulated-version=${level}`],
    });
    test(`random objects of seed ${seed} keep nobody waiting`, { timeout: limit }, async () => {
      await expect.poll(() => target.log()).toContain("#secret=");
      const run = new Run(target, level);
      onTestFailed(() => console.error(`what was done last:\n${run.recent.join("\n")}`));
      await run.few(isLong ? 10 * fewObjects : 1);
      await run.tidy();
      const before = await target.usedBytes();
      const working = isLong ? run.until(performance.now() + minutes * 60_000) : run.few(fewObjects);
      const ending = working.finally(() => run.stop());
      const [cost] = await Promise.all([run.costUntil(ending), ending, run.askHonestly()]);
      await run.tidy();
      if (explainsTurns) checkTurns(cost);
      else expect(cost.longestTurnMs).toBeLessThan(100);
      if (!explainsTurns || !isLong) expect(run.longestWaitMs).toBeLessThan(waitMsMax);
      expect((await target.usedBytes()) - before).toBeLessThan(staysBytesMax);
      expect(run.created).toBeGreaterThan(0);
    });
  });
}

class Run {
  /** What was done last, the newest at the end. */
  readonly recent: string[] = [];
  created = 0;
  longestWaitMs = 0;
  readonly #target: Target;
  readonly #below: (limit: number) => number;
  readonly #next: () => RandomObject;
  readonly #kept: string[] = [];
  #count = 0;
  #isOver = false;

  constructor(target: Target, level: Level) {
    this.#target = target;
    this.#below = createChance(seed);
    this.#next = randomObjects(level, this.#below);
  }

  async few(count: number): Promise<void> {
    for (let at = 0; at < count; at++) await this.#one();
  }

  async until(endMs: number): Promise<void> {
    const user = async () => {
      while (performance.now() < endMs && !this.#isOver) await this.#one();
    };
    await Promise.all(Array.from({ length: users }, () => user().finally(() => this.stop())));
  }

  async askHonestly(): Promise<void> {
    while (!this.#isOver) {
      this.longestWaitMs = Math.max(this.longestWaitMs, await this.#target.honestMs());
      await new Promise((done) => setTimeout(done, 20));
    }
  }

  /** What all of it cost; what is found on the way is told at once. */
  async costUntil(ending: Promise<void>): Promise<Cost> {
    let [totalMs, longestTurnMs] = [0, 0];
    const longTurns: string[] = [];
    while (!this.#isOver) {
      const cost = await this.#target.cost(() => Promise.race([ending, pause(lookMs)]));
      totalMs += cost.totalMs;
      longestTurnMs = Math.max(longestTurnMs, cost.longestTurnMs);
      longTurns.push(...cost.longTurns);
      if (!isLong) continue;
      const figures = { created: this.created, longestTurnMs, longestWaitMs: this.longestWaitMs };
      console.log(JSON.stringify({ ...figures, rssBytes: await this.#target.rssBytes() }));
      if (cost.longTurns.length > 0) console.log(`${cost.longTurns.join("\n")}\nbeside\n${this.recent.join("\n")}`);
    }
    return { totalMs, longestTurnMs, longTurns };
  }

  stop(): void {
    this.#isOver = true;
  }

  /** Deletes everything, also what controllers have made of it. */
  async tidy(): Promise<void> {
    for (const path of this.#kept.splice(0)) await this.#delete(path);
    const pods = async () => (await this.#target.request(`/api/v1/namespaces/${namespace}/pods`)).body.items.length;
    await expect.poll(pods, { interval: 200 }).toBe(0);
  }

  async #one(): Promise<void> {
    const random = this.#next();
    const { kind, grown } = random;
    const name = kind.kind === "CustomResourceDefinition" ? "things.example.com" : `x${this.#count++}`;
    const within = kind.namespaced ? `/namespaces/${namespace}` : "";
    const collection = `${kind.group === "" ? "/api" : `/apis/${kind.group}`}/${kind.version}${within}/${kind.resource}`;
    this.recent.push(`${kind.apiVersion} ${kind.kind} ${name}: ${grown.join(", ")}`);
    if (this.recent.length > 20) this.recent.shift();
    const path = `${collection}/${name}`;
    if (!(await this.#create(random, collection, name))) return;
    this.created++;
    if (kind.declaration.verbs?.includes("get") === false) return;
    await this.#use(path, collection);
    this.#kept.push(path);
    if (this.#kept.length > keptMax * users) await this.#delete(this.#kept.shift()!);
  }

  /** As large as it is accepted. */
  async #create({ kind, make }: RandomObject, collection: string, name: string): Promise<boolean> {
    for (let smaller = 0; smaller < 4; smaller++) {
      const metadata = { name, labels: { app: "a" } };
      const body = { ...make(smaller), apiVersion: kind.apiVersion, kind: kind.kind, metadata };
      const { status } = await this.#target.post(collection, body);
      if (status === 201) return true;
      expect([400, 403, 404, 409, 413, 422, 429]).toContain(status);
    }
    return false;
  }

  async #use(path: string, collection: string): Promise<void> {
    const target = this.#target;
    const read = (accept: string) => () => target.request(path, { headers: { accept } });
    const console = createConsoleReader(target.log());
    const steps: readonly (() => Promise<unknown>)[] = [
      read("application/yaml"),
      read("application/json;as=Table;v=v1;g=meta.orch.io"),
      read("application/vnd.orch.protobuf"),
      () => target.request(`${collection}?labelSelector=app%3Da&limit=100`),
      () => console.get(`${collection}?limit=100`),
      () => console.get(path),
      () => target.request(path, { method: "PATCH", type: merge, body: { metadata: { labels: { changed: "yes" } } } }),
      () => this.#update(path),
      () => this.#apply(path),
    ];
    for (let at = this.#below(steps.length); at > 0; at--) await steps[this.#below(steps.length)]!();
  }

  /** The other half of a read, a change and a write; another user may have been faster. */
  async #update(path: string): Promise<void> {
    const { status, body } = await this.#target.request(path);
    if (status !== 200) return;
    const annotations = { updated: String(this.#count) };
    await this.#target.request(path, {
      method: "PUT",
      body: { ...body, metadata: { ...body.metadata, annotations } },
    });
  }

  async #apply(path: string): Promise<void> {
    const { status, body } = await this.#target.request(path);
    if (status !== 200) return;
    const { managedFields: _, resourceVersion: __, ...metadata } = body.metadata;
    await this.#target.request(`${path}?fieldManager=m&force=true`, {
      method: "PATCH",
      type: "application/apply-patch+yaml",
      body: { ...body, metadata, status: undefined },
    });
  }

  async #delete(path: string): Promise<void> {
    const query = "gracePeriodSeconds=0&propagationPolicy=Background";
    await this.#target.request(`${path}?${query}`, { method: "DELETE" });
  }
}
