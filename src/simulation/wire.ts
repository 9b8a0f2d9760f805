/** simulated-nodes: the agents of nodes without machines, which make their pods run. */

import { Node } from "../api/core/v1/node.ts";
import { Pod } from "../api/core/v1/pod.ts";
import { keyOf } from "../client/informer/keys.ts";
import type { Controller } from "../controllers/contract.ts";
import { InputReader } from "./containers/read-inputs.ts";
import { SimulatedCommands } from "./containers/simulated-commands.ts";
import { agentComponent, startHeartbeats } from "./heartbeats.ts";
import { followNodes } from "./known-nodes.ts";
import { publishMetrics } from "./metrics/publish.ts";
import type { NodeOptions } from "./node.ts";
import { amountsOf, roomBeside } from "./node-room.ts";
import { createPodSync } from "./pod-sync.ts";
import { type ServedParts, serveNodes } from "./served-nodes.ts";
import { followStages } from "./stages/follow.ts";
import { provisionVolumes } from "./volumes/provision.ts";

/** Few: where thousands of pods start at once, the scheduler goes first, and each pod that waits here needs one write less. */
const podWorkers = 4;
/** Where a write takes a second instead of milliseconds. */
const podWorkersWhenSlow = 64;

export const createSimulatedNodes = (options: NodeOptions, served?: ServedParts): Controller => ({
  name: "simulated-nodes",
  start(context) {
    const { informers, clock, environment, vocabulary } = context;
    const [nodes, pods] = [informers.of(Node), informers.of(Pod)];
    const amounts = amountsOf(options);
    const onNode = pods.index("node", ({ spec }) => (spec?.nodeName ? [spec.nodeName] : []));
    const addAll = (name: string) => {
      for (const pod of onNode.get(name)) queue.add(keyOf(pod));
    };
    const known = followNodes(nodes, options, (name) => {
      heartbeats.add(name);
      // A node that works again continues with its pods.
      addAll(name);
    });
    const { stages, synced } = followStages(context, () => {
      for (const name of known.positions.keys()) addAll(name);
    });
    const commands = new SimulatedCommands({
      clock,
      reader: new InputReader(context.client, clock, { cpu: options.cpu, memory: options.memory }),
      wake: (pod) => commandQueue.add(keyOf(pod)),
      changed: (pod) => queue.add(keyOf(pod)),
    });
    const commandQueue = context.queue({
      name: "simulated-nodes-commands",
      workers: 1,
      after: [pods],
      sync(key) {
        const pod = pods.get(key);
        return pod && commands.turn(pod);
      },
    });
    const queue = context.queue({
      workers: podWorkers,
      workersWhenSlow: podWorkersWhenSlow,
      component: agentComponent(vocabulary),
      onlyPlans: true,
      after: [nodes, pods, { synced }],
      sync: createPodSync({
        pods,
        clock,
        stages,
        commands,
        reports: environment.has("agentReports"),
        amounts,
        pullFails: options.pullFails,
        roomBeside: (pod) => roomBeside(pod, onNode.get(pod.spec?.nodeName ?? ""), amounts),
        isUnready: (name) => known.trouble(name)?.isUnready === true,
        positionOf: (name) => (known.isAlive(name) ? known.positions.get(name) : undefined),
      }),
    });
    provisionVolumes(context);
    const heartbeats = startHeartbeats(context, options, { known, podsOn: (name) => onNode.get(name) });
    const see = (pod: Pod) => {
      if (known.positions.has(pod.spec?.nodeName ?? "")) queue.add(keyOf(pod));
    };
    pods.on({ add: see, update: see });
    if (served !== undefined) serveNodes(served, context, known, stages, commands);
    return served?.published && publishMetrics(context, served.published);
  },
});
