/** The signs of life of simulated nodes: each is registered, renews its lease, and repeats its status now and then. */

import { Lease } from "../api/coordination/v1/lease.ts";
import { Node } from "../api/core/v1/node.ts";
import type { ControllerContext } from "../controllers/contract.ts";
import { create, type Plan, patch, type Request, updateStatus } from "../controllers/plan.ts";
import { microTimeText } from "../machinery/values/time.ts";
import { type NodeOptions, nodeOf, nodeStatus } from "./node.ts";

/** As real agents: how often a node renews its lease, for how long that holds, and how often it repeats its status. */
const leaseRenewMs = 10_000;
const leaseSeconds = 40;
const statusRepeatMs = 300_000;
/** One timer is enough for all nodes. They take turns, so that a thousand of them do not all write in the same moment. */
const turns = 10;
const workers = 16;

interface SimulatedNodes {
  /** By name. */
  readonly positions: ReadonlyMap<string, number>;
  isAlive(name: string): boolean;
}

/** Nodes that do not exist are registered once; one that is deleted later stays away, as if its machine was gone. */
export function startHeartbeats(context: ControllerContext, options: NodeOptions, nodesHere: SimulatedNodes): void {
  const { positions, isAlive } = nodesHere;
  const { informers, clock, vocabulary } = context;
  const namespace = vocabulary.word("orch-node-lease");
  const nodes = informers.of(Node);
  const leases = informers.of(Lease, { namespace });
  const unregistered = new Set(positions.keys());

  const register = (name: string): Plan => {
    const node = nodeOf(positions.get(name) ?? 0, options, vocabulary, clock.now());
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
    if (leases.get(`${namespace}/${name}`) !== undefined)
      return patch(Lease, { namespace, name }, { spec: { renewTime } });
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    return create(Lease, { metadata: { name, namespace }, spec }, { tolerates: ["AlreadyExists"] });
  };
  const repeatStatus = (name: string): Request<Node> | undefined => {
    const node = nodes.get(name);
    const saidAt = Date.parse(node?.status?.conditions?.find(({ type }) => type === "Ready")?.lastHeartbeatTime ?? "");
    if (node === undefined || clock.now() - saidAt < statusRepeatMs) return undefined;
    const status = nodeStatus(positions.get(name) ?? 0, options, clock.now(), node.status);
    return updateStatus(Node, { ...node, status }, { tolerates: ["NotFound", "Conflict"] });
  };

  const queue = context.queue({
    name: "simulated-nodes-heartbeats",
    workers,
    after: [nodes, leases],
    sync(name) {
      if (unregistered.has(name)) return register(name);
      return isAlive(name) ? { writes: [renewal(name)], status: repeatStatus(name) } : undefined;
    },
  });
  for (const name of positions.keys()) queue.add(name);
  let turn = 0;
  context.every(leaseRenewMs / turns, () => {
    for (const [name, at] of positions) if (at % turns === turn) queue.add(name);
    turn = (turn + 1) % turns;
  });
}
