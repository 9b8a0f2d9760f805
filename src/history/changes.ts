/** The source of `changes`: what the history of the store says, as far as the reader may get the objects. */

import type { Change } from "../api/history/v1alpha1/change.ts";
import type { Authorizer } from "../authz/contract.ts";
import { createMemoryBudget } from "../base/memory-budget.ts";
import { TimeSlice } from "../base/time-slice.ts";
import type { Kv, KvEntry, KvHistory, KvNoted, KvNotedQuery } from "../kv/contract.ts";
import { fieldChanges } from "../machinery/json/field-changes.ts";
import type { User } from "../machinery/meta/user.ts";
import type { Catalog, Family } from "../machinery/schema/catalog.ts";
import type { FamilyId } from "../machinery/schema/identity.ts";
import { badRequest, expired } from "../machinery/status/status.ts";
import { parseInstant, timeText } from "../machinery/values/time.ts";
import type {
  VirtualBatch,
  VirtualPage,
  VirtualQuery,
  VirtualSource,
  VirtualWatchQuery,
} from "../registry/contract/allocator.ts";
import type { KeptKinds } from "../registry/contract/history.ts";
import type { Transformer } from "../registry/contract/transformer.ts";
import { keyOf, refOf, splitKey } from "../registry/keys.ts";
import { decodeNote, type Note } from "./note.ts";
import { ReachedRevision } from "./reached.ts";

/** A chunk has at most this many changes, whatever limit is asked for. */
export const changesPerChunkMax = 500;
/** A chunk ends after so many changes have been looked at, even if few of them are wanted. */
export const changesExaminedMax = 50_000;
/** A chunk ends after so many bytes of states, which have to be read and compared, and which bound its answer. */
export const changesBytesMax = 8 * 1024 * 1024;
/** States that are read at once for all chunks together: as objects they take several times as much memory. Other chunks wait in line. */
export const changesAtOnceBytesMax = 16 * 1024 * 1024;
/** Chunks that read less than this do not wait for others. */
export const changesUnboundBytesMax = 256 * 1024;

interface ChangesOptions {
  readonly kv: Kv;
  readonly history: KvHistory;
  readonly kinds: KeptKinds;
  readonly catalog: Catalog;
  readonly transformer: Transformer;
}

type Requirement = VirtualQuery["fields"][number];

/** One change, with what is known without reading its states. */
interface Found {
  readonly noted: KvNoted;
  /** Decoded when it is needed. */
  readonly note: () => Note;
  readonly object: Change["object"] & { readonly namespace: string; readonly name: string; readonly resource: string };
}

type Finder = (noted: KvNoted) => Found | undefined;

export class ChangesSource implements VirtualSource {
  readonly #options: ChangesOptions;
  readonly #budget = createMemoryBudget(changesAtOnceBytesMax);
  /** Nobody may see anything before it is known who decides. */
  #authorizer: Authorizer | undefined;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  use(authorizer: Authorizer): void {
    this.#authorizer = authorizer;
  }

  async page(query: VirtualQuery): Promise<VirtualPage> {
    const reading = this.#reading(new TimeSlice(), query.signal);
    return this.#page(query, reading).finally(() => this.#end(reading));
  }

  async #page(query: VirtualQuery, reading: Reading): Promise<VirtualPage> {
    const { history } = this.#options;
    const { since, until, others } = readTimes(query.fields);
    const limit = Math.min(query.limit || changesPerChunkMax, changesPerChunkMax);
    const revision = exactRevision(others);
    this.#requireKinds(others);
    const key = this.#keyOf(query.namespace, others);
    const [from, skipped] = query.after.split("-");
    const continued = from ? BigInt(from) : undefined;
    if (continued !== undefined && continued <= history.oldest.revision)
      throw expired("the changes that follow are no longer kept; list again without continue");
    const before = lowest(
      continued,
      revision && revision + 1n,
      query.revision === undefined ? undefined : query.revision + 1n,
      until === undefined ? undefined : (await history.revisionAt(until)) + 1n,
    );
    const mayGet = this.#decisions(query.user);
    const find = this.#finder(query.namespace);
    const objects: Change[] = [];
    let examined = 0;
    let last = 0n;
    /** How many of that revision came before. */
    let seen = 0;
    const notes = {
      ...(before !== undefined && { before }),
      ...(since !== undefined && { sinceMs: since }),
      ...(key !== undefined && { key }),
      // One change is found faster by its revision.
      ...(revision === undefined && folderIn(query.namespace, others, this.#options.catalog)),
    };
    for await (const page of history.changes(notes)) {
      query.signal?.throwIfAborted();
      for (const noted of page) {
        if (revision !== undefined && noted.revision !== revision) return { objects, after: "" };
        seen = noted.revision === last ? seen + 1 : 0;
        last = noted.revision;
        if (continued === last + 1n && seen < Number(skipped ?? 0)) continue;
        // The one before was the last that fits. Writes of one commit may share a revision.
        if (objects.length >= limit || examined >= changesExaminedMax || reading.bytes >= changesBytesMax)
          return { objects, after: seen === 0 ? `${last + 1n}` : `${last + 1n}-${seen}` };
        examined += 1;
        const found = find(noted);
        if (found === undefined || !others.every((requirement) => meets(found, requirement))) continue;
        const may = mayGet(found);
        if (may === true || (await may)) objects.push(await this.#show(found, reading));
      }
    }
    return { objects, after: "" };
  }

  /**
   * The history tells what appeared, and the watch of the store only when: so a watcher may begin wherever the history does, and be as
   * slow as it is. What has left the history before it was told ends the watch.
   */
  watch(query: VirtualWatchQuery): AsyncIterable<VirtualBatch> {
    const { since: sinceMs, until, others } = readTimes(query.fields);
    if (until !== undefined) throw badRequest("until is for lists: a watch shows what happens from now on");
    this.#requireKinds(others);
    const key = this.#keyOf(query.namespace, others);
    return this.#follow(query, others, {
      upward: true,
      ...(sinceMs !== undefined && { sinceMs }),
      ...(key !== undefined && { key }),
      ...folderIn(query.namespace, others, this.#options.catalog),
    });
  }

  async *#follow(
    query: VirtualWatchQuery,
    others: readonly Requirement[],
    notes: KvNotedQuery,
  ): AsyncGenerator<VirtualBatch> {
    const { kv, history } = this.#options;
    const find = this.#finder(query.namespace);
    const reach = new ReachedRevision(kv, query.signal);
    let at = query.since ?? history.oldest.revision;
    let isInitial = query.since === undefined;
    for (;;) {
      const reached = await reach.after(isInitial ? at - 1n : at);
      if (reached === undefined) return;
      for await (const page of history.changes({ ...notes, after: at, before: reached + 1n })) {
        query.signal.throwIfAborted();
        this.#requireKept(at);
        for await (const objects of this.#shownIn(page, { ...query, find, others })) {
          at = objects.at(-1)!.revision;
          yield { objects: objects.map(({ change }) => change), reached: at };
        }
        at = page.at(-1)?.revision ?? at;
      }
      this.#requireKept(at);
      at = reached;
      yield { objects: [], reached, ...(isInitial && { endsInitial: true }) };
      isInitial = false;
    }
  }

  /** What followed `since` may have left the history before it was read. */
  #requireKept(since: bigint): void {
    const { revision } = this.#options.history.oldest;
    if (since < revision)
      throw expired(`too old resource version: ${since} (${revision}); list again and watch from there`);
  }

  /** Those of a page that are wanted and may be seen, in parts that are shown at once. */
  async *#shownIn(
    page: readonly KvNoted[],
    {
      find,
      others,
      user,
      signal,
    }: Pick<VirtualWatchQuery, "user" | "signal"> & {
      find: Finder;
      others: readonly Requirement[];
    },
  ): AsyncGenerator<readonly ShownChange[]> {
    // By the rules of now: a right may be taken away between two pages.
    const mayGet = this.#decisions(user);
    const slice = new TimeSlice();
    let reading = this.#reading(slice, signal);
    let shown: ShownChange[] = [];
    try {
      for (const noted of page) {
        // Changes of one commit stay together.
        if (shown.length > 0 && reading.bytes >= changesBytesMax && noted.revision !== shown.at(-1)!.revision) {
          // Before the watcher takes them, which may be late.
          this.#end(reading);
          yield shown;
          shown = [];
          reading = this.#reading(slice, signal);
        }
        if (slice.isLong) await slice.next();
        const found = find(noted);
        if (found === undefined || !others.every((requirement) => meets(found, requirement))) continue;
        const may = mayGet(found);
        if (may === true || (await may))
          shown.push({ change: await this.#show(found, reading), revision: noted.revision });
      }
    } finally {
      this.#end(reading);
    }
    if (shown.length > 0) yield shown;
  }

  #reading(slice: TimeSlice, signal: AbortSignal | undefined): Reading {
    return { befores: new Map(), slice, signal, bytes: 0, holds: false };
  }

  #end(reading: Reading): void {
    reading.befores.clear();
    if (reading.holds) this.#budget.leave(changesBytesMax);
    reading.holds = false;
  }

  /** An empty list would say that nothing has changed. */
  #requireKinds(requirements: readonly Requirement[]): void {
    const { catalog, kinds } = this.#options;
    const wanted = (path: string) => requirements.find((one) => one.path === path && one.operator === "=")?.value;
    const [resource, group, kind] = [wanted("object.resource"), wanted("object.group"), wanted("object.kind")];
    if (resource === undefined && kind === undefined) return;
    const named = catalog
      .families()
      .filter(
        ({ hub }) =>
          (resource === undefined || hub.resource === resource) &&
          (group === undefined || hub.group === group) &&
          (kind === undefined || hub.kind === kind),
      );
    if (named.length > 0 && !named.some((family) => kinds.keeps(family)))
      throw badRequest(`the history does not keep ${named[0]!.hub.resource}`);
  }

  /** The key of the one object that is asked for; undefined: there may be several. */
  #keyOf(namespace: string, requirements: readonly Requirement[]): string | undefined {
    const wanted = (path: string) => requirements.find((one) => one.path === path && one.operator === "=")?.value;
    const [resource, name, group] = [wanted("object.resource"), wanted("object.name"), wanted("object.group")];
    if (resource === undefined || !name || group === undefined) return undefined;
    const families = this.#options.catalog
      .families()
      .filter(({ hub }) => hub.resource === resource && hub.group === group);
    const [family] = families;
    if (family === undefined || families.length > 1 || (family.namespaced && namespace === "")) return undefined;
    return keyOf(family, { namespace, name });
  }

  #finder(namespace: string): Finder {
    const families = new Map<FamilyId, Family | undefined>();
    return (noted) => {
      const split = splitKey(noted.key);
      if (split === undefined) return undefined;
      if (!families.has(split.family)) families.set(split.family, this.#options.catalog.family(split.family));
      const family = families.get(split.family);
      const kept = this.#options.kinds;
      if (!kept.keeps(family ?? { id: split.family }) || noted.revision <= (kept.since(split.family)?.revision ?? 0n))
        return undefined;
      // The definition is gone: a path of two parts is that of an object in a namespace.
      const ref = refOf(family ?? { namespaced: split.path.includes("/") }, split.path);
      if (namespace !== "" && ref.namespace !== namespace) return undefined;
      const [group = "", resource = ""] = split.family.replace(/^custom:/, "").split("/");
      const of = family?.hub ?? { group: group === "core" ? "" : group, version: "", kind: "", resource };
      const object = { group: of.group, version: of.version, kind: of.kind, resource: of.resource, ...ref };
      let note: Note | undefined;
      return { noted, note: () => (note ??= decodeNote(noted.note)), object };
    };
  }

  /** Whether a user may get the object of a change, by the rules of now; each object is decided once in a request. */
  #decisions(user: User | undefined): (found: Found) => boolean | Promise<boolean> {
    const known = new Map<string, boolean>();
    const decide = async ({ noted, object }: Found): Promise<boolean> => {
      const { group = "", version = "", resource, namespace, name } = object;
      const asked = {
        verb: "get",
        isResource: true,
        path: "",
        group,
        version,
        resource,
        subresource: "",
        namespace,
        name,
      };
      const decision = user && (await this.#authorizer?.authorize({ user, ...asked }));
      const may = decision?.outcome === "allow";
      known.set(noted.key, may);
      return may;
    };
    return (found) => known.get(found.noted.key) ?? decide(found);
  }

  async #show({ noted, note, object }: Found, reading: Reading): Promise<Change> {
    const { history } = this.#options;
    const { key, revision, previous, atMs } = noted;
    let known: Pick<Change, "fields" | "moreFields" | "unreadable"> & { uid?: string; seen?: Stored | undefined };
    try {
      const newer = reading.befores.get(key);
      const isKnown = newer?.revision === revision;
      const after = isKnown ? newer.state : await this.#stored(await history.stateAfter(noted), reading);
      const before = await this.#stored(await history.stateBefore(noted), reading);
      reading.befores.set(key, { revision: previous, state: before });
      const { fields, more } = fieldChanges(before, after);
      if (reading.slice.isLong) await reading.slice.next();
      known = { fields, ...(more > 0 && { moreFields: more }), seen: after ?? before };
    } catch (error) {
      reading.signal?.throwIfAborted();
      known = { unreadable: error instanceof Error ? error.message : String(error) };
    }
    const { seen, ...shown } = known;
    const [stored = "", group = ""] = (seen?.apiVersion ?? "").split("/").toReversed();
    const { requestId, operation, ...rest } = note();
    const owners = seen?.metadata.ownerReferences ?? [];
    const guess = rest.cause === "" ? guessCause(rest.user, owners, object.namespace) : undefined;
    return {
      apiVersion: "",
      kind: "",
      metadata: {
        name: nameOf(noted),
        resourceVersion: `${revision}`,
        ...(object.namespace !== "" && { namespace: object.namespace }),
        creationTimestamp: timeText(atMs),
      },
      // Fields are those of the version that is stored.
      object: {
        ...object,
        ...(seen !== undefined && { group, version: stored, kind: seen.kind, uid: seen.metadata.uid ?? "" }),
        ...(owners.length > 0 && { owners: owners.map(shownOwner) }),
      },
      operation,
      ...rest,
      ...(guess !== undefined && { cause: guess, guessed: true }),
      requestID: requestId,
      ...shown,
    } as Change;
  }

  async #stored(entry: KvEntry | undefined, reading: Reading): Promise<Stored | undefined> {
    if (entry === undefined) return undefined;
    reading.bytes += entry.value.byteLength;
    if (reading.bytes > changesUnboundBytesMax && !reading.holds) {
      await this.#budget.enter(changesBytesMax);
      reading.holds = true;
    }
    if (reading.slice.isLong) await reading.slice.next();
    // Whoever has waited in line may have left.
    reading.signal?.throwIfAborted();
    const { value } = await this.#options.transformer.fromStorage(entry.key, entry.value);
    // As the registry has encoded it.
    return JSON.parse(Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString()) as Stored;
  }
}

/** Objects of a namespace are in a folder of its name, and those of a kind without namespaces in that of their resource. */
function folderIn(namespace: string, requirements: readonly Requirement[], catalog: Catalog): { folder?: string } {
  if (namespace !== "") return { folder: namespace };
  const resource = requirements.find(({ path, operator }) => path === "object.resource" && operator === "=")?.value;
  const families = catalog.families().filter(({ hub }) => hub.resource === resource);
  if (resource === undefined || families.length === 0 || families.some(({ namespaced }) => namespaced)) return {};
  return { folder: resource };
}

const lowest = (...revisions: readonly (bigint | undefined)[]): bigint | undefined =>
  revisions.reduce(
    (least, next) => (next !== undefined && (least === undefined || next < least) ? next : least),
    undefined,
  );

/** What the reading of one chunk remembers. */
interface Reading {
  /** By keys, the state before the newest change that was shown: it is the state after the next older one. */
  readonly befores: Map<string, { readonly revision: bigint; readonly state: Stored | undefined }>;
  /** One state of a megabyte takes tens of milliseconds. */
  readonly slice: TimeSlice;
  readonly signal: AbortSignal | undefined;
  /** Of the states that were read. */
  bytes: number;
  /** Whether it has its part of the budget of all of them. */
  holds: boolean;
}

interface ShownChange {
  readonly change: Change;
  readonly revision: bigint;
}

interface Stored extends Readonly<Record<string, unknown>> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly uid?: string; readonly ownerReferences?: readonly Owner[] };
}

interface Owner {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
}

const shownOwner = ({ kind, name, uid, controller }: Owner): Owner => ({
  kind,
  name,
  uid,
  ...(controller && { controller }),
});

/** Programs that do not say why they wrote: whoever manages the object made them. People have no such names. */
function guessCause(user: string, owners: readonly Owner[], namespace: string): string | undefined {
  if (!/^system:(serviceaccount|node):|^system:(?!(?:admin|apiserver|anonymous)$)[a-z-]+$/.test(user)) return undefined;
  const owner = owners.find(({ controller }) => controller === true);
  return owner && `${owner.kind.toLowerCase()} ${namespace === "" ? "" : `${namespace}/`}${owner.name}`;
}

/** "4711"; "4711-2" is the second write of a commit whose writes share their revision. */
const nameOf = ({ revision, place = 0 }: KvNoted): string => (place === 0 ? `${revision}` : `${revision}-${place + 1}`);

const textOf: Readonly<Record<string, (found: Found) => string>> = {
  "metadata.name": ({ noted }) => nameOf(noted),
  "metadata.namespace": ({ object }) => object.namespace,
  "object.group": ({ object }) => object.group ?? "",
  "object.kind": ({ object }) => object.kind ?? "",
  "object.resource": ({ object }) => object.resource,
  "object.name": ({ object }) => object.name,
  operation: ({ note }) => note().operation,
  verb: ({ note }) => note().verb,
  user: ({ note }) => note().user,
  manager: ({ note }) => note().manager,
  cause: ({ note }) => note().cause,
};

function meets(found: Found, { path, operator, value }: Requirement): boolean {
  return (textOf[path]!(found) === value) === (operator === "=");
}

function exactRevision(requirements: readonly Requirement[]): bigint | undefined {
  const name = requirements.find(({ path, operator }) => path === "metadata.name" && operator === "=")?.value;
  const [, revision] = /^([0-9]{1,18})(?:-[0-9]{1,3})?$/.exec(name ?? "") ?? [];
  return revision === undefined ? undefined : BigInt(revision);
}

/** `since` and `until` are times, and all others fields of changes. */
function readTimes(requirements: readonly Requirement[]) {
  const read = (wanted: string): number | undefined => {
    const found = requirements.find(({ path }) => path === wanted);
    if (found === undefined) return undefined;
    const instant = parseInstant(found.value);
    if (instant === undefined || found.operator !== "=")
      throw badRequest(
        `${wanted} must be a time like 2026-11-18T10:00:00Z, not ${JSON.stringify(found.value.slice(0, 64))}`,
      );
    return instant.seconds * 1_000 + Math.floor(instant.nanos / 1e6);
  };
  const others = requirements.filter(({ path }) => path !== "since" && path !== "until");
  const unknown = others.find(({ path }) => textOf[path] === undefined);
  if (unknown !== undefined)
    throw badRequest(
      `changes cannot be selected by the field ${unknown.path}: only by ${Object.keys(textOf).join(", ")}, since and until`,
    );
  return { since: read("since"), until: read("until"), others };
}
