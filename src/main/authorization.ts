/** Builds the one authorizer of a server out of --authorization-mode. */

import { alwaysAllow } from "../authz/always-allow.ts";
import { alwaysDeny } from "../authz/always-deny.ts";
import type { Authorizer } from "../authz/contract.ts";
import { masters } from "../authz/masters.ts";
import { createRbac } from "../authz/rbac.ts";
import { openRbacSource, type RbacSource } from "../authz/rbac-source.ts";
import type { SubjectNames } from "../authz/subject-names.ts";
import { createUnion } from "../authz/union.ts";
import { isLoopback } from "./addresses.ts";
import type { AccessParts } from "./server.ts";

export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface AuthorizationOptions {
  readonly modes: readonly AuthorizationMode[];
  readonly subjectNames: SubjectNames;
}

export interface Authorization {
  readonly authorizer: Authorizer;
  /** Undefined: RBAC is not among the modes. */
  readonly rbac: RbacSource | undefined;
  close(): void;
}

/** Throws an Error that says what to change. Without RBAC a mode that lets everybody do anything stays on loopback. */
export function parseModes(modes: readonly string[], bindAddress: string): readonly AuthorizationMode[] {
  if (modes.length === 0) throw new Error("--authorization-mode must name at least one mode");
  const parsed = modes.map((given) => {
    const mode = authorizationModes.find((candidate) => candidate === given);
    if (mode === undefined) {
      throw new Error(`--authorization-mode: there is no mode "${given}"; there are ${authorizationModes.join(", ")}`);
    }
    return mode;
  });
  const twice = parsed.find((mode, index) => parsed.indexOf(mode) !== index);
  if (twice !== undefined) throw new Error(`--authorization-mode: ${twice} is named twice`);
  if (parsed.includes("Webhook") || parsed.includes("ABAC")) {
    throw new Error("--authorization-mode: Webhook and ABAC are not built yet; use Node,RBAC");
  }
  if (parsed.includes("AlwaysAllow") && !isLoopback(bindAddress)) {
    throw new Error(
      `--authorization-mode=AlwaysAllow lets everybody who reaches ${bindAddress} do anything; ` +
        "use --authorization-mode=Node,RBAC, or --bind-address=127.0.0.1",
    );
  }
  return parsed;
}

/** Members of system:masters may do anything, whatever the modes: the way back in when roles are broken. */
export function createAuthorization({ modes, subjectNames }: AuthorizationOptions, parts: AccessParts): Authorization {
  const { registry, catalog, log } = parts;
  const rbac = modes.includes("RBAC") ? openRbacSource({ registry, catalog, subjectNames }) : undefined;
  const modules: Authorizer[] = [];
  for (const mode of modes) {
    if (mode === "AlwaysAllow") modules.push(alwaysAllow);
    else if (mode === "AlwaysDeny") modules.push(alwaysDeny);
    else if (rbac !== undefined && mode === "RBAC") modules.push(createRbac(rbac.index));
    // Without it nodes may do less, never more.
    else log.info("authorization mode is not built yet and allows nothing", { mode });
  }
  return { authorizer: createUnion([masters, ...modules]), rbac, close: () => rbac?.close() };
}
