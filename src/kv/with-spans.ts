/** A store whose reads and writes are spans of the requests that need them. */

import { asPart, type SpanAttributes, type Tracing } from "../base/tracing.ts";
import type { Kv } from "./contract.ts";

export function withSpans(kv: Kv, tracing: Tracing): Kv {
  const traced = <T>(operation: string, attributes: SpanAttributes, work: () => Promise<T>) =>
    asPart(tracing, `store ${operation}`, attributes, work);
  const keyed = <T>(operation: string, key: string, work: () => Promise<T>) =>
    traced(operation, { "orch.store.key": key }, work);
  return {
    revision: () => kv.revision(),
    ...(kv.newest && { newest: () => kv.newest!() }),
    get: (key) => keyed("get", key, () => kv.get(key)),
    range: (prefix, options) => keyed("range", prefix, () => kv.range(prefix, options)),
    put: (key, value, expected, note) => keyed("put", key, () => kv.put(key, value, expected, note)),
    delete: (key, expected, note) => keyed("delete", key, () => kv.delete(key, expected, note)),
    ...(kv.history && { history: () => kv.history!() }),
    ...(kv.forgetHistory && { forgetHistory: () => kv.forgetHistory!() }),
    ...(kv.rewriteHistory && { rewriteHistory: (rewrite) => kv.rewriteHistory!(rewrite) }),
    commit: (writes) => traced("commit", { "orch.store.writes": writes.length }, () => kv.commit(writes)),
    watch: (prefix, since, signal, options) => kv.watch(prefix, since, signal, options),
    compact: (revision) => kv.compact(revision),
    ...(kv.pin && { pin: () => kv.pin!() }),
    ...(kv.reserve && { reserve: () => kv.reserve!() }),
    ...(kv.condition && { condition: () => kv.condition!() }),
    ...(kv.sizes && { sizes: () => kv.sizes!() }),
    close: () => kv.close(),
  };
}
