/** The actions of this folder by the names under which declarations refer to them. */

import type { TokenAuthenticator } from "../../authn/contract.ts";
import type { TokenSigner } from "../../authn/token-signer.ts";
import type { Authorizer } from "../../authz/contract.ts";
import type { RbacIndex } from "../../authz/rbac-index.ts";
import type { Catalog } from "../../machinery/schema/catalog.ts";
import { serviceUnavailable } from "../../machinery/status/status.ts";
import type { Action } from "../../registry/contract/action.ts";
import { withOwnership } from "../with-ownership.ts";
import {
  createLocalSubjectAccessReview,
  createSelfSubjectAccessReview,
  createSubjectAccessReview,
} from "./access-review.ts";
import { createAccessExplanation, createAccessHolders } from "./explanation.ts";
import { createSelfSubjectRulesReview } from "./rules-review.ts";
import { selfSubjectReview } from "./self-review.ts";
import { createTokenRequest, withDefaultLifetime } from "./token-request.ts";
import { createTokenReview } from "./token-review.ts";

interface AccessActionsOptions {
  readonly authorizer: Authorizer;
  /** All token authenticators, which add the group of all authenticated users. */
  readonly tokens: TokenAuthenticator;
  /** --api-audiences, by default the issuer. */
  readonly audiences: readonly string[];
  readonly catalog: Catalog;
  /** Undefined: this server does not issue tokens. */
  readonly signer: TokenSigner | undefined;
  /** Answers the reviews beyond v1.21. Undefined: this server does not use RBAC. */
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
    ["selfsubjectreviews", selfSubjectReview],
    ["selfsubjectrulesreviews", createSelfSubjectRulesReview(authorizer)],
    ["tokenreviews", withOwnership(createTokenReview({ tokens, audiences }))],
    [
      "serviceaccounts/token",
      signer === undefined
        ? unavailable("this server has no key that signs tokens of service accounts")
        : withOwnership(
            withDefaultLifetime(createTokenRequest({ signer, catalog, audiences, lifetimeSecondsMax })),
            "token",
          ),
    ],
    ["accessexplanations", explain === undefined ? withoutRbac : createAccessExplanation(explain)],
    ["accessholders", explain === undefined ? withoutRbac : createAccessHolders(explain)],
  ]);
}

/** The path exists, and its error says what the server lacks. */
const unavailable = (message: string): Action => ({
  async create() {
    throw serviceUnavailable(message);
  },
});
const withoutRbac = unavailable("this server does not authorize by RBAC, so there is nothing to explain");
