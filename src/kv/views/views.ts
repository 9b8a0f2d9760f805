/** Opens views of one store, which all follow it by one watch. */

import { type Clock, sleep } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { type Kv, type KvChange, KvClosed, KvError } from "../contract.ts";
import type { KvBase } from "./base.ts";
import { KvView } from "./view.ts";

/** How long to wait before a watch that failed is opened again. */
const retryMs = 200;

interface ViewsOptions {
  /** The code that opened it closes it, after the views. */
  readonly kv: Kv;
  /** What the keys of all views begin with; that of a view follows, and a slash. */
  readonly prefix: string;
  readonly clock: Clock;
  readonly log: Log;
}

export class KvViews {
  readonly #options: ViewsOptions;
  readonly #open = new Map<string, KvView>();
  readonly #stop = new AbortController();
  #following: Promise<void> | undefined;
  #starting: Promise<void> | undefined;
  #revision = 0n;

  constructor(options: ViewsOptions) {
    this.#options = options;
  }

  /** What the keys of the view begin with. */
  prefixOf(id: string): string {
    return `${this.#options.prefix}${id}/`;
  }

  /** `id`: has no slash, and no other open view has it. */
  async open(id: string, base: KvBase): Promise<KvView> {
    if (this.#stop.signal.aborted) throw new KvClosed();
    this.#starting ??= this.#start();
    await this.#starting;
    if (this.#open.has(id)) throw new Error(`the view ${id} is open`);
    const view: KvView = new KvView({
      kv: this.#options.kv,
      prefix: this.prefixOf(id),
      base,
      revision: this.#revision,
      onClose: () => {
        if (this.#open.get(id) === view) this.#open.delete(id);
      },
    });
    this.#open.set(id, view);
    return view;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#open.values()].map((view) => view.close()));
    await this.#following;
  }

  async #start(): Promise<void> {
    this.#revision = await this.#options.kv.revision();
    this.#following = this.#follow();
  }

  async #follow(): Promise<void> {
    const { kv, prefix, clock, log } = this.#options;
    const { signal } = this.#stop;
    // Where other processes write too, progress is what readers of views wait for.
    const options = kv.newest?.() === undefined ? {} : ({ changesOnly: true } as const);
    while (!signal.aborted) {
      try {
        for await (const { changes, revision } of kv.watch(prefix, this.#revision, signal, options))
          this.#take(changes, revision);
        if (signal.aborted) return;
      } catch (error) {
        if (signal.aborted || (error instanceof KvError && error.code === "closed")) return;
        log.warn("watching the store for its views failed", { revision: this.#revision, error });
        if (error instanceof KvError && error.code === "compacted") await this.#skip();
      }
      await sleep(clock, retryMs, signal).catch(() => undefined);
    }
  }

  #take(changes: readonly KvChange[], revision: bigint): void {
    const byView = new Map<KvView, KvChange[]>();
    for (const change of changes) {
      const view = this.#open.get(this.#idIn(change.key));
      if (view === undefined) continue;
      const own = byView.get(view);
      if (own === undefined) byView.set(view, [change]);
      else own.push(change);
    }
    this.#revision = revision;
    for (const view of this.#open.values()) view.take(byView.get(view) ?? [], revision);
  }

  async #skip(): Promise<void> {
    const revision = await this.#options.kv.revision().catch(() => undefined);
    if (revision === undefined) return;
    this.#revision = revision;
    for (const view of this.#open.values()) view.skip(revision);
  }

  #idIn(key: string): string {
    const begin = this.#options.prefix.length;
    return key.slice(begin, key.indexOf("/", begin));
  }
}
