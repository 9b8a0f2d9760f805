/** Defines the kind Stage on the server, and follows its objects. */

import { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ControllerContext } from "../../controllers/contract.ts";
import { create } from "../../controllers/plan.ts";
import { stageAddress, stageDefinition, stageDefinitionName } from "./definition.ts";
import { type SimulationStage, SimulationStages } from "./stages.ts";

/** Where the kind cannot be defined, nodes work without stages after this long. */
const definitionMsMax = 10_000;

interface FollowedStages {
  readonly stages: SimulationStages;
  /** Resolves when the stages that exist are known, or cannot be. */
  readonly synced: Promise<void>;
}

/** `changed` is called after a stage has changed. */
export function followStages(context: ControllerContext, changed: () => void): FollowedStages {
  const { informers, vocabulary, clock, log } = context;
  const stages = new SimulationStages();
  const definitions = informers.of(CustomResourceDefinition, {
    fieldSelector: `metadata.name=${stageDefinitionName}`,
  });
  let isFollowing = false;
  const synced = new Promise<void>((resolve) => {
    const cancel = clock.after(definitionMsMax, resolve);
    const follow = ({ status }: CustomResourceDefinition) => {
      const isServed = status?.conditions?.some((one) => one.type === "Established" && one.status === "True");
      if (isFollowing || isServed !== true) return;
      isFollowing = true;
      const informer = informers.at<SimulationStage>(stageAddress);
      const set = (stage: SimulationStage) => {
        try {
          stages.set(stage);
        } catch (error) {
          log.warn("a stage cannot be read", { stage: stage.metadata.name, error });
          stages.delete(stage.metadata.name ?? "");
        }
        changed();
      };
      informer.on({
        add: set,
        update: set,
        delete({ metadata }) {
          stages.delete(metadata.name ?? "");
          changed();
        },
      });
      void informer.synced.then(() => {
        cancel();
        resolve();
      });
    };
    definitions.on({ add: follow, update: follow });
  });
  const queue = context.queue({
    name: "simulated-nodes-stages",
    workers: 1,
    after: [definitions],
    retriesMax: 5,
    sync: () =>
      definitions.get(stageDefinitionName) === undefined
        ? { writes: [create(CustomResourceDefinition, stageDefinition(vocabulary), { tolerates: ["AlreadyExists"] })] }
        : undefined,
  });
  queue.add(stageDefinitionName);
  return { stages, synced };
}
