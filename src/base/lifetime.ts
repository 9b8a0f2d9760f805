/**
 * What was opened, in order, so that it is closed in reverse order: at the end, or when opening the next thing fails.
 *
 *   const store = lifetime.use(await openStore());       // opened first, closed last
 *   const cache = lifetime.use(await openCache(store));  // throws: openWith closes the store
 */

interface Closable {
  close(): unknown;
}

export class Lifetime {
  readonly #closers: (() => unknown)[] = [];
  #closed: Promise<void> | undefined;

  get isClosed(): boolean {
    return this.#closed !== undefined;
  }

  /** Closes `thing` when the lifetime ends. Undefined, for parts that are switched off, is returned as it is. */
  use<T extends Closable | undefined>(thing: T): T {
    if (thing !== undefined) this.onClose(() => thing.close());
    return thing;
  }

  /** Calls `close` when the lifetime ends, and waits for it. Throws if it has ended already. */
  onClose(close: () => unknown): void {
    if (this.#closed !== undefined) throw new Error("the lifetime has ended");
    this.#closers.push(close);
  }

  /** Closes everything, once; a failure does not keep the rest open. Rejects with the first failure. */
  close(): Promise<void> {
    this.#closed ??= this.#closeAll();
    return this.#closed;
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (const close of this.#closers.reverse()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw failures[0];
  }
}

/** The result of `open`, which registers what it opens; if it throws, all of that is closed before the error goes on. */
export async function openWith<T>(open: (lifetime: Lifetime) => Promise<T>): Promise<T> {
  const lifetime = new Lifetime();
  try {
    return await open(lifetime);
  } catch (error) {
    await lifetime.close().catch(() => undefined); // the first error is the cause
    throw error;
  }
}
