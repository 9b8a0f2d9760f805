/** What workspaces of a type begin with: made once by a server in memory, stored as a base, and open once for all of them. */

import { createHash, randomBytes } from "node:crypto";
import { Change } from "../../api/history/v1alpha1/change.ts";
import { createMemoryFetch } from "../../http/transport/memory-exchange.ts";
import type { Kv, KvEntry } from "../../kv/contract.ts";
import { createMemoryKv, fillMemoryKv } from "../../kv/memory/memory.ts";
import { KvBase } from "../../kv/views/base.ts";
import { serverUser } from "../../registry/contract/server-writes.ts";
import { continueKeyName } from "../../registry/keys.ts";
import type { ServerOptions } from "../server/options.ts";
import { openServer, type Server } from "../server.ts";
import { softwareVersion } from "../version.ts";
import { chosenBase, readBase, storeBase } from "./bases.ts";

type Shared = NonNullable<NonNullable<ServerOptions["store"]["continues"]>["shared"]>;

interface OpenBase {
  readonly base: KvBase;
  readonly server: Server;
  readonly shared: Shared;
}

/** What a type says: the objects, or what another workspace holds. */
export interface TypeContent {
  readonly objects?: readonly object[];
  entries?(): Promise<readonly KvEntry[]>;
  /** Changes whenever the content may be another one. */
  readonly version: string;
}

interface TypesOptions {
  readonly kv: Kv;
  /** The options of a server for a workspace, whose store is given for each. */
  optionsOf(store: ServerOptions["store"]): ServerOptions;
  readonly store: ServerOptions["store"];
}

export class WorkspaceTypes {
  readonly #options: TypesOptions;
  readonly #chosen = new Map<string, Promise<string>>();
  readonly #open = new Map<string, Promise<OpenBase>>();

  constructor(options: TypesOptions) {
    this.#options = options;
  }

  /** Names the choice of a base for workspaces of the type, by what the type says. */
  choiceOf(content: TypeContent): string {
    const { vocabulary, level, gates } = this.#options.optionsOf(this.#options.store).api;
    const says = [softwareVersion, vocabulary.name, level ?? "", [...gates], content.version, content.objects ?? []];
    return createHash("sha256").update(JSON.stringify(says)).digest("hex").slice(0, 32);
  }

  /** The id of the base that new workspaces of the type begin with. */
  async baseOf(content: TypeContent): Promise<string> {
    const type = this.choiceOf(content);
    for (;;) {
      let choosing = this.#chosen.get(type);
      if (choosing === undefined) {
        choosing = this.#choose(type, content);
        this.#chosen.set(type, choosing);
        choosing.catch(() => this.#chosen.delete(type));
      }
      const id = await choosing;
      // Another server may have removed it, if no type led to it for a while.
      if ((await chosenBase(this.#options.kv, type)) === id) return id;
      if (this.#chosen.get(type) === choosing) this.#chosen.delete(type);
    }
  }

  open(id: string): Promise<OpenBase> {
    let opening = this.#open.get(id);
    if (opening === undefined) {
      opening = this.#openBase(id);
      this.#open.set(id, opening);
      opening.catch(() => this.#open.delete(id));
    }
    return opening;
  }

  /** No workspace begins with the base any more, nor is one of those that did open. */
  async forget(id: string): Promise<void> {
    const opening = this.#open.get(id);
    this.#open.delete(id);
    const open = await opening?.catch(() => undefined); // what could not be opened has nothing to close
    await open?.server.close();
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#chosen.values());
    await Promise.all([...this.#open.keys()].map((id) => this.forget(id)));
  }

  async #choose(type: string, content: TypeContent): Promise<string> {
    const { kv } = this.#options;
    const known = await chosenBase(kv, type);
    if (known !== undefined) return known;
    const entries = (await content.entries?.()) ?? (await this.#entriesOf(content.objects ?? []));
    return storeBase(
      kv,
      type,
      entries.filter(({ key }) => key !== continueKeyName),
    );
  }

  /** What the store of a new server holds after these objects were created. */
  async #entriesOf(objects: readonly object[]): Promise<readonly KvEntry[]> {
    const kv = createMemoryKv();
    const server = await openServer(this.#options.optionsOf({ ...this.#options.store, kv }));
    try {
      if (objects.length > 0) {
        const { load } = await import("../../testkit/load/load.ts");
        const fetch = createMemoryFetch(server.handler, { user: serverUser });
        await load({ catalog: server.catalog, fetch, pause: async () => {} }, objects);
      }
      return (await kv.range("")).entries;
    } finally {
      server.lifecycle.end();
      await server.close();
    }
  }

  async #openBase(id: string): Promise<OpenBase> {
    const { kv, store } = this.#options;
    const entries = await readBase(kv, id);
    if (entries.length === 0) throw new Error(`what the workspace began with is not in the store: base ${id}`);
    const memory = fillMemoryKv(entries, await kv.revision());
    const options = this.#options.optionsOf({ ...store, kv: memory, continues: {}, continueKey: randomBytes(32) });
    // Workspaces have the kinds of this server, and their changes are in the history of the store.
    const more = kv.history?.() === undefined ? [] : [Change];
    const server = await openServer({ ...options, api: { ...options.api, more } });
    return {
      base: new KvBase(entries),
      server,
      shared: { catalog: server.catalog, cache: server.registry.cacheState() },
    };
  }
}
