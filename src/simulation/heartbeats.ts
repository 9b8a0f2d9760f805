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
import { type NodeTrouble, noTrouble } from "./node-trouble.ts";
import { RenewalTurn } from "./renewal-turn.ts";

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
/** As many as take the steps of a write together. */
const workers = 32;
/** After so many periods without a try an agent has been kept from it; one whose tries fail is silent. */
const latePeriods = 1.5;

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
  const { informers, clock, environment, agents, vocabulary } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const nodes = informers.of(Node);
  const leases = informers.of(Lease, { namespace });
  const unregistered = new Set(positions.keys());
  const renewMs = positions.size > fewNodesMax ? leaseRenewMsOfMany : leaseRenewMs;
  /** When each node tried to renew its lease, and when that last succeeded, on the monotonic clock. */
  const [triedAt, renewedAt] = [new Map<string, number>(), new Map<string, number>()];
  const sinceMs = (at: ReadonlyMap<string, number>, name: string) =>
    clock.monotonic() - (at.get(name) ?? Number.NEGATIVE_INFINITY);
  agents.add((name) => known.isAlive(name) && sinceMs(triedAt, name) > renewMs * latePeriods);

  const register = (name: string): Plan => {
    const node = nodeOf(positions.get(name) ?? 0, options, environment, clock.now());
    const isKnown = nodes.get(name) !== undefined;
    return {
      // With its first lease: the others are registered before it has its next turn.
      writes: isKnown ? [] : [create(Node, node, { tolerates: ["AlreadyExists"] }), renewal(name)],
      next: () => {
        unregistered.delete(name);
        if (!isKnown) renewedAt.set(name, clock.monotonic());
        return undefined;
      },
    };
  };
  const renewal = (name: string): Request<Lease> => {
    triedAt.set(name, clock.monotonic());
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
    const said = known.said(name);
    if (said?.showsTrouble === true && clock.now() - said.atMs < statusRepeatMs) return undefined;
    const node = nodes.get(name);
    if (node === undefined) return undefined;
    const now = { nowMs: clock.now(), trouble, ...environment, before: node.status };
    const status = nodeStatus(positions.get(name) ?? 0, options, now);
    return updateStatus(Node, { ...node, status }, { tolerates: ["NotFound", "Conflict"], ignoresAnswer: true });
  };
  const eviction = (name: string, trouble: NodeTrouble): Plan => {
    const pod = trouble.pressures.size === 0 ? undefined : podToEvict(podsOn(name), trouble);
    if (pod === undefined) return {};
    const by = environment.has("disruptionConditions")
      ? { agent: agentComponent(vocabulary), nowMs: clock.now() }
      : undefined;
    const status = evictedStatus(pod, trouble, by);
    const event = { about: pod, type: "Warning", reason: "Evicted", message: status.message ?? "" } as const;
    return { status: updateStatus(Pod, { ...pod, status }, { tolerates: ["NotFound", "Conflict"], events: [event] }) };
  };

  const turns = Math.min(turnsMax, Math.ceil(positions.size / nodesPerTurn));
  const turn = new RenewalTurn(renewMs / turns);
  const queue = context.queue({
    name: "simulated-nodes-heartbeats",
    workers,
    component: agentComponent(vocabulary),
    onlyPlans: true, // an idle cluster writes nothing else
    after: [nodes, leases],
    sync(name) {
      if (unregistered.has(name)) return register(name);
      if (!known.isAlive(name)) return undefined;
      const trouble = known.trouble(name) ?? noTrouble;
      const status = statusToSay(name, trouble);
      // What it is told between two renewals changes its status at most.
      const writes = sinceMs(renewedAt, name) >= renewMs / 2 ? [renewal(name)] : [];
      const next = () => {
        if (writes.length > 0) renewedAt.set(name, clock.monotonic());
        turn.ends(name, clock.monotonic());
        return eviction(name, trouble);
      };
      return { writes, status, next };
    },
  });
  for (const name of positions.keys()) queue.add(name);
  let number = 0;
  context.every(renewMs / turns, () => {
    const nowMs = clock.monotonic();
    if (queue.depth > 0 || nowMs < turn.restsUntilMs) return; // the turn before goes on, or took long
    const names = [...positions].flatMap(([name, at]) => (at % turns === number && known.isAlive(name) ? [name] : []));
    turn.begin(names, nowMs);
    for (const name of names) queue.add(name);
    number = (number + 1) % turns;
  });
  return queue;
}
