/** Entries in the version that a client asked for, of kinds that only a webhook can convert. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertAll } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { internalFailure } from "../machinery/status/status.ts";
import type { Entry } from "./contract/entry.ts";
import type { Deleted, ListResult, Written } from "./contract/registry.ts";
import type { Watch, WatchEvent, WatchReceiver } from "./contract/watch.ts";
import type { Core } from "./core.ts";
import { StoredEntry } from "./entry.ts";
import { pathOf } from "./keys.ts";
import { shapeOfVersion } from "./shape.ts";

/** Whether entries must be converted before anybody is shown them in this version. */
export const isConvertedElsewhere = ({ family }: BoundKind): boolean => !family.conversion.isImmediate;

/** In the same order. Entries that are of the version already stay as they are. */
export async function convertEntries(
  core: Core,
  kind: BoundKind,
  entries: readonly Entry[],
  signal?: AbortSignal,
): Promise<readonly Entry[]> {
  const byVersion = new Map<BoundKind, Entry[]>();
  for (const entry of entries) {
    const { version } = entry;
    // An entry of another family of the same name was read when the definition was another one.
    if (version === kind || version.apiVersion === kind.apiVersion) continue;
    const of = byVersion.get(version) ?? [];
    byVersion.set(version, of);
    of.push(entry);
  }
  const made = new Map<Entry, Entry>();
  for (const [version, members] of byVersion) {
    const objects = members.map((entry) => entry.object());
    const converted = await convertAll(objects, versionOf(kind, version), kind, signal);
    for (const [index, entry] of members.entries()) made.set(entry, entryOf(core, kind, entry, converted[index]));
  }
  return entries.map((entry) => made.get(entry) ?? entry);
}

const versionOf = ({ family }: BoundKind, version: BoundKind): BoundKind =>
  family.versions.find(({ apiVersion }) => apiVersion === version.apiVersion) ?? version;

function entryOf(core: Core, kind: BoundKind, entry: Entry, object: ApiObject | undefined): Entry {
  if (object === undefined) throw internalFailure("a conversion gives as many objects as it gets");
  const shape = shapeOfVersion(kind);
  const { namespace, name, revision } = entry;
  const path = pathOf(kind.family, { namespace, name });
  return new StoredEntry(shape, path, shape.encode(object), revision, shape.traits(object), core.shelf);
}

export async function convertOne(core: Core, kind: BoundKind, entry: Entry, signal?: AbortSignal): Promise<Entry> {
  const [converted = entry] = await convertEntries(core, kind, [entry], signal);
  return converted;
}

export const convertWritten = async (core: Core, kind: BoundKind, written: Written): Promise<Written> => ({
  ...written,
  entry: await convertOne(core, kind, written.entry),
});

/** What is answered with a Status is not converted. */
export async function convertDeleted(core: Core, kind: BoundKind, deleted: Deleted): Promise<Deleted> {
  return deleted.answer === "status" ? deleted : { ...deleted, entry: await convertOne(core, kind, deleted.entry) };
}

export const convertList = async (
  core: Core,
  kind: BoundKind,
  result: ListResult,
  signal?: AbortSignal,
): Promise<ListResult> => ({ ...result, entries: await convertEntries(core, kind, result.entries, signal) });

/** Events that wait to be converted; while there are as many, the watch is told to wait. */
export const convertingEventsMax = 1_000;

/** Converts events batch by batch, in order. An object that cannot be converted ends the watch, as in v1.21. */
export class ConvertedWatch implements Watch {
  readonly #core: Core;
  readonly #kind: BoundKind;
  readonly #watch: Watch;
  readonly #signal: AbortSignal;
  #waiting: WatchEvent[] = [];
  #isConverting = false;
  #isPaused = false;
  #isClosed = false;
  #end: { readonly reason: Error | undefined } | undefined;
  #receiver: WatchReceiver | undefined;

  constructor(core: Core, kind: BoundKind, watch: Watch, signal: AbortSignal) {
    this.#core = core;
    this.#kind = kind;
    this.#watch = watch;
    this.#signal = signal;
  }

  get requirements(): number {
    return this.#watch.requirements;
  }

  start(receiver: WatchReceiver): void {
    this.#receiver = receiver;
    this.#watch.start({
      events: (batch) => {
        for (const event of batch) this.#waiting.push(event);
        void this.#work();
        return this.#waiting.length < convertingEventsMax;
      },
      end: (reason) => {
        this.#end = { reason };
        void this.#work();
      },
    });
  }

  resume(): void {
    this.#isPaused = false;
    void this.#work();
  }

  bookmark(): void {
    this.#watch.bookmark();
  }

  close(): void {
    this.#isClosed = true;
    this.#watch.close();
  }

  /** One at a time; whoever comes meanwhile finds that it goes on. */
  async #work(): Promise<void> {
    if (this.#isConverting) return;
    this.#isConverting = true;
    try {
      while (!this.#isClosed && !this.#isPaused && this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        const told = await this.#converted(batch);
        if (this.#isClosed) return;
        if (this.#receiver?.events(told) === false) this.#isPaused = true;
        this.#watch.resume();
      }
    } catch (error) {
      this.#fail(error instanceof Error ? error : new Error(String(error)));
      return;
    } finally {
      this.#isConverting = false;
    }
    if (this.#end !== undefined && this.#waiting.length === 0 && !this.#isClosed && !this.#isPaused) {
      this.#isClosed = true;
      this.#receiver?.end(this.#end.reason);
    }
  }

  async #converted(batch: readonly WatchEvent[]): Promise<readonly WatchEvent[]> {
    const entries = batch.flatMap((event) => (event.type === "BOOKMARK" ? [] : [event.entry]));
    const converted = await convertEntries(this.#core, this.#kind, entries, this.#signal);
    let next = 0;
    return batch.map((event) => {
      if (event.type === "BOOKMARK") return event;
      const entry = converted[next++] ?? event.entry;
      return { ...event, entry };
    });
  }

  #fail(reason: Error): void {
    if (this.#isClosed) return;
    this.close();
    this.#receiver?.end(reason);
  }
}
