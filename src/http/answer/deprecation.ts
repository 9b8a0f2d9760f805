/** Warns clients about deprecated versions. */

import type { BoundKind } from "../../machinery/schema/catalog.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { Call } from "../request/call.ts";
import type { ServerContext } from "../server/context.ts";

const sentences = new WeakMap<BoundKind, string>();

export function warnOfDeprecation(context: ServerContext, call: Call, kind: BoundKind): void {
  let sentence = sentences.get(kind);
  if (sentence === undefined) {
    sentence = describe(kind, context.vocabulary);
    sentences.set(kind, sentence);
  }
  call.warn(sentence);
  const { removed } = kind.declaration.deprecated ?? {};
  call.audit?.annotate(context.vocabulary.word("orch.io/deprecated"), "true");
  if (removed) call.audit?.annotate(context.vocabulary.word("orch.io/removed-release"), removed);
  context.metrics.deprecatedRequested(kind, call.info.subresource);
}

/** "batch/v1beta1 CronJob is deprecated in v1.21+, unavailable in v1.25+; use batch/v1 CronJob". */
function describe(kind: BoundKind, vocabulary: Vocabulary): string {
  const { since, removed, replacement, sentence } = kind.declaration.deprecated!;
  if (sentence !== undefined) return sentence;
  const gone = removed ? `, unavailable in v${removed}+` : "";
  const instead = replacement ? `; use ${renamed(replacement, vocabulary)}` : "";
  return `${kind.apiVersion} ${kind.kind} is deprecated in v${since}+${gone}${instead}`;
}

/** "coordination.orch.io/v1 Lease" in the server's vocabulary. */
function renamed(replacement: string, vocabulary: Vocabulary): string {
  const slash = replacement.indexOf("/");
  return slash < 0 ? replacement : vocabulary.group(replacement.slice(0, slash)) + replacement.slice(slash);
}
