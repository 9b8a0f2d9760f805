/** Which tokens in Secrets have not been used for so long that they are refused, and later deleted. */

import {
  dayOf,
  invalidSinceLabel,
  lastUsedLabel,
  parseDay,
  trackingKey,
  trackingName,
} from "../../api/core/legacy-tokens.ts";
import { ConfigMap } from "../../api/core/v1/config-map.ts";
import { Secret } from "../../api/core/v1/secret.ts";
import type { ServiceAccount } from "../../api/core/v1/service-account.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { type Plan, patch, type Request, read, remove } from "../plan.ts";
import { isTokenOf, tokenNames } from "../serviceaccount-token/reconcile.ts";

interface TokenPass {
  /** All token Secrets. */
  readonly secrets: readonly Secret[];
  /** The account that a Secret names; undefined: there is none. */
  accountOf(secret: Secret): ServiceAccount | undefined;
  isMounted(secret: Secret): boolean;
  /** --legacy-service-account-token-clean-up-period */
  readonly periodMs: number;
  readonly nowMs: number;
  readonly vocabulary: Vocabulary;
}

const dayMs = 86_400_000;
/** How often all tokens are looked at. */
const roundMs = dayMs;

/** Nothing happens until uses have been recorded for the whole period: before that, an unused token may just not be recorded. */
export function planTokens(pass: TokenPass): Plan {
  const { vocabulary, nowMs, periodMs } = pass;
  const tracking = read(ConfigMap, { namespace: vocabulary.word("orch-system"), name: vocabulary.word(trackingName) });
  return {
    reads: [tracking],
    reviewInMs: roundMs,
    next(done) {
      const since = parseDay(done.of(tracking)?.data?.[trackingKey] ?? "");
      // That day counts from its end, because uses before its beginning are not known.
      if (since === undefined || nowMs < since + dayMs + periodMs) return undefined;
      return { writes: pass.secrets.flatMap((secret) => writeFor(secret, pass) ?? []) };
    },
  };
}

/** Undefined: the Secret stays as it is. */
function writeFor(secret: Secret, pass: TokenPass): Request<Secret> | undefined {
  const { vocabulary, nowMs, periodMs } = pass;
  if (!isUnused(secret, pass)) return undefined;
  const { namespace = "", name = "", uid, resourceVersion, labels = {} } = secret.metadata;
  const invalidSince = labels[vocabulary.word(invalidSinceLabel)] ?? "";
  if (parseDay(invalidSince) === undefined) {
    const marked = { [vocabulary.word(invalidSinceLabel)]: dayOf(nowMs) };
    return patch(Secret, { namespace, name }, { metadata: { uid, labels: marked } });
  }
  if (invalidSince >= dayOf(nowMs - periodMs)) return undefined;
  const reason = "its token has been invalid for the clean-up period";
  return remove(Secret, { namespace, name }, { resourceVersion, reason }, { tolerates: ["NotFound", "Conflict"] });
}

/** Whether it was made for its account, by a controller of an earlier release, and nothing has used it for the period. */
function isUnused(secret: Secret, { accountOf, isMounted, periodMs, nowMs, vocabulary }: TokenPass): boolean {
  const { creationTimestamp, deletionTimestamp, labels = {}, name } = secret.metadata;
  if (deletionTimestamp || Date.parse(creationTimestamp ?? "") >= nowMs - periodMs) return false;
  const lastUsed = labels[vocabulary.word(lastUsedLabel)];
  // A label that cannot be read says nothing about the last use.
  if (lastUsed !== undefined && (parseDay(lastUsed) === undefined || lastUsed >= dayOf(nowMs - periodMs))) return false;
  const account = accountOf(secret);
  if (account === undefined || !isTokenOf(secret, account, tokenNames(vocabulary))) return false;
  // A Secret that its account does not list was made by hand.
  return account.secrets?.some((listed) => listed.name === name) === true && !isMounted(secret);
}
