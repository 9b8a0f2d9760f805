/** TokenReview: which user a token belongs to. */

import type { TokenReviewSpec, TokenReviewStatus } from "../../api/authentication/v1/token-review.ts";
import type { AuthenticationOutcome, TokenAuthenticator } from "../../authn/contract.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { CreateAction } from "../../registry/contract/action.ts";
import { reviewAnswer } from "./review.ts";
import { userInfo } from "./user-info.ts";

interface TokenReviewOptions {
  /** All token authenticators, which add the group of all authenticated users. */
  readonly tokens: TokenAuthenticator;
  /** The audiences when the review does not name any. */
  readonly audiences: readonly string[];
}

export function createTokenReview({ tokens, audiences }: TokenReviewOptions): CreateAction {
  return {
    async create(request) {
      const review = request.kind.toHub(request.body);
      const spec = (review.spec ?? {}) as TokenReviewSpec; // decoded by the declaration
      if (!spec.token) throw badRequest("a token must be given to be reviewed");
      const outcome = await tokens.authenticateToken(spec.token, spec.audiences?.length ? spec.audiences : audiences);
      const given = (review["status"] ?? {}) as TokenReviewStatus;
      return reviewAnswer(request, review, statusOf(outcome, given));
    },
  };
}

/** v1.21 writes its answer over the status that it was sent: for a refused token it sets no user, so a user that was sent stays. */
function statusOf(outcome: AuthenticationOutcome, given: TokenReviewStatus): TokenReviewStatus {
  if (outcome === undefined || outcome === "rejected") {
    const { authenticated: _authenticated, ...rest } = given;
    return { user: {}, ...rest, error: "invalid bearer token" };
  }
  const { audiences: _audiences, ...rest } = given;
  return {
    ...rest,
    authenticated: true,
    user: userInfo(outcome.user),
    ...(outcome.audiences?.length ? { audiences: [...outcome.audiences] } : {}),
  };
}
