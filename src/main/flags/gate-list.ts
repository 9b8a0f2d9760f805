/** The feature gates with their histories, for --help-all and docs/feature-gates.md. */

import { gateHistories } from "../../api/gates/histories.ts";
import type { GateHistory, GateState, gone } from "../../api/gates/stages.ts";
import { gatesWithEffect } from "../../machinery/schema/gates.ts";

const inForce: ReadonlySet<string> = new Set<string>(gatesWithEffect);

const byName = Object.entries(gateHistories).sort(([a], [b]) => (a < b ? -1 : 1));

const nameColumn = 44;

/** The gates that change what this program does; the page has the others, which are accepted. */
export function describeGates(): string {
  const lines = byName
    .filter(([name]) => inForce.has(name))
    .map(([name, history]) => `${`  ${name}`.padEnd(nameColumn)}${historyOf(history)}`);
  return `Feature gates for --feature-gates, and since which release what (docs/feature-gates.md has those without effect here):
${lines.join("\n")}`;
}

/** docs/feature-gates.md; `npm run golden` writes it. */
export function gatesPage(): string {
  const rows = byName.map(
    ([name, history]) => `| ${name} | ${historyOf(history)} | ${inForce.has(name) ? "yes" : ""} |`,
  );
  return `# Feature gates

\`\`\`sh
orch help apiserver --help-all
\`\`\`

\`--feature-gates=Name=true,Other=false\` of the server programs, and \`featureGates\` of \`createServer\`, know the gates of their
[level](levels.md). One that changes nothing here is accepted with a warning; an unknown one, or a locked one with another value, stops the
start. [Deprecation](deprecation.md#feature-gates) says what the stages mean. \`AllAlpha\` and \`AllBeta\` set all gates of their stage.

The history says what releases made of a gate: \`1.21 alpha, 1.22 beta on\` is alpha and off until 1.22, then beta and on. After \`gone\` the
gate is unknown: what was on then is a fixed part of the server, anything else was given up. \`npm run golden\` writes this page.

| gate | history | changes something here |
|---|---|---|
${rows.join("\n")}
`;
}

/** "1.21 alpha, 1.22 beta on, 1.24 ga on and locked, 1.26 gone". */
function historyOf(history: GateHistory): string {
  const steps = Object.entries(history).filter(
    (step): step is [string, GateState | typeof gone] => step[1] !== undefined,
  );
  return steps.map(([release, step]) => `${release} ${step === "gone" ? step : stateOf(step)}`).join(", ");
}

function stateOf({ stage, enabled, locked }: GateState): string {
  if (stage === "ALPHA" && !enabled) return "alpha";
  return `${stage.toLowerCase()} ${enabled ? "on" : "off"}${locked ? " and locked" : ""}`;
}
