/** `orch nodes`: simulated nodes in a process of their own. */

import { FlagError } from "../../base/flags/flag.ts";
import { parseFlags } from "../../base/flags/parse.ts";
import { createLog } from "../../base/log-writer.ts";
import { nodeOptionsDefault } from "../../simulation/node.ts";
import { createSimulatedNodes } from "../../simulation/wire.ts";
import { nodesMax } from "../all-controllers.ts";
import { readPortTargets } from "../flags/read-simulation.ts";
import { nodesFlags } from "../flags/simulation-flags.ts";
import { openAgentsApart } from "../nodes/agents-apart.ts";
import { chooseVocabulary } from "../programs/server-vocabulary.ts";
import { runManager } from "./controller-manager.ts";

export async function runNodes(args: readonly string[]): Promise<void> {
  const { values, warnings } = parseFlags(nodesFlags, args);
  const { count } = values;
  if (count < 1 || count > nodesMax) throw new FlagError(`--count: must be from 1 to ${nodesMax}, not ${count}`);
  const portTargets = readPortTargets(values);
  const log = createLog({ verbosity: values.v, format: values["log-format"] });
  const vocabulary = await chooseVocabulary(values, { log });
  const agents = await openAgentsApart({
    portTargets,
    address: values["agent-address"],
    port: values["agent-port"],
    clientCaFile: values["agent-client-ca-file"],
    vocabulary,
    log,
  });
  const nodes = createSimulatedNodes(
    { ...nodeOptionsDefault, count, agent: agents.agent, pullFails: values["simulated-pull-failures"] },
    agents.served,
  );
  await runManager({ values: { ...values, vocabulary: vocabulary.name, controllers: [] }, warnings }, [nodes]);
}
