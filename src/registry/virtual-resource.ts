/** Reads virtual resources: their objects are not stored but made on demand. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import type { ApiObject } from "../machinery/schema/kind.ts";
import { parseFieldSelector } from "../machinery/selectors/field-selector.ts";
import { badRequest, notFound, type Subject } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import { parseSelection } from "./cache/selection.ts";
import type { VirtualSource } from "./contract/allocator.ts";
import type { Entry, ObjectRef } from "./contract/entry.ts";
import type { GetOptions, ListResult, Registry, RegistryListQuery } from "./contract/registry.ts";
import { encodeObject } from "./encode.ts";
import { notOlderThan } from "./get.ts";
import { openToken, sealToken } from "./paging.ts";
import type { RegistryServices } from "./services.ts";
import { translateKvErrors } from "./store-errors.ts";
import { resourceOf } from "./subjects.ts";
import { wantedState } from "./versions.ts";
import { unstored } from "./write.ts";

/** Objects made on demand have no version. */
const noRevision = 0n;

interface VirtualResource {
  readonly services: RegistryServices;
  readonly kind: BoundKind;
  readonly source: VirtualSource;
  readonly registry: Registry;
}

export async function getVirtual(resource: VirtualResource, ref: ObjectRef, options: GetOptions = {}): Promise<Entry> {
  const fields = [{ path: "metadata.name", operator: "=", value: ref.name }] as const;
  const { user } = options;
  const page = await resource.source.page?.({ namespace: ref.namespace, fields, limit: 1, after: "", user });
  const entries = page === undefined ? await entriesOf(resource) : entriesFrom(resource, page.objects);
  const found = entries.find(({ name, namespace }) => name === ref.name && namespace === ref.namespace);
  if (found === undefined) throw notFound(missing(resource.kind), ref.name);
  return found;
}

/** Since 1.27 such a resource is named in the singular, when an object of it is not found. */
const missing = (kind: BoundKind): Subject =>
  kind.family.environment.has("singularNames")
    ? { group: kind.group, kind: kind.declaration.singular ?? kind.kind.toLowerCase() }
    : resourceOf(kind);

/** There are few of them, so their lists are never split into chunks. */
export async function listVirtual(resource: VirtualResource, query: RegistryListQuery): Promise<ListResult> {
  if (query.question !== undefined)
    throw badRequest(`${resource.kind.resource} are made for each read, and take no where, orderBy, count or select`);
  if (query.atTime) throw badRequest(`${resource.kind.resource} are made for each read, and have no past`);
  if (resource.source.page !== undefined) return listPage(resource, resource.source.page.bind(resource.source), query);
  const selection = parseSelection(resource.kind, query);
  const entries = (await entriesOf(resource)).filter(
    (entry) => (query.namespace === "" || entry.namespace === query.namespace) && selection.matches(entry),
  );
  return { entries, revision: noRevision, continue: "", remainingItemCount: undefined };
}

async function listPage(
  { services, kind, ...resource }: VirtualResource,
  page: NonNullable<VirtualSource["page"]>,
  query: RegistryListQuery,
): Promise<ListResult> {
  const { namespace, labelSelector, fieldSelector = "", limit = 0, user, signal } = query;
  if (labelSelector) throw badRequest(`${kind.resource} have no labels; a field selector is understood`);
  const { continueKey } = services;
  const isVersioned = resource.source.watch !== undefined;
  const continued = query.continue ? openToken(continueKey, kind.family, namespace, query.continue) : undefined;
  // What appears while chunks are read is told by a watch from the version of the list.
  const revision = isVersioned ? (continued?.revision ?? (await revisionOf(services, kind, query))) : undefined;
  const fields = parseFieldSelector(fieldSelector);
  const found = await page({ namespace, fields, limit, after: continued?.after ?? "", revision, user, signal });
  return {
    entries: entriesFrom({ services, kind, ...resource }, found.objects),
    revision: revision ?? noRevision,
    continue: found.after && sealToken(continueKey, kind.family, namespace, { revision, after: found.after }),
    remainingItemCount: undefined,
  };
}

async function revisionOf(
  services: RegistryServices,
  { family }: BoundKind,
  query: RegistryListQuery,
): Promise<bigint> {
  const wanted = wantedState(family, query);
  if ("version" in wanted) await notOlderThan(services, wanted.version, query);
  return wanted.state === "exactly" ? wanted.version : services.kv.revision().catch(translateKvErrors);
}

async function entriesOf(resource: VirtualResource): Promise<StoredEntry[]> {
  const objects = (await resource.source.objects?.(resource.registry)) ?? [];
  return entriesFrom(resource, objects).sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function entriesFrom(
  { services, kind }: Pick<VirtualResource, "services" | "kind">,
  objects: readonly ApiObject[],
): StoredEntry[] {
  const { family } = kind;
  return objects.map((object) => {
    const { resourceVersion, ...metadata } = object.metadata;
    const { namespace = "", name = "" } = metadata;
    const whole = family.hub.codec.decode({ ...object, metadata });
    const encoded = encodeObject(family.stored, convertNow(whole, family.hub, family.stored), whole);
    const revision = resourceVersion === undefined ? noRevision : BigInt(resourceVersion);
    return unstored(services, family, { namespace, name }, encoded, revision);
  });
}
