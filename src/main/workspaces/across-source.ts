/**
 * The objects of one family in all workspaces, read from the store: none of them is opened for it, and those that are suspended are
 * among them. A workspace appears when it is ready and goes when it is deleted, with all its objects at once:
 *
 *     r5 shop becomes ready, r6 shop stores a, r7 shop is deleted     r5 what its type gives it   r6 a   r7 all of that goes
 */

import type { Workspace } from "../../api/tenancy/v1alpha1/workspace.ts";
import type { Kv, KvChange, KvEntry } from "../../kv/contract.ts";
import { isRemoved, KvView } from "../../kv/views/view.ts";
import type { BoundKind, Family } from "../../machinery/schema/catalog.ts";
import type { Transformer } from "../../registry/contract/transformer.ts";
import type { JoinedSource, PartChange, PartValue } from "../../registry/joined/contract.ts";
import { prefixOf } from "../../registry/keys.ts";
import type { WorkspaceTypes } from "./types.ts";

/** How many workspaces are read at once. */
const readAtOnceMax = 16;
const pageEntries = 500;

interface AcrossOptions {
  readonly kv: Kv;
  readonly transformer: Transformer;
  readonly types: WorkspaceTypes;
  /** Of Workspace objects, at the root. */
  readonly kind: BoundKind<Workspace>;
  /** What the keys of the workspace with this uid begin with. */
  prefixOf(uid: string): string;
  readonly family: Family;
  /** Absent: workspaces of all types. */
  readonly type?: string | undefined;
  /** The key of the definition of the family. Workspaces in which it does not say what it says in `base` are left out. */
  readonly defined?: { readonly key: string; readonly base: string } | undefined;
}

interface Part {
  readonly uid: string;
  readonly name: string;
  readonly base: string;
}

export class AcrossSource implements JoinedSource {
  readonly #options: AcrossOptions;
  readonly #workspaceKeys: string;
  readonly #allKeys: string;
  readonly #familyKeys: string;
  /** By uid: those whose objects are shown. */
  #parts = new Map<string, Part>();
  /** By uid: those that define the family in another way. */
  #leftOut = new Map<string, Part>();

  constructor(options: AcrossOptions) {
    this.#options = options;
    this.#workspaceKeys = prefixOf(options.kind.family);
    this.#allKeys = options.prefixOf("").slice(0, -1);
    this.#familyKeys = prefixOf(options.family);
  }

  revision(): Promise<bigint> {
    return this.#options.kv.revision();
  }

  newest(): bigint | undefined {
    return this.#options.kv.newest?.();
  }

  async load(take: (value: PartValue) => void, signal: AbortSignal): Promise<bigint> {
    const { kv } = this.#options;
    const pin = kv.pin?.();
    try {
      const revision = pin?.revision ?? (await kv.revision());
      const found: Part[] = [];
      const leftOut: Part[] = [];
      for await (const entry of pages(kv, this.#workspaceKeys, revision)) {
        const part = await this.#partIn(entry);
        if (part === undefined) continue;
        if (await this.#isLeftOut(part, revision)) leftOut.push(part);
        else found.push(part);
      }
      const waiting = found.values();
      const read = async () => {
        for (const part of waiting) {
          signal.throwIfAborted();
          for (const value of await this.#valuesOf(part, revision)) take(value);
        }
      };
      await Promise.all(Array.from({ length: readAtOnceMax }, read));
      this.#parts = byUid(found);
      this.#leftOut = byUid(leftOut);
      return revision;
    } finally {
      pin?.release();
    }
  }

  /** One watch of the whole store: only there all revisions come in one order. */
  async *watch(since: bigint, signal: AbortSignal): ReturnType<JoinedSource["watch"]> {
    for await (const { changes, revision } of this.#options.kv.watch("", since, signal)) {
      const made: PartChange[] = [];
      for (const change of changes) {
        if (change.key.startsWith(this.#workspaceKeys)) made.push(...(await this.#ofWorkspace(change)));
        else if (change.key.startsWith(this.#allKeys)) made.push(...(await this.#ofContent(change)));
      }
      yield { changes: made, revision };
    }
  }

  async #ofWorkspace(change: KvChange): Promise<readonly PartChange[]> {
    const { value, revision } = change;
    if (value === undefined) return [];
    const { uid, part } = await this.#read({ ...change, value });
    if (part === undefined) this.#leftOut.delete(uid);
    if ((this.#parts.has(uid) || this.#leftOut.has(uid)) === (part !== undefined)) return [];
    if (part === undefined) return this.#leave(uid, revision);
    if (!(await this.#isLeftOut(part, revision))) return this.#join(part, revision);
    this.#leftOut.set(uid, part);
    return [];
  }

  async #ofContent({ key, value, revision }: KvChange): Promise<readonly PartChange[]> {
    const begin = this.#allKeys.length;
    const end = key.indexOf("/", begin);
    const uid = key.slice(begin, end);
    const inner = key.slice(end + 1);
    const part = this.#parts.get(uid);
    const defined = inner === this.#options.defined?.key ? (this.#leftOut.get(uid) ?? part) : undefined;
    if (defined !== undefined) return this.#redefine(defined, revision);
    if (part === undefined) return [];
    if (!inner.startsWith(this.#familyKeys)) return [];
    const change = { part: part.name, path: inner.slice(this.#familyKeys.length), revision, at: revision };
    if (value === undefined || isRemoved(value)) return [change];
    return [{ ...change, value: await this.#plain(inner, value) }];
  }

  /** Its keys are removed later, in other commits. */
  async #leave(uid: string, at: bigint): Promise<readonly PartChange[]> {
    const part = this.#parts.get(uid);
    if (part === undefined) return [];
    this.#parts.delete(uid);
    return (await this.#keysOf(part, at)).map(({ key }) => ({ part: part.name, path: key, revision: at, at }));
  }

  /** The definition of the family was written in a workspace: it may say the same as before, or something else. */
  async #redefine(part: Part, at: bigint): Promise<readonly PartChange[]> {
    const isShown = this.#parts.has(part.uid);
    if ((await this.#isLeftOut(part, at)) !== isShown) return [];
    if (!isShown) return this.#join(part, at);
    const changes = await this.#leave(part.uid, at);
    this.#leftOut.set(part.uid, part);
    return changes;
  }

  async #join(part: Part, at: bigint): Promise<readonly PartChange[]> {
    this.#leftOut.delete(part.uid);
    this.#parts.set(part.uid, part);
    return (await this.#valuesOf(part, at)).map((shown) => ({ ...shown, at }));
  }

  async #isLeftOut(part: Part, revision: bigint): Promise<boolean> {
    const { defined, kv, types } = this.#options;
    if (defined === undefined) return false;
    if (part.base !== defined.base) return true;
    const key = this.#options.prefixOf(part.uid) + defined.key;
    const [own] = (await kv.range(key, { revision, limit: 1, uncounted: true })).entries;
    if (own?.key !== key) return false;
    const given = (await types.open(part.base)).base.get(defined.key);
    if (given === undefined || isRemoved(own.value)) return true;
    const saidBy = async ({ value }: KvEntry) => specIn(await this.#plain(defined.key, value));
    return (await saidBy(own)) !== (await saidBy(given));
  }

  async #valuesOf(part: Part, revision: bigint): Promise<readonly PartValue[]> {
    const found = await this.#keysOf(part, revision);
    return Promise.all(
      found.map(async ({ key, value, revision: own }) => ({
        part: part.name,
        path: key,
        revision: own,
        value: await this.#plain(this.#familyKeys + key, value),
      })),
    );
  }

  /** Of the family, by the path of the object. */
  async #keysOf({ uid, base }: Part, revision: bigint): Promise<readonly KvEntry[]> {
    const { kv, types } = this.#options;
    const prefix = this.#options.prefixOf(uid);
    const view = new KvView({ kv, prefix, base: (await types.open(base)).base, revision, onClose() {} });
    try {
      const { entries } = await view.range(this.#familyKeys, { revision });
      return entries.map((entry) => ({ ...entry, key: entry.key.slice(this.#familyKeys.length) }));
    } finally {
      await view.close();
    }
  }

  async #partIn(entry: KvEntry): Promise<Part | undefined> {
    return (await this.#read(entry)).part;
  }

  /** `part` undefined: it is not ready yet, is being deleted, or is of another type. */
  async #read({ key, value }: Pick<KvEntry, "key" | "value">): Promise<{ uid: string; part: Part | undefined }> {
    const text = Buffer.from(await this.#plain(key, value)).toString();
    const { metadata, spec, status } = JSON.parse(text) as Workspace; // the registry stores nothing else there
    const { name = "", uid = "", deletionTimestamp } = metadata;
    const { type } = this.#options;
    const base = status?.base ?? "";
    if (base === "" || deletionTimestamp || (type !== undefined && (spec?.type ?? "") !== type))
      return { uid, part: undefined };
    return { uid, part: { uid, name, base } };
  }

  async #plain(key: string, stored: Uint8Array): Promise<Uint8Array> {
    return (await this.#options.transformer.fromStorage(key, stored)).value;
  }
}

const byUid = (parts: readonly Part[]) => new Map(parts.map((part) => [part.uid, part]));

/** As text: what a server prints has one order. */
const specIn = (definition: Uint8Array): string =>
  JSON.stringify((JSON.parse(Buffer.from(definition).toString()) as { spec?: unknown }).spec);

async function* pages(kv: Kv, prefix: string, revision: bigint): AsyncIterable<KvEntry> {
  for (let start = prefix; ; ) {
    const { entries, remaining } = await kv.range(prefix, { start, revision, limit: pageEntries, uncounted: true });
    yield* entries;
    if (remaining === 0 || entries.length === 0) return;
    start = `${entries.at(-1)?.key ?? ""}\0`;
  }
}
