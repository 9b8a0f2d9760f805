/** The actions of this folder by the names under which declarations refer to them. */

import type { TokenAuthenticator } from "../../authn/contract.ts";
import type { TokenSigner } from "../../authn/token-signer.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { RbacIndex } from "../../authz/rbac-index.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import type { Action } from "../../registry/contract.ts";
import {
  createLocalSubjectAccessReview,
  createSelfSubjectAccessReview,
  createSubjectAccessReview,
} from "./access-review.ts";
import { createAccessExplanation, createAccessHolders } from "./explanation.ts";
import { createSelfSubjectRulesReview } from "./rules-review.ts";
import { createTokenRequest, withDefaultLifetime } from "./token-request.ts";
import { createTokenReview } from "./token-review.ts";
import { withOwnership } from "./with-ownership.ts";

export interface AccessActionsOptions {
  readonly authorizer: Authorizer;
  /** All token authenticators, with the group of everyone who is authenticated. */
  readonly tokens: TokenAuthenticator;
  /** --api-audiences, by default the issuer. */
  readonly audiences: readonly string[];
  readonly catalog: Catalog;
  /** Undefined: this server makes no tokens. */
  readonly signer: TokenSigner | undefined;
  /** Given: the questions beyond v1.21 are answered too, under the names accessexplanations and accessholders. */
  readonly explain?: RbacIndex | undefined;
  /** --service-account-max-token-expiration in seconds; 0: none. */
  readonly lifetimeSecondsMax?: number;
}

export function accessActions(options: AccessActionsOptions): ReadonlyMap<string, Action> {
  const { authorizer, tokens, audiences, catalog, signer, explain, lifetimeSecondsMax = 0 } = options;
  const actions = new Map<string, Action>([
    ["selfsubjectaccessreviews", withOwnership(createSelfSubjectAccessReview(authorizer))],
    ["subjectaccessreviews", withOwnership(createSubjectAccessReview(authorizer))],
    ["localsubjectaccessreviews", withOwnership(createLocalSubjectAccessReview(authorizer))],
    ["selfsubjectrulesreviews", createSelfSubjectRulesReview(authorizer)],
    ["tokenreviews", withOwnership(createTokenReview({ tokens, audiences }))],
  ]);
  if (signer !== undefined) {
    actions.set(
      "serviceaccounts/token",
      withDefaultLifetime(withOwnership(createTokenRequest({ signer, catalog, audiences, lifetimeSecondsMax }))),
    );
  }
  if (explain !== undefined) {
    actions.set("accessexplanations", createAccessExplanation(explain));
    actions.set("accessholders", createAccessHolders(explain));
  }
  return actions;
}
