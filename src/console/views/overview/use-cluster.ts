/** The cluster for the overview: pods are followed, everything else is read again every few seconds while it is seen. */

import { useEffect, useState } from "preact/hooks";
import { type ClusterObjects, findNeutral, readCluster, readRecentEvents } from "../../server/cluster.ts";
import type { Json } from "../../server/json.ts";
import { followTable, type TableState } from "../../server/tables.ts";
import { readUsage, type Usage } from "../../server/usage.ts";
import type { PodRows } from "../../state/cluster-problems.ts";
import { listable } from "../../state/kinds.ts";
import { purposeOf } from "../../state/nav.ts";
import type { Page } from "../page.ts";

const readEveryMs = 10_000;

export interface Cluster {
  readonly objects: ClusterObjects;
  /** Undefined: they may not be listed. */
  readonly events: readonly Json[] | undefined;
  /** By the name of the node; undefined: nobody measures. */
  readonly usage: ReadonlyMap<string, Usage> | undefined;
}

/** Undefined: it is read for the first time. */
export function useCluster(page: Page): Cluster | undefined {
  const [cluster, setCluster] = useState<Cluster | undefined>(undefined);
  useEffect(() => {
    const ended = new AbortController();
    const asked = { ...page, signal: ended.signal };
    const custom = listable(page.discovery).filter((one) => purposeOf(one, page.discovery.vocabulary) === "Custom");
    let isReading = false;
    const read = async () => {
      if (isReading || document.visibilityState !== "visible") return;
      isReading = true;
      const [objects, events, usage] = await Promise.all([
        readCluster(asked, custom),
        readRecentEvents(asked),
        readUsage(asked, "nodes"),
      ]);
      isReading = false;
      // What could not be read at all keeps what was shown before: the banner says why.
      if (!ended.signal.aborted)
        setCluster((before) => (objects.size === 0 && before ? before : { objects, events, usage }));
    };
    const start = () => void read().catch(() => undefined);
    start();
    const timer = page.connection.at === "" ? setInterval(start, readEveryMs) : undefined;
    document.addEventListener("visibilitychange", start);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", start);
      ended.abort();
    };
  }, [page.discovery, page.connection]);
  return cluster;
}

export interface FollowedPods {
  readonly table: PodRows | undefined;
  readonly error: Error | undefined;
}

/** All pods as rows of the server's table, live. */
export function usePodRows({ connection, discovery }: Page): FollowedPods {
  const [state, setState] = useState<TableState | undefined>(undefined);
  const resource = findNeutral(discovery, "pods");
  useEffect(() => {
    if (resource === undefined) return;
    const ended = new AbortController();
    const request = { resource, namespace: "", labelSelector: "", fieldSelector: "", signal: ended.signal };
    followTable(connection, discovery.vocabulary, request, setState);
    return () => ended.abort();
  }, [discovery, connection]);
  if (resource === undefined || state === undefined) return { table: undefined, error: undefined };
  const { columns, rows } = state;
  return {
    table: columns.length === 0 ? undefined : { resource, columns, rows },
    error: state.isLost ? undefined : state.error,
  };
}
