/** nodelifecycle: marks nodes that stop reporting as unreachable, taints nodes by their conditions, and evicts pods by taints. */

import { Lease } from "../../api/coordination/v1/lease.ts";
import { Node } from "../../api/core/v1/node.ts";
import { Pod } from "../../api/core/v1/pod.ts";
import { keyOf } from "../../client/informer/keys.ts";
import { ifThere } from "../../client/requests/send.ts";
import { timeText } from "../../machinery/values/time.ts";
import type { Controller } from "../contract.ts";
import { evictPods } from "./evict-pods.ts";
import { podsByNode } from "./eviction.ts";
import { type Health, healthAfter, readyOf, silentConditions } from "./health.ts";
import { olderLabels } from "./labels.ts";
import { markPodsNotReady } from "./mark-pods.ts";
import { executeTaint, executeTaintsOf, scheduleTaintChange, type TaintChange, taintsAfter } from "./taints.ts";
import { zoneNameOf, zonesOf } from "./zones.ts";

/** How often nodes that wait for their taint are processed. */
const taintPassMs = 500;
/** The one key of the queue of such passes. */
const allNodes = "nodes";

export const nodeLifecycle: Controller = {
  name: "nodelifecycle",
  account: "node-controller",
  start(context) {
    const { client, informers, vocabulary, settings, clock } = context;
    const nodes = informers.of(Node);
    const pods = informers.of(Pod);
    const leases = informers.of(Lease, { namespace: vocabulary.word("orch-node-lease") });
    // An index of nodes that are or were not ready.
    const bySilence = nodes.index("silence", (node) =>
      executeTaint(node, vocabulary) !== undefined || executeTaintsOf(node, vocabulary).length > 0 ? ["silent"] : [],
    );
    const leaseNamespace = vocabulary.word("orch-node-lease");
    const podsOf = podsByNode(pods);
    const events = context.recorder("node-controller");
    const healths = new Map<string, Health & { readonly uid: string }>();
    /** When a node of each zone was last tainted. */
    const tainted = new Map<string, number>();
    let isReady = false;
    void Promise.all([nodes.synced, pods.synced, leases.synced]).then(() => {
      isReady = true;
    });

    const changeTaints = async (node: Node, change: TaintChange) => {
      const taints = taintsAfter(node.spec?.taints ?? [], change, timeText(clock.now()));
      const { name = "", resourceVersion } = node.metadata;
      const spec = { taints: taints.length === 0 ? null : taints };
      await ifThere(client.of(Node).patch({ name }, { metadata: { resourceVersion }, spec }));
    };

    const taintQueue = context.queue({
      name: "node_lifecycle_controller",
      workers: 8,
      after: [nodes],
      async sync(name) {
        const node = nodes.get(name);
        if (node === undefined) return;
        const labels = olderLabels(node, vocabulary);
        if (labels !== undefined) await ifThere(client.of(Node).patch({ name }, { metadata: { labels } }));
        const change = scheduleTaintChange(node, vocabulary);
        if (change !== undefined && labels === undefined) await changeTaints(node, change);
        // A node that is ready again is released at once.
        const driving = executeTaintsOf(node, vocabulary);
        if (change === undefined && driving.length > 0 && readyOf(node)?.status === "True")
          await changeTaints(node, { add: [], remove: driving });
      },
    });
    nodes.on({
      add: (node) => taintQueue.add(keyOf(node)),
      update: (node) => taintQueue.add(keyOf(node)),
    });

    const lookAt = async (node: Node) => {
      const name = node.metadata.name ?? "";
      const nowMs = clock.now();
      const known = healths.get(name);
      const health = healthAfter(known, node, leases.get(`${leaseNamespace}/${name}`), nowMs);
      healths.set(name, { ...health, uid: node.metadata.uid ?? "" });
      if (known === undefined)
        events.event(
          asInvolved(node),
          "Normal",
          "RegisteredNode",
          `Node ${name} event: Registered Node ${name} in Controller`,
        );
      const periods = {
        monitorGraceMs: settings.nodeMonitorGracePeriodMs,
        startupGraceMs: settings.nodeStartupGracePeriodMs,
      };
      const conditions = silentConditions(node, health, periods, { nowMs, now: timeText(nowMs) });
      if (conditions === undefined) return;
      const status = { ...node.status, conditions: [...conditions] };
      const written = await ifThere(client.of(Node).updateStatus({ ...node, status }));
      if (written === undefined || readyOf(node)?.status !== "True") return;
      events.event(asInvolved(node), "Normal", "NodeNotReady", `Node ${name} status is now: NodeNotReady`);
    };

    const monitor = async () => {
      if (!isReady) return;
      const all = nodes.list();
      for (const [name, { uid }] of healths) {
        if (nodes.get(name) !== undefined) continue;
        healths.delete(name);
        const involved = { kind: "Node", name, uid, namespace: "" };
        events.event(involved, "Normal", "RemovingNode", `Node ${name} event: Removing Node ${name} from Controller`);
      }
      for (const node of all) {
        await lookAt(node).catch((error: unknown) =>
          context.log.debug("the health of a node was not written", { node: node.metadata.name, error }),
        );
      }
    };
    context.every(settings.nodeMonitorPeriodMs, monitor);

    /** NoExecute taints are added slowly: if most nodes seem unreachable, the network is the more likely cause. */
    const taintPass = async () => {
      const silent = bySilence.get("silent");
      const waiting = silent.filter((node) => needsExecuteTaint(node));
      const carrying = silent.filter((node) => executeTaintsOf(node, vocabulary).length > 0);
      if (waiting.length === 0 && carrying.length === 0) return;
      const all = nodes.list();
      const zones = zonesOf(all, vocabulary, {
        evictionRate: settings.nodeEvictionRate,
        secondaryEvictionRate: settings.secondaryNodeEvictionRate,
        largeClusterSize: settings.largeClusterSizeThreshold,
        unhealthyThreshold: settings.unhealthyZoneThreshold,
      });
      const isAllDown = [...zones.values()].every(({ state }) => state === "FullDisruption");
      if (isAllDown) {
        for (const node of carrying) await changeTaints(node, { add: [], remove: executeTaintsOf(node, vocabulary) });
        return;
      }
      for (const node of waiting) {
        const zone = zones.get(zoneNameOf(node, vocabulary));
        const add = executeTaint(node, vocabulary);
        if (zone === undefined || add === undefined) continue;
        const isSwap = executeTaintsOf(node, vocabulary).length > 0;
        const lastMs = tainted.get(zone.name) ?? Number.NEGATIVE_INFINITY;
        if (!isSwap && (zone.rate <= 0 || clock.now() - lastMs < 1_000 / zone.rate)) continue;
        if (!isSwap) tainted.set(zone.name, clock.now());
        const remove = executeTaintsOf(node, vocabulary).filter(({ key }) => key !== add.key);
        await changeTaints(node, { add: [add], remove });
      }
      if (waiting.length > 0) passes.addAfter(allNodes, taintPassMs);
    };
    const passes = context.queue({ name: "node_taints", workers: 1, after: [nodes, pods, leases], sync: taintPass });
    // No pass runs while all nodes report.
    const passSoon = () => {
      if (bySilence.values().length > 0) passes.addAfter(allNodes, taintPassMs);
    };
    const needsExecuteTaint = (node: Node) => {
      const wanted = executeTaint(node, vocabulary);
      return wanted !== undefined && !executeTaintsOf(node, vocabulary).some(({ key }) => key === wanted.key);
    };
    if (settings.enableTaintManager) {
      nodes.on({ add: passSoon, update: passSoon });
      evictPods(context, { nodes, pods, podsOf });
    }
    markPodsNotReady(context, { nodes, pods, podsOf });
    return undefined;
  },
};

/** Events of nodes are in the default namespace. */
function asInvolved({ metadata: { name, uid } }: Node) {
  return { kind: "Node", name, uid, namespace: "" };
}
