/** Counts requests by what they were for. */

import { type Cell, Counter, Histogram, labelKey, type Metric, type Series } from "../../base/metrics.ts";
import type { BoundKind, Catalog } from "../../machinery/schema/catalog.ts";
import { longRunning, requestDuration, requestTotal, responseSizes, selfRequests } from "../../metrics/requests.ts";
import type { Call } from "../request/call.ts";

interface RequestMetrics {
  readonly all: readonly Metric[];
  began(call: Call): void;
  answered(call: Call, durationMs: number): void;
}

const knownVerbs: ReadonlyMap<string, string> = new Map([
  ["get", "GET"],
  ["list", "LIST"],
  ["watch", "WATCH"],
  ["create", "POST"],
  ["update", "PUT"],
  ["patch", "PATCH"],
  ["delete", "DELETE"],
  ["deletecollection", "DELETECOLLECTION"],
  ["post", "POST"],
  ["put", "PUT"],
]);

/** The metrics with the labels of one kind of request. */
interface RequestCounts {
  readonly verb: string;
  readonly key: string;
  readonly byCode: Map<number, Cell>;
  readonly duration: Series;
  /** Undefined: the sizes of such answers are not measured. */
  readonly sizes: Series | undefined;
  readonly own: Cell | undefined;
}

export function createRequestMetrics(catalog: Catalog): RequestMetrics {
  const total = new Counter(requestTotal);
  const duration = new Histogram(requestDuration);
  const sizes = new Histogram(responseSizes);
  const open = new Counter(longRunning);
  const own = new Counter(selfRequests);

  const make = (verb: string, dryRun: string, target: readonly string[], self: boolean): RequestCounts => {
    const key = labelKey(requestDuration.labels, [verb, dryRun, ...target, "apiserver"]);
    const [, , resource = "", subresource = ""] = target;
    const isRead = verb === "GET" || verb === "LIST";
    return {
      verb,
      key,
      byCode: new Map(),
      duration: duration.series(key),
      sizes: isRead ? sizes.series(labelKey(responseSizes.labels, [verb, ...target, "apiserver"])) : undefined,
      own: self ? own.cell(labelKey(selfRequests.labels, [verb, resource, subresource])) : undefined,
    };
  };
  const countsOf = createCache(catalog, make);
  catalog.onChange(({ gone }) => {
    for (const { group, version, resource } of gone) {
      for (const metric of [total, duration, sizes, open]) metric.remove({ group, version, resource });
      // Its labels have no group.
      if (!catalog.hasResource(resource)) own.remove({ resource });
    }
  });
  // Requests that are open by now: a kind may change while one lasts, so each remembers where it was counted.
  const opened = new WeakMap<Call, Cell>();

  return {
    all: [total, duration, sizes, open, own],
    began(call) {
      if (!call.isLongRunning) return;
      const { verb, target } = describe(call, call.kind);
      const cell = open.cell(labelKey(longRunning.labels, [verb, ...target, "apiserver"]));
      cell.value++;
      opened.set(call, cell);
    },
    answered(call, durationMs) {
      const counts = countsOf(call);
      const { status } = call.exchange;
      let cell = counts.byCode.get(status);
      if (cell === undefined) {
        cell = total.cell(`${counts.key},code="${status}"`);
        counts.byCode.set(status, cell);
      }
      cell.value++;
      if (counts.own !== undefined) counts.own.value++;
      if (call.isLongRunning) {
        const still = opened.get(call);
        if (still !== undefined) still.value--;
        return;
      }
      duration.observe(counts.duration, durationMs / 1_000);
      if (counts.sizes !== undefined) sizes.observe(counts.sizes, call.exchange.sentBytes);
    },
  };
}

/** The labels of a request but for dry_run and code. `kind` is undefined where the path names none that is served. */
function describe({ info }: Call, kind: BoundKind | undefined): { verb: string; target: readonly string[] } {
  const verb = knownVerbs.get(info.verb) ?? "other";
  if (kind === undefined) return { verb, target: ["", "", "", "", ""] };
  const subresource = kind.subresources.has(info.subresource) ? info.subresource : "";
  const scope = info.named ? "resource" : info.underNamespace ? "namespace" : "cluster";
  return { verb, target: [kind.group, kind.version, kind.resource, subresource, scope] };
}

/** Cached, so that labels are not built again: the same few combinations occur over and over. */
function createCache(
  catalog: Catalog,
  make: (verb: string, dryRun: string, target: readonly string[], self: boolean) => RequestCounts,
): (call: Call) => RequestCounts {
  const byKind = new WeakMap<BoundKind, CountsTable>();
  const others: CountsTable = new Map();
  const tableOf = (kind: BoundKind): CountsTable => {
    let table = byKind.get(kind);
    if (table === undefined) {
      table = new Map();
      byKind.set(kind, table);
    }
    return table;
  };
  return (call) => {
    const { info } = call;
    // The kind of a request that a filter refused has not been looked up yet.
    const kind =
      call.kind ?? (info.isResource ? catalog.byResource(info.group, info.version, info.resource) : undefined);
    const isDryRun = !info.query.empty && info.query.get("dryRun") === "All";
    const self = call.exchange.presetUser !== undefined;
    const table = kind === undefined ? others : tableOf(kind);
    let verb = knownVerbs.has(info.verb) ? info.verb : "other";
    if (info.subresource !== "" && kind?.subresources.has(info.subresource)) verb += ` ${info.subresource}`;
    const scope = kind === undefined ? 0 : info.named ? 1 : info.underNamespace ? 2 : 3;
    const variant = scope * 4 + (isDryRun ? 2 : 0) + (self ? 1 : 0);
    let variants = table.get(verb);
    if (variants === undefined) {
      variants = [];
      table.set(verb, variants);
    }
    let found = variants[variant];
    if (found === undefined) {
      // A kind that has gone while the request lasted gets no series again.
      const isThere = kind && catalog.byResource(kind.group, kind.version, kind.resource) !== undefined;
      const described = describe(call, isThere ? kind : undefined);
      found = make(described.verb, isDryRun ? "All" : "", described.target, self);
      variants[variant] = found;
    }
    return found;
  };
}

/** By verb and subresource, then by the other labels. No text is built to find an entry. */
type CountsTable = Map<string, (RequestCounts | undefined)[]>;
