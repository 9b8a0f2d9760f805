/** Aggregated discovery: the groups, versions and resources of /api or /apis in one document, with an ETag. */

import { createHash } from "node:crypto";
import { TimeSlice } from "../../base/time-slice.ts";
import type { Catalog, GroupListing } from "../../machinery/schema/catalog.ts";
import { conventionsOf } from "../../machinery/schema/conventions.ts";
import type { Answer, Reply } from "../answer/reply.ts";
import type { ApiResource, ForeignResources } from "../contract/routes.ts";
import { encodeValue } from "../negotiation/encode-value.ts";
import type { ServerContext } from "../server/context.ts";
import { type AggregatedVersion, aggregatedKind } from "./aggregated-type.ts";
import { resourceList } from "./documents.ts";

interface AggregatedDiscovery {
  /** `groups` are those that the document describes; `name` distinguishes it from others. */
  answer(reply: Reply, name: string, groups: readonly GroupListing[]): Promise<void>;
}

interface Document {
  readonly value: { readonly kind: string; readonly apiVersion: string };
  readonly json: Buffer;
  readonly etag: string;
}

export function createAggregatedDiscovery(
  { catalog, delegate, readsOnly }: Pick<ServerContext, "catalog" | "delegate" | "readsOnly">,
  group: string,
  version: AggregatedVersion,
): AggregatedDiscovery {
  const foreign = delegate?.resources;
  const apiVersion = `${group}/${version}`;
  let known = new Map<string, Promise<Document>>();
  let generation = "";
  catalog.onChange(() => {
    known = new Map();
  });

  const never = catalog.environment.has("omittedCreationTime") ? {} : { creationTimestamp: null };
  const make = async (groups: readonly GroupListing[]): Promise<Document> => {
    const items: object[] = [];
    const texts: string[] = [];
    const slice = new TimeSlice();
    for (const one of groups) {
      const item = describeGroup(one, { catalog, foreign, readsOnly }, never);
      items.push(item);
      texts.push(JSON.stringify(item));
      if (slice.isLong) await slice.next(); // a server may have a thousand of them
    }
    const head = JSON.stringify({ kind: aggregatedKind, apiVersion, metadata: {} }).slice(0, -1);
    const json = Buffer.from(`${head},"items":[${texts.join(",")}]}`);
    const etag = `"${createHash("sha256").update(json).digest("hex").toUpperCase()}"`;
    return { value: { kind: aggregatedKind, apiVersion, ...{ metadata: {}, items } }, json, etag };
  };

  return {
    async answer(reply, name, groups) {
      const now = `${catalog.generation} ${foreign?.generation ?? 0}`;
      if (generation !== now) {
        known = new Map();
        generation = now;
      }
      let document = known.get(name);
      if (document === undefined) {
        document = make(groups);
        known.set(name, document);
      }
      return send(reply, await document);
    },
  };
}

function send(reply: Reply, { value, json, etag }: Document): Answer {
  const { exchange } = reply.call;
  const headers = { etag, vary: "Accept", "cache-control": "public" };
  if (exchange.header("if-none-match") === etag) {
    const { "content-type": _type, ...rest } = reply.headers(headers);
    exchange.send(304, rest);
    return;
  }
  const { encoding } = reply.chosen.representation;
  const { pretty } = reply;
  return reply.send(encoding === "json" && !pretty ? json : encodeValue({ encoding, pretty }, value), headers);
}

function describeGroup({ group, versions, preferred }: GroupListing, listed: Listed, never: object): object {
  const ordered = [preferred, ...versions.filter((version) => version !== preferred)];
  return {
    metadata: group === "" ? never : { name: group, ...never },
    versions: ordered.map((version) => describeVersion(group, version, listed)),
  };
}

/** Whose resources are described. */
interface Listed {
  readonly catalog: Catalog;
  readonly foreign: ForeignResources | undefined;
  /** See HandlerOptions. */
  readonly readsOnly: boolean | undefined;
}

function describeVersion(group: string, version: string, { catalog, foreign, readsOnly }: Listed): object {
  const kinds = catalog.ofGroupVersion(group, version);
  const isOwn = kinds.length > 0;
  const resources = isOwn ? resourceList(catalog, group, version, readsOnly).resources : foreign?.list(group, version);
  // As in the reference, built-in kinds leave out the group and version of the resource itself.
  const own = kinds.some((kind) => conventionsOf(kind).isTemporary) ? { group, version } : { group: "", version: "" };
  const isCurrent = isOwn || (resources !== undefined && foreign?.isAvailable(group, version) === true);
  return {
    version,
    ...(resources === undefined || resources.length === 0 ? {} : { resources: describeResources(resources, own) }),
    freshness: isCurrent ? "Current" : "Stale",
  };
}

interface GroupVersion {
  readonly group: string;
  readonly version: string;
}

/** `own`: what a kind without group and version is shown with. */
function describeResources(resources: readonly ApiResource[], own: GroupVersion): readonly object[] {
  const subresources = new Map<string, object[]>();
  const responseKind = ({ group = own.group, version = own.version, kind }: ApiResource) => ({ group, version, kind });
  for (const one of resources) {
    const [resource = "", subresource] = one.name.split("/");
    if (subresource === undefined) continue;
    const list = subresources.get(resource) ?? [];
    list.push({ subresource, responseKind: responseKind(one), verbs: one.verbs });
    subresources.set(resource, list);
  }
  return resources
    .filter(({ name }) => !name.includes("/"))
    .map((one) => ({
      resource: one.name,
      responseKind: responseKind(one),
      scope: one.namespaced ? "Namespaced" : "Cluster",
      singularResource: one.singularName,
      verbs: one.verbs,
      ...(one.shortNames === undefined ? {} : { shortNames: one.shortNames }),
      ...(one.categories === undefined ? {} : { categories: one.categories }),
      ...(subresources.has(one.name) ? { subresources: subresources.get(one.name) } : {}),
    }));
}
