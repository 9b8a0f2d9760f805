/** A history whose secrets begin with the name of their key, and what a reader finds of it. */

import { seededRandom } from "../../src/base/seeded-random.ts";
import type { Kv, KvHistoryRewrite } from "../../src/kv/contract.ts";

/** Enough for many segments: a sixteenth of it is one. */
export const rewrittenBounds = { ageMs: Number.POSITIVE_INFINITY, bytesMax: 2_000_000 };

const keys = Array.from({ length: 40 }, (_, at) => `/${at % 2 === 0 ? "secrets" : "pods"}/shop/name-${at}`);

export function rewriteOf(from: string, to: string): KvHistoryRewrite {
  return {
    concerns: (key) => key.startsWith("/secrets/"),
    rewrite(_key, value) {
      const text = Buffer.from(value).toString();
      return text.startsWith(`${from}:`) ? Buffer.from(`${to}:${text.slice(from.length + 1)}`) : undefined;
    },
  };
}

export async function writeHistory(kv: Kv, name: string, { from, count }: { from: number; count: number }) {
  const random = seededRandom(from + 1);
  for (let index = from; index < from + count; index += 1) {
    const key = keys[Math.floor(random() * keys.length)]!;
    const found = await kv.get(key);
    const value = `${key.startsWith("/secrets/") ? name : "plain"}:${"a text ".repeat(60)}${index}${" and an end".repeat(9)}`;
    await kv.put(key, Buffer.from(value), found?.revision ?? 0n, Buffer.from(`note ${index}`));
    if (index % 50 === 0) await kv.compact(await kv.revision());
  }
}

/** The newest states are encrypted by others. */
export async function writeNewest(kv: Kv, from: string, to: string): Promise<void> {
  const { rewrite } = rewriteOf(from, to);
  for (const { key, value, revision } of (await kv.range("/secrets/")).entries) {
    const next = await rewrite(key, value);
    if (next !== undefined) await kv.put(key, next, revision, Buffer.from("again"));
  }
}

/** Every change with the states before and after it, newest first. */
export async function tellHistory(kv: Kv): Promise<string[]> {
  const history = kv.history!()!;
  const lines: string[] = [];
  for await (const page of history.changes({})) {
    for (const change of page) {
      const states = [await history.stateBefore(change), await history.stateAfter(change)];
      const shown = states.map((state) => state && Buffer.from(state.value).toString());
      lines.push(`${change.revision} ${change.key} ${Buffer.from(change.note)} ${shown.join(" -> ")}`);
    }
  }
  return lines;
}
