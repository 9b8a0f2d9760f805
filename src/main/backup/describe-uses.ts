/** What `orch check --for` prints: what would break, and the commands that help. */

import type { Level } from "../../machinery/schema/levels.ts";
import type { Use } from "./upgrade-check.ts";

export function describeUses(uses: readonly Use[], target: Level, checked: string): string {
  if (uses.length === 0) return `${checked}: nothing that was looked at uses what ${target} no longer serves\n`;
  const parts = (["objects", "manager", "request"] as const).map((by) => {
    const some = uses.filter((use) => use.by === by);
    return some.length === 0 ? "" : `\n${titles[by]}\n${some.map(describe).join("")}`;
  });
  return `${checked}: not ready for ${target}\n${parts.join("")}`;
}

const titles = {
  objects: "Objects whose kind goes. They stay in the store, where clients cannot reach them:",
  manager: "Clients that wrote objects in versions that go. The objects stay, and are served in the newer version:",
  request: "Clients that sent requests for versions that go:",
} as const;

function describe(use: Use): string {
  const removed = use.removed === undefined ? "" : `, removed in ${use.removed}`;
  const who = use.by === "objects" ? "" : `${use.who}: `;
  const lines = [
    `${who}${use.name}${removed} (${use.count} ${use.by === "request" ? (use.count === 1 ? "request" : "requests") : use.count === 1 ? "object" : "objects"})`,
    ...use.examples.map((example) => `  ${example}`),
    ...(use.count > use.examples.length ? [`  and ${use.count - use.examples.length} more`] : []),
    ...advice(use).map((line) => `  -> ${line}`),
  ];
  return lines.map((line) => `  ${line}\n`).join("");
}

function advice({ by, name, who, replacement }: Use): string[] {
  const [apiVersion = "", kind = ""] = name.split(" ");
  if (by === "objects")
    return [
      `ctl get ${resourceOf(who, apiVersion)} -A -o yaml > ${who}.yaml`,
      `ctl delete ${resourceOf(who, apiVersion)} --all -A`,
    ];
  if (replacement === undefined) return [`nothing replaces ${kind}: remove it from the manifests of this client`];
  const [next = ""] = replacement.split(" ");
  return [`write "apiVersion: ${next}" in its manifests, or update the client; then apply them once more`];
}

/** "podsecuritypolicies.v1beta1.policy". */
function resourceOf(resource: string, apiVersion: string): string {
  const [group = "", version] = apiVersion.split("/");
  return version === undefined ? resource : `${resource}.${version}.${group}`;
}
