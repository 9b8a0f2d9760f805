/** Bootstrap tokens: `id.secret`, kept as Secrets in the system namespace, for machines without an identity. */

import type { Clock } from "../base/clock.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { TokenAuthenticator } from "./contract.ts";
import { createDigester, type Digester } from "./digest.ts";
import type { GuessLimit } from "./guess-limit.ts";
import { type AccountLookup, secretText } from "./service-account-lookup.ts";

interface BootstrapTokenOptions {
  readonly lookup: Pick<AccountLookup, "secret">;
  readonly vocabulary: Vocabulary;
  readonly clock: Clock;
  readonly digester?: Digester;
  /** Slows down sources that guess the secret of an existing token; absent: no limit. */
  readonly guessLimit?: GuessLimit;
}

const tokenForm = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const defaultGroup = "system:bootstrappers";
const groupForm = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;

export function createBootstrapToken(options: BootstrapTokenOptions): TokenAuthenticator {
  const { lookup, vocabulary, clock, digester = createDigester(), guessLimit } = options;
  const namespace = vocabulary.word("orch-system");
  const type = vocabulary.word("bootstrap.orch.io/token");
  return {
    name: "bootstrap",
    authenticateToken(token, _audiences, from) {
      const match = token.length === 23 ? tokenForm.exec(token) : null;
      if (match === null) return "rejected";
      const [, id = "", given = ""] = match;
      const secret = lookup.secret(namespace, `bootstrap-token-${id}`);
      if (secret === undefined || secret.metadata.deletionTimestamp || secret.type !== type) return "rejected";
      const expected = secretText(secret, "token-secret") ?? "";
      if (expected === "") return "rejected";
      guessLimit?.check(from?.remoteAddress);
      // The secret is compared first, so that a caller without it learns nothing else about the token.
      if (!digester.equal(expected, given)) {
        guessLimit?.count(from?.remoteAddress);
        return "rejected";
      }
      if (secretText(secret, "token-id") !== id || isExpired(secret, clock.now())) return "rejected";
      if (secretText(secret, "usage-bootstrap-authentication") !== "true") return "rejected";
      const groups = groupsOf(secret);
      if (groups === undefined) return "rejected";
      return {
        user: { name: `system:bootstrap:${id}`, uid: "", groups, extra: new Map() },
        by: "bootstrap",
        credentialId: `bootstrap ${id}`,
      };
    },
  };
}

/** An expiration that cannot be read counts as passed. */
function isExpired(secret: ApiObject, nowMs: number): boolean {
  const text = secretText(secret, "expiration") ?? "";
  if (text === "") return false;
  const at = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(text) ? Date.parse(text) : Number.NaN;
  return !(at > nowMs);
}

/** Sorted, the default one included. Undefined: a group that a bootstrap token may not name. */
function groupsOf(secret: ApiObject): readonly string[] | undefined {
  const text = secretText(secret, "auth-extra-groups") ?? "";
  const extra = text === "" ? [] : text.split(",");
  if (!extra.every((group) => groupForm.test(group))) return undefined;
  return [...new Set([defaultGroup, ...extra])].sort();
}
