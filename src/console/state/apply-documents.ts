/** Applies the documents of a text: all as a trial first, then in their order. */

import { unifiedDiff } from "../../base/unified-diff.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { hasReason, ifThere } from "../../client/requests/refusals.ts";
import type { Connection } from "../server/connection.ts";
import { applyYaml, readYaml } from "../server/objects.ts";
import type { YamlDocument } from "./documents.ts";
import { withoutManagedFields } from "./yaml-text.ts";

export interface Applier {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** For documents that name none. */
  readonly namespace: string;
}

export interface Outcome {
  readonly document: YamlDocument;
  readonly resource: DiscoveredResource | undefined;
  readonly namespace: string;
  /** Between what is there and what would be; "": nothing would change. */
  readonly diff: string;
  /** There is such an object already. */
  readonly isThere: boolean;
  readonly error: unknown;
  /** It cannot be tried, because an earlier document makes the namespace that it is in. */
  readonly isWaiting: boolean;
}

const targetOf = ({ discovery, namespace }: Applier, document: YamlDocument) => {
  const resource = discovery.byKind(document.apiVersion, document.kind);
  return { resource, namespace: resource?.namespaced ? document.namespace || namespace : "" };
};

export async function tryDocument(
  applier: Applier,
  document: YamlDocument,
  earlier: readonly YamlDocument[],
  isForced: boolean,
): Promise<Outcome> {
  const { resource, namespace } = targetOf(applier, document);
  const outcome = { document, resource, namespace, diff: "", isThere: false, error: undefined, isWaiting: false };
  if (resource === undefined) return { ...outcome, error: unknownKind(document) };
  const { name, content } = document;
  try {
    const options = { isDryRun: true, isForced };
    const result = await applyYaml(applier.connection, { resource, namespace, name, content }, options);
    const live = name === "" ? undefined : await ifThere(readYaml(applier.connection, resource, { name, namespace }));
    const diff = unifiedDiff(withoutManagedFields(live ?? ""), withoutManagedFields(result));
    return { ...outcome, diff, isThere: live !== undefined };
  } catch (error) {
    const isMade = earlier.some((one) => one.kind === "Namespace" && one.name === namespace);
    const isWaiting = isMade && hasReason(error, "NotFound");
    return { ...outcome, error: isWaiting ? undefined : error, isWaiting };
  }
}

export async function applyDocument(applier: Applier, document: YamlDocument, isForced: boolean): Promise<void> {
  const { resource, namespace } = targetOf(applier, document);
  if (resource === undefined) throw unknownKind(document);
  const { name, content } = document;
  await applyYaml(applier.connection, { resource, namespace, name, content }, { isDryRun: false, isForced });
}

const unknownKind = ({ apiVersion, kind }: YamlDocument): Error =>
  new Error(
    kind === "" || apiVersion === ""
      ? "the text must name an apiVersion and a kind"
      : `the server does not serve the kind ${kind} of ${apiVersion}`,
  );
