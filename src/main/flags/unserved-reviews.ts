/** Webhooks that are asked in a version of reviews which this server was told not to serve: they work, and the start says so. */

import { hasAt } from "../../machinery/schema/features.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import type { IsServed } from "./runtime-config.ts";

const webhooks = [
  { name: "authentication-token-webhook", group: "authentication.orch.io", resource: "tokenreviews" },
  { name: "authorization-webhook", group: "authorization.orch.io", resource: "subjectaccessreviews" },
] as const;

/** In later releases beta versions are off by themselves, which is no choice of the operator. */
export function unservedReviews(flags: ApiServerFlags, isServed: IsServed, vocabulary: Vocabulary): readonly string[] {
  const has = hasAt(flags["emulated-version"]);
  if (has("betaVersionsOff")) return [];
  return webhooks.flatMap(({ name, group, resource }) => {
    const version = flags[`${name}-version`];
    const spoken = vocabulary.group(group);
    if (flags[`${name}-config-file`] === "" || isServed(spoken, version, resource)) return [];
    return [
      `--${name}-version=${version}: the webhook is sent reviews of ${spoken}/${version}, which --runtime-config has switched off here; --${name}-version=v1 is served`,
    ];
  });
}
