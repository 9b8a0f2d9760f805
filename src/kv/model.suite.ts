/** The part of the contract suite that runs random commands against a store and a model that is too simple to be wrong. */

import fc from "fast-check";
import { expect } from "vitest";
import type { KvHome, KvSuiteTest } from "./contract.suite.ts";
import { type Kv, type KvChange, type KvEntry, KvError, type KvWrite, type RangeOptions } from "./contract.ts";
import { type Follower, follow, plain } from "./follow.suite.ts";

export function describeModel(makeHome: () => Promise<KvHome>, it: KvSuiteTest, runs: number): void {
  it("reliable", "random puts, deletes, ranges, watches and compactions agree with a model", async () => {
    const home = await makeHome();
    try {
      const kv = await home.open();
      try {
        let run = 0;
        await fc.assert(
          fc.asyncProperty(fc.array(command, { minLength: 1, maxLength: 40 }), async (commands) => {
            await runCommands(kv, `run${++run}/`, commands);
          }),
          { numRuns: runs, endOnFailure: true },
        );
      } finally {
        await kv.close();
      }
    } finally {
      await home.remove();
    }
  });
}

// Few and awkward keys, so that commands meet: prefixes of each other, NUL, and UTF-8 against UTF-16 order.
const tails = ["a", "a\0", "aa", "a/b", "b", "\uffff", "😀", "\x7f"] as const;
const tail = fc.constantFrom(...tails);
const start = fc.option(fc.constantFrom("", ...tails), { nil: undefined });

/** `pick` chooses one of the revisions known so far, counted from the newest. */
type Command =
  | { readonly do: "put"; readonly tail: string; readonly size: number; readonly stale: boolean }
  | { readonly do: "delete"; readonly tail: string; readonly stale: boolean }
  | { readonly do: "commit"; readonly writes: readonly CommandWrite[]; readonly stale: boolean }
  | {
      readonly do: "range";
      readonly prefix: string;
      readonly start: string | undefined;
      readonly limit: number | undefined;
      readonly pick: number | undefined;
    }
  | { readonly do: "watch"; readonly prefix: string; readonly pick: number }
  | { readonly do: "compact"; readonly pick: number };

/** One write of a commit; what it removes may be missing, and then the commit is refused. */
interface CommandWrite {
  readonly tail: string;
  readonly how: "put" | "delete" | "keep";
}

const stale = fc.integer({ max: 9, min: 0 }).map((number) => number === 0);
const pick = fc.nat({ max: 15 });
const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: fc.constant("put"), tail, size: fc.constantFrom(0, 3, 5_000), stale }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("delete"), tail, stale }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("commit"),
      writes: fc.uniqueArray(fc.record({ tail, how: fc.constantFrom("put", "put", "delete", "keep") }), {
        selector: (write) => write.tail,
        minLength: 1,
        maxLength: 4,
      }),
      stale,
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("range"),
      prefix: fc.constantFrom("", "a", "a/", "x"),
      start,
      limit: fc.option(fc.constantFrom(1, 2, 3, 100), { nil: undefined }),
      pick: fc.option(pick, { nil: undefined }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("watch"), prefix: fc.constantFrom("", "a", "b"), pick }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("compact"), pick }) },
) as fc.Arbitrary<Command>; // fast-check widens the literal of fc.constant inside records

type State = ReadonlyMap<string, KvEntry>;

/** All states and changes there ever were, in plain arrays. */
class Model {
  readonly states: { readonly revision: bigint; readonly state: State }[];
  readonly changes: KvChange[] = [];
  compacted: bigint;

  constructor(revision: bigint) {
    this.states = [{ revision, state: new Map() }];
    this.compacted = revision;
  }

  get newest(): State {
    return this.states.at(-1)!.state;
  }

  known(pick: number): bigint {
    return this.states.at(-1 - (pick % this.states.length))!.revision;
  }

  apply(change: KvChange): void {
    const state = new Map(this.newest);
    const { key, revision, value } = change;
    if (value === undefined) state.delete(key);
    else state.set(key, { key, value, revision, created: state.get(key)?.created ?? revision });
    this.states.push({ revision, state });
    this.changes.push(change);
  }

  range(prefix: string, options: RangeOptions): { entries: KvEntry[]; remaining: number } | "compacted" {
    if (options.revision !== undefined && options.revision < this.compacted) return "compacted";
    const { state } = this.states.findLast(({ revision }) => revision <= (options.revision ?? revision))!;
    const all = [...state.values()]
      .filter(({ key }) => key.startsWith(prefix) && compareBytes(key, options.start ?? "") >= 0)
      .sort((a, b) => compareBytes(a.key, b.key));
    const entries = all.slice(0, options.limit ?? all.length);
    return { entries, remaining: all.length - entries.length };
  }

  after(prefix: string, since: bigint): KvChange[] {
    return this.changes.filter(({ key, revision }) => key.startsWith(prefix) && revision > since);
  }
}

async function runCommands(kv: Kv, scope: string, commands: readonly Command[]): Promise<void> {
  const model = new Model(await kv.revision());
  const abort = new AbortController();
  const watches: { prefix: string; since: bigint; watcher: Follower }[] = [];
  for (const step of commands) {
    switch (step.do) {
      case "put":
      case "delete": {
        const key = scope + step.tail;
        const previous = model.newest.get(key);
        const expected = (previous?.revision ?? 0n) + (step.stale ? 1n : 0n);
        const value = step.do === "put" ? new Uint8Array(step.size).fill(model.changes.length) : undefined;
        const write = value === undefined ? kv.delete(key, expected) : kv.put(key, value, expected);
        if (step.stale || (value === undefined && previous === undefined)) {
          await expect(write).rejects.toMatchObject({ code: "conflict" });
          break;
        }
        const revision = await write;
        expect(revision).toBeGreaterThan(model.known(0));
        model.apply({ key, revision, ...(value && { value }) });
        break;
      }
      case "commit": {
        const writes: KvWrite[] = step.writes.map((write, at) => ({
          key: scope + write.tail,
          expected: (model.newest.get(scope + write.tail)?.revision ?? 0n) + (step.stale && at === 0 ? 1n : 0n),
          value: write.how === "put" ? new Uint8Array([model.changes.length, at]) : undefined,
          keeps: write.how === "keep",
        }));
        const isRefused =
          step.stale || writes.some(({ value, keeps, expected }) => !value && !keeps && expected === 0n);
        if (isRefused) {
          await expect(kv.commit(writes)).rejects.toMatchObject({ code: "conflict" });
          break;
        }
        const revisions = await kv.commit(writes);
        for (const [at, { key, value, keeps }] of writes.entries())
          if (!keeps) model.apply({ key, revision: revisions[at]!, ...(value && { value }) });
        break;
      }
      case "range": {
        const options: RangeOptions = {
          ...(step.start !== undefined && { start: scope + step.start }),
          ...(step.limit !== undefined && { limit: step.limit }),
          ...(step.pick !== undefined && { revision: model.known(step.pick) }),
        };
        const found = await kv.range(scope + step.prefix, options).catch(codeOf);
        const expected = model.range(scope + step.prefix, options);
        if (typeof found === "string" || typeof expected === "string") {
          expect(found).toEqual(expected);
          break;
        }
        expect(found.entries.map(plainEntry)).toEqual(expected.entries);
        expect(found.remaining).toBe(expected.remaining);
        if (options.revision !== undefined) expect(found.revision).toBe(options.revision);
        break;
      }
      case "watch": {
        const since = model.known(step.pick);
        if (since < model.compacted) break;
        watches.push({ prefix: step.prefix, since, watcher: follow(kv, scope + step.prefix, since, abort.signal) });
        break;
      }
      case "compact": {
        const revision = model.known(step.pick);
        // A watcher that has not caught up yet would correctly end here; let the running ones pass the revision first.
        await Promise.all(watches.map(({ watcher }) => watcher.until(revision)));
        await kv.compact(revision);
        if (revision > model.compacted) model.compacted = revision;
        break;
      }
    }
  }
  for (const { prefix, since, watcher } of watches) {
    await watcher.until(model.known(0));
    expect(plain(watcher.changes)).toEqual(model.after(scope + prefix, since));
  }
  abort.abort();
  await Promise.all(watches.map(({ watcher }) => watcher.ended));
}

function codeOf(error: unknown): string {
  if (error instanceof KvError) return error.code;
  throw error;
}

function plainEntry(entry: KvEntry): KvEntry {
  return { ...entry, value: new Uint8Array(entry.value) };
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
