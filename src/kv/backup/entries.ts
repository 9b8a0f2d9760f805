/** All entries of a store at one revision, a page at a time, so that memory does not grow with the store. */

import type { Kv, KvEntry, RangeOptions } from "../contract.ts";

/** How many entries a page holds. */
const usualPageEntries = 500;

interface EntriesAt {
  readonly revision: bigint;
  /** In key order. Can be read once; reading to the end or leaving the loop releases the state. */
  readonly pages: AsyncIterable<readonly KvEntry[]>;
  /** Releases the state; must be called if `pages` is never read. */
  release(): void;
}

/**
 * The state at the newest revision. It stays readable while others write, where the store can pin or reserve it. It ends with
 * RevisionCompacted if another program compacts it meanwhile.
 */
export async function readEntries(kv: Kv, pageEntries = usualPageEntries): Promise<EntriesAt> {
  const pin = kv.pin?.() ?? (await kv.reserve?.());
  const revision = pin?.revision ?? (await kv.revision());
  const release = () => pin?.release();
  return { revision, pages: pagesAt(kv, { revision, limit: pageEntries, uncounted: true }, release), release };
}

async function* pagesAt(kv: Kv, options: RangeOptions, release: () => void): AsyncGenerator<readonly KvEntry[]> {
  try {
    let start: string | undefined;
    for (;;) {
      const page = await kv.range("", start === undefined ? options : { ...options, start });
      if (page.entries.length > 0) yield page.entries;
      if (page.remaining === 0) return;
      start = `${page.entries.at(-1)!.key}\0`;
    }
  } finally {
    release();
  }
}
