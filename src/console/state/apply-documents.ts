/** Applies the documents of a text: all as a trial first, then in their order. */

import { sleep } from "../../base/clock.ts";
import { unifiedDiff } from "../../base/unified-diff.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { hasReason, ifThere } from "../../client/requests/refusals.ts";
import { browserClock, type Connection } from "../server/connection.ts";
import { applyYaml, readYaml } from "../server/objects.ts";
import type { YamlDocument } from "./documents.ts";
import { withoutManagedFields } from "./yaml-text.ts";

export interface Applier {
  readonly connection: Connection;
  readonly discovery: Discovery;
  /** For documents that name none. */
  readonly namespace: string;
  /** Reads again what the server serves. */
  readonly reload: () => Promise<Discovery>;
}

/** How long an object waits for the definition of its kind to be served. */
const definitionWaitMs = 10_000;
const askAgainMs = 250;

export interface Outcome {
  readonly document: YamlDocument;
  readonly resource: DiscoveredResource | undefined;
  readonly namespace: string;
  /** Between what is there and what would be; "": nothing would change. */
  readonly diff: string;
  /** There is such an object already. */
  readonly isThere: boolean;
  readonly error: unknown;
  /** It cannot be tried, because an earlier document makes this. */
  readonly waitsFor: "namespace" | "definition" | undefined;
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
  const empty = { diff: "", isThere: false, error: undefined, waitsFor: undefined };
  const outcome = { document, resource, namespace, ...empty };
  if (resource === undefined) {
    const isDefined = earlier.some(({ defines }) => defines === kindOf(document));
    return isDefined ? { ...outcome, waitsFor: "definition" } : { ...outcome, error: unknownKind(document) };
  }
  const { name, content } = document;
  try {
    const options = { isDryRun: true, isForced };
    const result = await applyYaml(applier.connection, { resource, namespace, name, content }, options);
    const live = name === "" ? undefined : await ifThere(readYaml(applier.connection, resource, { name, namespace }));
    const diff = unifiedDiff(withoutManagedFields(live ?? ""), withoutManagedFields(result));
    return { ...outcome, diff, isThere: live !== undefined };
  } catch (error) {
    const isMade = earlier.some((one) => one.kind === "Namespace" && one.name === namespace);
    if (isMade && hasReason(error, "NotFound")) return { ...outcome, waitsFor: "namespace" };
    return { ...outcome, error };
  }
}

const kindOf = ({ apiVersion, kind }: YamlDocument): string => `${apiVersion.split("/")[0]}/${kind}`;

export async function applyDocument(applier: Applier, outcome: Outcome, isForced: boolean): Promise<void> {
  const { document, waitsFor } = outcome;
  const discovery = waitsFor === "definition" ? await discoveryWith(applier, document) : applier.discovery;
  const { resource, namespace } = targetOf({ ...applier, discovery }, document);
  if (resource === undefined) throw unknownKind(document);
  const { name, content } = document;
  await applyYaml(applier.connection, { resource, namespace, name, content }, { isDryRun: false, isForced });
}

/** A definition is served a moment after it is stored. */
async function discoveryWith({ reload }: Applier, { apiVersion, kind }: YamlDocument): Promise<Discovery> {
  const endMs = browserClock.monotonic() + definitionWaitMs;
  for (;;) {
    const discovery = await reload();
    const isServed = discovery.byKind(apiVersion, kind) !== undefined;
    if (isServed || browserClock.monotonic() >= endMs) return discovery;
    await sleep(browserClock, askAgainMs);
  }
}

const unknownKind = ({ apiVersion, kind }: YamlDocument): Error =>
  new Error(
    kind === "" || apiVersion === ""
      ? "the text must name an apiVersion and a kind"
      : `the server does not serve the kind ${kind} of ${apiVersion}`,
  );
