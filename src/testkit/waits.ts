/** Time and waiting of one server: made with it, and idle until a test calls it. */

import { type Clock, systemClock } from "../base/clock.ts";
import { parseDuration } from "../base/duration.ts";
import type { QueueStats } from "../base/queue/contract.ts";
import type { BoundKind, Catalog, Family } from "../machinery/schema/catalog.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Registry } from "../registry/contract/registry.ts";
import type { Waits } from "./contract.ts";
import { advance, atRest, settled, type Workplace } from "./settle.ts";
import { type AnObject, findKind, type NamedKind, type UntilOptions, until } from "./until.ts";
import { createVirtualClock, type VirtualClock } from "./virtual-clock.ts";

/** A clock, "virtual", or a virtual one that begins at a time. */
export type ClockChoice = Clock | "virtual" | { readonly virtual: string | number | Date };

/** `virtual`: the same clock, if it is virtual. */
export function openClock(choice: ClockChoice = systemClock): { clock: Clock; virtual: VirtualClock | undefined } {
  if (choice !== "virtual" && "now" in choice) return { clock: choice, virtual: undefined };
  const startMs = choice === "virtual" ? Date.now() : new Date(choice.virtual).getTime();
  if (Number.isNaN(startMs)) throw new Error('clock: { virtual } must be a time, such as "2026-01-01T00:00:00Z"');
  const virtual = createVirtualClock(startMs);
  return { clock: virtual, virtual };
}

interface TestedServer {
  readonly registry: Registry & { watchedBehind(): readonly Family[] };
  readonly catalog: Catalog;
  readonly lifecycle: { readonly inProgress: number };
}

interface WaitParts {
  readonly server: TestedServer;
  readonly clock: Clock;
  readonly virtual: VirtualClock | undefined;
  readonly started: Promise<void>;
  queues(): readonly QueueStats[];
  /** Keeps the process alive during a wait. */
  hold(): () => void;
}

export interface ServerWaits extends Waits {
  /** Resolves when what the server does after its start is done, or takes too long. */
  begun(): Promise<void>;
}

export function createWaits({ server, clock, virtual, started, queues, hold }: WaitParts): ServerWaits {
  const { registry, catalog, lifecycle } = server;
  const place: Workplace = {
    started,
    queues,
    requests: () => lifecycle.inProgress,
    watchedBehind: () => registry.watchedBehind().map(({ hub }) => hub.resource),
    revision: () => registry.revision(),
    catchUp: () => registry.catchUp(),
  };
  const held = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = hold();
    try {
      return await work();
    } finally {
      release();
    }
  };
  const refIn = (kind: BoundKind, given: string, { namespace = "default" }: UntilOptions) => {
    const [first = "", second] = given.split("/", 2);
    const named = second === undefined ? { namespace, name: first } : { namespace: first, name: second };
    return kind.namespaced ? named : { ...named, namespace: "" };
  };
  const parts = { registry, catalog, place, clock: virtual };
  let begun: Promise<void> | undefined;

  return {
    begun() {
      begun ??= held(() => atRest(place)).catch(() => undefined); // it was closed meanwhile
      return begun;
    },
    clock: {
      isVirtual: virtual !== undefined,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      after: (ms, callback) => clock.after(ms, callback),
      async advance(by) {
        if (virtual === undefined)
          throw new Error('this server uses the clock of the system; create it with { clock: "virtual" }');
        const ms = millisecondsOf(by);
        return held(() => advance(place, virtual, ms));
      },
    },
    until: <T extends AnObject>(
      given: NamedKind<T> | string,
      name: string,
      isSo: (object: T) => boolean,
      options: UntilOptions = {},
    ) =>
      held(async () => {
        const kind = findKind(catalog, given);
        const isIt = (object: T | undefined) => object !== undefined && isSo(object);
        const found = await until<T>(parts, { kind, ref: refIn(kind, name, options), isSo: isIt }, options.timeoutMs);
        return found as T; // `isIt` is false for undefined
      }),
    untilGone: (given, name, options = {}) =>
      held(async () => {
        const kind = findKind(catalog, given);
        const isSo = (object: ApiObject | undefined) => object === undefined;
        await until(parts, { kind, ref: refIn(kind, name, options), isSo }, options.timeoutMs);
      }),
    settled: (options) => held(() => settled(place, virtual, options)),
  };
}

/** Reads a duration such as "1h30m", or a number. */
function millisecondsOf(by: string | number): number {
  const ms = typeof by === "number" ? by : Number(parseDuration(by) ?? Number.NaN) / 1e6;
  if (!(ms >= 0) || ms === Number.POSITIVE_INFINITY)
    throw new Error(`a clock cannot be advanced by ${JSON.stringify(by)}; say "1h", "90s" or a number of milliseconds`);
  return ms;
}
