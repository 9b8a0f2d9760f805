/** The annotations that a Deployment and its replica sets use, in the vocabulary of the server. */

import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

export const hashLabel = "pod-template-hash";
/** The revision to go back to: v1beta1 had a field for it, and apps/v1 has this annotation. */
export const rollbackTo = "deprecated.deployment.rollback.to";

export interface DeploymentKeys {
  readonly revision: string;
  readonly history: string;
  readonly desired: string;
  readonly max: string;
  /** Annotations of a Deployment that are not copied to its replica sets. */
  readonly own: ReadonlySet<string>;
}

export function deploymentKeys(vocabulary: Vocabulary): DeploymentKeys {
  const key = (name: string) => vocabulary.word(`deployment.orch.io/${name}`);
  const [revision, history] = [key("revision"), key("revision-history")];
  const [desired, max] = [key("desired-replicas"), key("max-replicas")];
  const lastApplied = vocabulary.word("ctl.orch.io/last-applied-configuration");
  return { revision, history, desired, max, own: new Set([lastApplied, revision, history, desired, max, rollbackTo]) };
}
