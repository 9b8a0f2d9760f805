/** `orch nodes`: simulated nodes in a process of their own. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { nodeOptionsDefault } from "../../simulation/node.ts";
import { createSimulatedNodes } from "../../simulation/wire.ts";
import { nodesMax } from "../all-controllers.ts";
import { nodesFlags } from "../flags/simulation-flags.ts";
import { runManager } from "./controller-manager.ts";

export async function runNodes(args: readonly string[]): Promise<void> {
  const { values, warnings } = parseFlags(nodesFlags, args);
  const { count } = values;
  if (count < 1 || count > nodesMax) throw new FlagError(`--count: must be from 1 to ${nodesMax}, not ${count}`);
  const nodes = createSimulatedNodes({ ...nodeOptionsDefault, count });
  await runManager({ values: { ...values, controllers: [] }, warnings }, [nodes]);
}
