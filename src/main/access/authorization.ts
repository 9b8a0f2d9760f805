/** Builds the authorizer of a server from --authorization-mode. */

import { createAdminAccessCheck } from "../../admission/checks/admin-access.ts";
import { createEscalationCheck } from "../../admission/checks/escalation.ts";
import { createParamAccessCheck } from "../../admission/checks/param-access.ts";
import type { AdmissionPlugin } from "../../admission/contract.ts";
import { createAbac } from "../../authz/abac.ts";
import type { AbacPolicy } from "../../authz/abac-policy.ts";
import { alwaysAllow } from "../../authz/always-allow.ts";
import { alwaysDeny } from "../../authz/always-deny.ts";
import type { Authorizer } from "../../authz/contract.ts";
import { masters } from "../../authz/masters.ts";
import { createNodeAuthorizer } from "../../authz/node.ts";
import { openNodeSource } from "../../authz/node-source.ts";
import { createRbac } from "../../authz/rbac.ts";
import { openRbacSource, type RbacSource } from "../../authz/rbac-source.ts";
import type { SubjectNames } from "../../authz/subject-names.ts";
import { createUnion } from "../../authz/union.ts";
import { createAuthorizerDurations } from "../../authz/with-duration.ts";
import type { Metric } from "../../base/metrics.ts";
import { isLoopback } from "../addresses.ts";
import type { AccessParts } from "../server/options.ts";

export const authorizationModes = ["AlwaysAllow", "AlwaysDeny", "ABAC", "Webhook", "RBAC", "Node"] as const;
export type AuthorizationMode = (typeof authorizationModes)[number];

export interface AuthorizationOptions {
  readonly modes: readonly AuthorizationMode[];
  readonly subjectNames: SubjectNames;
  /** Whether the default role `edit` omits rights that reach beyond a namespace. Default: false, as in v1.21. */
  readonly narrowEdit?: boolean;
  /** The policy of ABAC. */
  readonly policies: readonly AbacPolicy[];
  /** The authorizer of the mode Webhook. */
  readonly webhook?: Authorizer | undefined;
  /** The authorizers of --authorization-config, instead of `modes`, which then only names their types. */
  readonly configured?: ConfiguredAuthorizers | undefined;
}

/** One entry of --authorization-config. */
export interface ConfiguredAuthorizer {
  readonly type: AuthorizationMode;
  readonly name: string;
  /** Present if the type is Webhook. */
  readonly webhook?: Authorizer;
}

export interface ConfiguredAuthorizers {
  current(): readonly ConfiguredAuthorizer[];
  /** Calls back after `current` has changed. Types other than Webhook are always the same. */
  onChange(listener: () => void): void;
}

interface Authorization {
  readonly authorizer: Authorizer;
  /** Prevents users from granting rights that they do not have. */
  readonly checks: readonly AdmissionPlugin[];
  /** Undefined: RBAC is not among the modes. */
  readonly rbac: RbacSource | undefined;
  readonly metrics: readonly Metric[];
  close(): void;
}

/** Throws an Error that says what to change. A mode that allows everything is accepted only on loopback. */
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
  if (parsed.includes("AlwaysAllow") && !isLoopback(bindAddress)) {
    throw new Error(
      `--authorization-mode=AlwaysAllow allows every client that reaches ${bindAddress} to do anything; ` +
        "use --authorization-mode=Node,RBAC, or --bind-address=127.0.0.1",
    );
  }
  return parsed;
}

/** Members of system:masters may do anything in every mode, so that an administrator can repair broken roles. */
export function createAuthorization(options: AuthorizationOptions, parts: AccessParts): Authorization {
  const { registry, catalog } = parts;
  const { vocabulary, level } = catalog.environment;
  const { modes, subjectNames, policies, webhook } = options;
  const rbac = modes.includes("RBAC") ? openRbacSource({ registry, catalog, subjectNames }) : undefined;
  const node = modes.includes("Node") ? openNodeSource({ registry, catalog }) : undefined;
  const modules: Record<AuthorizationMode, () => Authorizer | undefined> = {
    AlwaysAllow: () => alwaysAllow,
    AlwaysDeny: () => alwaysDeny,
    ABAC: () => createAbac(policies),
    RBAC: () => rbac && createRbac(rbac.index),
    Node: () => node && createNodeAuthorizer({ graph: node.graph, vocabulary, level }),
    Webhook: () => webhook,
  };
  const durations = createAuthorizerDurations(parts.clock);
  const measured = (name: string, module: Authorizer | undefined) =>
    module === undefined ? [] : [durations.measured(name, module)];
  const chosen = modes.flatMap((mode) => measured(mode, modules[mode]()));
  const { configured } = options;
  const authorizer =
    configured === undefined
      ? createUnion([masters, ...chosen])
      : createReplaceable(configured, ({ type, name, webhook: own }) => measured(name, own ?? modules[type]()));
  return {
    authorizer,
    metrics: [durations.metric],
    checks: [
      ...(rbac ? [createEscalationCheck({ index: rbac.index, authorizer, vocabulary })] : []),
      createParamAccessCheck({ authorizer, registry, catalog }),
      createAdminAccessCheck({ registry, catalog }),
    ],
    rbac,
    close() {
      rbac?.close();
      node?.close();
    },
  };
}

/** An authorizer that asks the configured ones, whichever they are now. */
function createReplaceable(
  configured: ConfiguredAuthorizers,
  open: (entry: ConfiguredAuthorizer) => readonly Authorizer[],
): Authorizer {
  const build = () => createUnion([masters, ...configured.current().flatMap(open)]);
  let union = build();
  configured.onChange(() => {
    union = build();
  });
  return {
    get name() {
      return union.name;
    },
    authorize: (attributes) => union.authorize(attributes),
    rulesFor: (user, namespace) => union.rulesFor?.(user, namespace) ?? noRules,
  };
}

const noRules = { resourceRules: [], nonResourceRules: [], incomplete: true };
