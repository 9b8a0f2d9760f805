/** The fields that built-in kinds declare as confidential, in the names of a vocabulary, for what records requests. */

import { catalog } from "../api/catalog.ts";
import type { ConfidentialFields } from "../testkit/journal/redact.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";

const none: readonly string[] = [];

export function confidentialFields(vocabulary: Vocabulary): ConfidentialFields {
  const byResource = new Map<string, readonly string[]>();
  const byKind = new Map<string, readonly string[]>();
  for (const declared of catalog) {
    const { group, version, kind, resource } = declared;
    const fields = (declared.hub ?? declared).strategy.confidential;
    if (fields === undefined) continue;
    const spoken = vocabulary.group(group);
    byResource.set(`${spoken}/${resource}`, fields);
    byKind.set(`${spoken === "" ? version : `${spoken}/${version}`} ${kind}`, fields);
  }
  return {
    ofResource: (group, resource) => byResource.get(`${group}/${resource}`) ?? none,
    ofKind: (apiVersion, kind) => byKind.get(`${apiVersion} ${kind}`) ?? none,
  };
}
