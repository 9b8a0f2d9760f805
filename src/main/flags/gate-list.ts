/** The feature gates of each level, for --help-all and docs/feature-gates.md. */

import { type FeatureGate, featureGatesOf } from "../../api/feature-gates.ts";
import { gatesWithEffect } from "../../machinery/schema/gates.ts";
import { levels } from "../../machinery/schema/level.ts";

const inForce: ReadonlySet<string> = new Set<string>(["AllAlpha", "AllBeta", ...gatesWithEffect]);

const stateOf = ({ enabled, locked }: FeatureGate) => `${enabled ? "on" : "off"}${locked ? ", locked" : ""}`;

const nameColumn = 44;

/** The gates that change what this program does; the page has the others, which are accepted. */
export function describeGates(): string {
  return levels
    .map((level) => {
      const lines = featureGatesOf(level)
        .filter(({ name }) => inForce.has(name))
        .map((gate) => `${`  ${gate.name}`.padEnd(nameColumn)}${gate.stage}, ${stateOf(gate)}`);
      return `Feature gates of level ${level}, for --feature-gates (docs/feature-gates.md has those without effect here):\n${lines.join("\n")}`;
    })
    .join("\n\n");
}

/** docs/feature-gates.md; `npm run golden` writes it. */
export function gatesPage(): string {
  const tables = levels.map((level) => {
    const rows = featureGatesOf(level).map(
      (gate) =>
        `| ${gate.name} | ${gate.stage.toLowerCase()} | ${stateOf(gate)} | ${inForce.has(gate.name) ? "yes" : ""} |`,
    );
    return `## Level ${level}\n\n| gate | stage | default | changes something here |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  });
  return `# Feature gates

\`--feature-gates=Name=true,Other=false\` of the server programs, and \`featureGates\` of \`createServer\`, know the gates of their
[level](levels.md). One that changes nothing here is accepted with a warning; an unknown one, or a locked one with another value, stops the
start. [Deprecation](deprecation.md#feature-gates) says what the stages mean. \`npm run golden\` writes this page.

${tables.join("\n")}`;
}
