/** The actions of this folder by the names under which declarations refer to them. */

import type { TokenAuthenticator } from "../../authn/contract.ts";
import type { TokenSigner } from "../../authn/token-signer.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { RbacIndex } from "../../authz/rbac-index.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
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
  /** What answers the questions beyond v1.21. Undefined: this server does not authorize by RBAC. */
  readonly explain?: RbacIndex | undefined;
  /** --service-account-max-token-expiration in seconds; 0: none. */
  readonly lifetimeSecondsMax?: number;
}

export function accessActions(options: AccessActionsOptions): ReadonlyMap<string, Action> {
  const { authorizer, tokens, audiences, catalog, signer, explain, lifetimeSecondsMax = 0 } = options;
  return new Map<string, Action>([
    ["selfsubjectaccessreviews", withOwnership(createSelfSubjectAccessReview(authorizer))],
    ["subjectaccessreviews", withOwnership(createSubjectAccessReview(authorizer))],
    ["localsubjectaccessreviews", withOwnership(createLocalSubjectAccessReview(authorizer))],
    ["selfsubjectrulesreviews", createSelfSubjectRulesReview(authorizer)],
    ["tokenreviews", withOwnership(createTokenReview({ tokens, audiences }))],
    [
      "serviceaccounts/token",
      signer === undefined
        ? unavailable("this server has no key that signs tokens of service accounts")
        : withOwnership(withDefaultLifetime(createTokenRequest({ signer, catalog, audiences, lifetimeSecondsMax }))),
    ],
    ["accessexplanations", explain === undefined ? withoutRbac : createAccessExplanation(explain)],
    ["accessholders", explain === undefined ? withoutRbac : createAccessHolders(explain)],
  ]);
}

/** The path is there, and says what the server lacks. */
const unavailable = (message: string): Action => ({
  async create() {
    throw serviceUnavailable(message);
  },
});
const withoutRbac = unavailable("this server does not authorize by RBAC, so there is nothing to explain");
