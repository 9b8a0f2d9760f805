/** The cluster at a glance: what is wrong by cause, its nodes, its workloads by state, what happened, and quotas. */

import { useState } from "preact/hooks";
import { ErrorNote, Waiting } from "./notes.tsx";
import { ChangesCard } from "./overview/changes-card.tsx";
import { NodesCard } from "./overview/nodes-card.tsx";
import { ProblemsCard } from "./overview/problems-card.tsx";
import { QuotasCard } from "./overview/quotas-card.tsx";
import { useCluster, usePodRows } from "./overview/use-cluster.ts";
import { WorkloadsCard } from "./overview/workloads-card.tsx";
import type { Page } from "./page.ts";

interface OverviewOptions {
  /** Undefined: what the server serves is still read. */
  readonly page: Page | undefined;
  /** The server does not answer: nothing is said that nobody knows. */
  readonly isLost: boolean;
}

export function Overview({ page, isLost }: OverviewOptions) {
  const [looks, setLooks] = useState(0);
  return (
    <article class="overview">
      <div class="tools">
        <h1>Overview</h1>
        <button type="button" onClick={() => setLooks(looks + 1)}>
          Refresh
        </button>
      </div>
      {page === undefined && !isLost && <Waiting what="the kinds" />}
      {page === undefined && isLost && <Unknown />}
      {page !== undefined && <Cluster key={looks} page={page} isLost={isLost} />}
    </article>
  );
}

/** No reassurance without data. */
const Unknown = () => (
  <p class="note">Nothing is known about the cluster yet. This page fills when the server answers.</p>
);

function Cluster({ page, isLost }: { readonly page: Page; readonly isLost: boolean }) {
  const cluster = useCluster(page);
  const pods = usePodRows(page);
  if (cluster === undefined) return isLost ? <Unknown /> : <Waiting what="the cluster" />;
  const isBlind = cluster.objects.size === 0 && pods.table === undefined;
  if (isBlind && isLost) return <Unknown />;
  if (isBlind && pods.error === undefined) return <Waiting what="the cluster" />;
  if (isBlind)
    return (
      <div class="note warning" role="status">
        <p>
          <strong>You may not list the objects of the whole cluster</strong>, so there is no overview of it for you.
          Choose a kind and one of your namespaces at the left, or see under <a href="#/access">Access</a> what you may
          do.
        </p>
      </div>
    );
  return (
    <>
      {pods.error !== undefined && !isLost && <ErrorNote error={pods.error} />}
      <div class="column">
        <ProblemsCard page={page} cluster={cluster.objects} pods={pods} isLost={isLost} />
        <ChangesCard page={page} events={cluster.events} />
      </div>
      <div class="column">
        <WorkloadsCard page={page} cluster={cluster.objects} pods={pods} />
        <NodesCard page={page} cluster={cluster} pods={pods} />
        <QuotasCard cluster={cluster.objects} />
      </div>
    </>
  );
}
