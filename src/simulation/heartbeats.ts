/** The signs of life of simulated nodes: each is registered, renews its lease, and repeats its status now and then. */

import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import type { WorkQueue } from "../base/queue/contract.ts";
import type { ControllerContext } from "../controllers/contract.ts";
import { create, type Plan, type Request, update, updateStatus } from "../controllers/plan.ts";
import { microTimeText } from "../machinery/values/time.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import { evictedStatus, podToEvict } from "./evict.ts";
import type { KnownNodes } from "./known-nodes.ts";
import { type NodeOptions, nodeOf, nodeStatus } from "./node.ts";
import { conditionStates, type NodeTrouble, noTrouble } from "./node-trouble.ts";

/** As real agents: how often a node renews its lease, for how long that holds, and how often it repeats its status. */
const leaseRenewMs = 10_000;
const leaseSeconds = 40;
const statusRepeatMs = 300_000;
/**
 * Renewals are all that an idle cluster writes, so they are what it costs. Many nodes renew less often; a lease holds even if one
 * renewal in between fails.
 */
const fewNodesMax = 50;
const leaseRenewMsOfMany = 15_000;
/**
 * One timer is enough for all nodes. They take turns, so that a thousand of them do not all write in the same moment; few of them write
 * together, because an idle process that wakes up seldom costs less.
 */
const turnsMax = 10;
const nodesPerTurn = 50;
const workers = 16;

/** What Events name as their source, as those of real agents. */
export const agentComponent = (vocabulary: Vocabulary): string => vocabulary.word("orchlet");

interface SimulatedNodes {
  readonly known: KnownNodes;
  podsOn(name: string): readonly Pod[];
}

/**
 * Nodes that do not exist are registered once; one that is deleted later stays away, as if its machine was gone. The queue takes names
 * of nodes that have something new to say.
 */
export function startHeartbeats(context: ControllerContext, options: NodeOptions, here: SimulatedNodes): WorkQueue {
  const { known, podsOn } = here;
  const { positions } = known;
  const { informers, clock, vocabulary, environment } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const nodes = informers.of(Node);
  const leases = informers.of(Lease, { namespace });
  const unregistered = new Set(positions.keys());

  const register = (name: string): Plan => {
    const node = nodeOf(positions.get(name) ?? 0, options, environment, clock.now());
    const isKnown = nodes.get(name) !== undefined;
    return {
      writes: isKnown ? [] : [create(Node, node, { tolerates: ["AlreadyExists"] })],
      next: () => {
        unregistered.delete(name);
        return undefined;
      },
    };
  };
  const renewal = (name: string): Request<Lease> => {
    const renewTime = microTimeText(clock.now());
    const known = leases.get(`${namespace}/${name}`);
    if (known !== undefined) {
      const renewed = { ...known, spec: { ...known.spec, holderIdentity: name, renewTime } };
      return update(Lease, renewed, { tolerates: ["NotFound", "Conflict"], ignoresAnswer: true });
    }
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    return create(Lease, { metadata: { name, namespace }, spec }, { tolerates: ["AlreadyExists"] });
  };
  const statusToSay = (name: string, trouble: NodeTrouble): Request<Node> | undefined => {
    const node = nodes.get(name);
    if (node === undefined) return undefined;
    const saidAt = Date.parse(node.status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime ?? "");
    if (clock.now() - saidAt < statusRepeatMs && shows(node.status, trouble)) return undefined;
    const now = { nowMs: clock.now(), trouble, level: environment.level, vocabulary, before: node.status };
    const status = nodeStatus(positions.get(name) ?? 0, options, now);
    return updateStatus(Node, { ...node, status }, { tolerates: ["NotFound", "Conflict"], ignoresAnswer: true });
  };
  const eviction = (name: string, trouble: NodeTrouble): Plan => {
    const pod = trouble.pressures.size === 0 ? undefined : podToEvict(podsOn(name), trouble);
    if (pod === undefined) return {};
    const by = environment.since("1.26") ? { agent: agentComponent(vocabulary), nowMs: clock.now() } : undefined;
    const status = evictedStatus(pod, trouble, by);
    const event = { about: pod, type: "Warning", reason: "Evicted", message: status.message ?? "" } as const;
    return { status: updateStatus(Pod, { ...pod, status }, { tolerates: ["NotFound", "Conflict"], events: [event] }) };
  };

  const queue = context.queue({
    name: "simulated-nodes-heartbeats",
    workers,
    component: agentComponent(vocabulary),
    after: [nodes, leases],
    sync(name) {
      if (unregistered.has(name)) return register(name);
      if (!known.isAlive(name)) return undefined;
      const trouble = known.trouble(name) ?? noTrouble;
      const status = statusToSay(name, trouble);
      return { writes: [renewal(name)], status, next: () => eviction(name, trouble) };
    },
  });
  for (const name of positions.keys()) queue.add(name);
  const turns = Math.min(turnsMax, Math.ceil(positions.size / nodesPerTurn));
  const renewMs = positions.size > fewNodesMax ? leaseRenewMsOfMany : leaseRenewMs;
  let turn = 0;
  context.every(renewMs / turns, () => {
    for (const [name, at] of positions) if (at % turns === turn) queue.add(name);
    turn = (turn + 1) % turns;
  });
  return queue;
}

/** Whether the server shows all this already; others may have called the node silent meanwhile. */
const shows = (shown: Node["status"], trouble: NodeTrouble): boolean =>
  conditionStates(trouble).every(([type, isTrue]) =>
    shown?.conditions?.some((one) => one.type === type && one.status === (isTrue ? "True" : "False")),
  );
