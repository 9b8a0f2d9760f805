/** Reads virtual resources: their objects are not stored but made on demand. */

import type { BoundKind } from "../machinery/schema/catalog.ts";
import { convertNow } from "../machinery/schema/convert.ts";
import { badRequest, notFound, type Subject } from "../machinery/status/status.ts";
import type { StoredEntry } from "./cache/entry.ts";
import { parseSelection } from "./cache/selection.ts";
import type { VirtualSource } from "./contract/allocator.ts";
import type { Entry, ObjectRef } from "./contract/entry.ts";
import type { ListResult, Registry, RegistryListQuery } from "./contract/registry.ts";
import { encodeObject } from "./encode.ts";
import type { RegistryServices } from "./services.ts";
import { resourceOf } from "./subjects.ts";
import { unstored } from "./write.ts";

/** Objects made on demand have no version. */
const noRevision = 0n;

interface VirtualResource {
  readonly services: RegistryServices;
  readonly kind: BoundKind;
  readonly source: VirtualSource;
  readonly registry: Registry;
}

export async function getVirtual(resource: VirtualResource, ref: ObjectRef): Promise<Entry> {
  const found = (await entriesOf(resource)).find(
    ({ name, namespace }) => name === ref.name && namespace === ref.namespace,
  );
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
  const selection = parseSelection(resource.kind, query);
  const entries = (await entriesOf(resource)).filter(
    (entry) => (query.namespace === "" || entry.namespace === query.namespace) && selection.matches(entry),
  );
  return { entries, revision: noRevision, continue: "", remainingItemCount: undefined };
}

async function entriesOf({ services, kind, source, registry }: VirtualResource): Promise<StoredEntry[]> {
  const { family } = kind;
  const objects = await source.objects(registry);
  return objects
    .map((object) => {
      const { namespace = "", name = "" } = object.metadata;
      const whole = family.hub.codec.decode(object);
      const encoded = encodeObject(family.stored, convertNow(whole, family.hub, family.stored), whole);
      return unstored(services, family, { namespace, name }, encoded, noRevision);
    })
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}
