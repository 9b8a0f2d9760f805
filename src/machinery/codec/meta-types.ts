/** The types of the API itself: those of refusals, lists, discovery, deletes and reviews. */

import type { Release } from "../../base/release.ts";
import type { Fields } from "../schema/build.ts";
import { bool, struct as declare, elided, int32, int64, json, list, optional, string } from "../schema/build.ts";
import { atLevel } from "../schema/field-level.ts";
import { ObjectMetaStruct } from "../schema/object-meta.ts";
import type { StructSchema } from "../schema/schema.ts";
import { APIGroupDiscoveryListStruct } from "./discovery-types.ts";

const struct = <F extends Fields>(type: string, fields: F, doc: string) => declare(`meta.v1.${type}`, fields, { doc });

const ShardInfo = struct(
  "ShardInfo",
  { selector: string().at(1).doc("Which part of all objects the list has.") },
  "Which part of a list this is, where clients share the work.",
);

export const ListMetaStruct = struct(
  "ListMeta",
  {
    selfLink: elided(string()).at(1),
    resourceVersion: elided(string()).at(2).doc("When the list was read; watch from here to miss nothing."),
    continue: elided(string()).at(3).doc("Given when there is more: pass it back to get the next page."),
    remainingItemCount: optional(int64()).at(4).doc("How many items follow this page, where that is known."),
    shardInfo: optional(ShardInfo).at(5).since("1.36").doc("Never set: lists are not divided."),
  },
  "What every list carries besides its items.",
);

const StatusCause = struct(
  "StatusCause",
  {
    reason: elided(string()).at(1),
    message: elided(string()).at(2),
    field: elided(string()).at(3).doc("The path of the field that the cause is about."),
  },
  "One of several reasons for a refusal.",
);

const StatusDetails = struct(
  "StatusDetails",
  {
    name: elided(string()).at(1),
    group: elided(string()).at(2),
    kind: elided(string()).at(3),
    uid: elided(string()).at(6),
    causes: elided(list(StatusCause)).at(4),
    retryAfterSeconds: elided(int32()).at(5),
  },
  "What a status is about.",
);

export const StatusStruct = struct(
  "Status",
  {
    metadata: elided(ListMetaStruct).at(1),
    status: elided(string()).at(2).doc("Whether the request succeeded: Success or Failure."),
    message: elided(string()).at(3).doc("A message for people that says what happened. Its wording may change."),
    reason: elided(string()).at(4).doc("One word in CamelCase that says why, for programs. Empty: not known."),
    details: optional(StatusDetails)
      .at(5)
      .from("1.30", (details) => details.openApiAtomic())
      .from("1.35", (details) => details.with({ isListedAtomic: false })),
    code: elided(int32()).at(6).doc("The HTTP status code of the answer; 0: not set."),
  },
  "The answer of a request that returns no object.",
);

const Preconditions = struct(
  "Preconditions",
  { uid: optional(string()).at(1), resourceVersion: optional(string()).at(2) },
  "What must still be true of an object when it is deleted.",
);

export const DeleteOptionsStruct = struct(
  "DeleteOptions",
  {
    gracePeriodSeconds: optional(int64()).at(1).doc("How long the object may take to end; 0: now."),
    preconditions: optional(Preconditions).at(2),
    orphanDependents: optional(bool())
      .at(3)
      .doc("Deprecated: use propagationPolicy. true orphans dependents, false deletes them in the background."),
    propagationPolicy: optional(string()).at(4).doc("What happens to dependents: Orphan, Background or Foreground."),
    dryRun: elided(list(string())).at(5).doc("All: do everything but keep the change."),
    ignoreStoreReadErrorWithClusterBreakingPotential: optional(bool())
      .at(6)
      .since("1.32")
      .doc("Accepted, and ignored."),
  },
  "How an object is deleted.",
);

export const WatchEventStruct = struct(
  "WatchEvent",
  { type: string().at(1), object: json().at(2) },
  "One change that a watch reports.",
);

const GroupVersionForDiscovery = struct(
  "GroupVersionForDiscovery",
  { groupVersion: string().at(1), version: string().at(2) },
  "A version of a group.",
);

const ServerAddressByClientCIDR = struct(
  "ServerAddressByClientCIDR",
  { clientCIDR: string().at(1), serverAddress: string().at(2) },
  "Under which address clients of a network find the server.",
);

export const APIVersionsStruct = struct(
  "APIVersions",
  { versions: list(string()).at(1), serverAddressByClientCIDRs: list(ServerAddressByClientCIDR).at(2) },
  "The versions of the core group.",
);

export const APIGroupStruct = struct(
  "APIGroup",
  {
    name: string().at(1),
    versions: list(GroupVersionForDiscovery).at(2),
    preferredVersion: elided(GroupVersionForDiscovery).at(3),
    serverAddressByClientCIDRs: elided(list(ServerAddressByClientCIDR)).at(4),
  },
  "A group and its versions.",
);

export const APIGroupListStruct = struct("APIGroupList", { groups: list(APIGroupStruct).at(1) }, "All groups.");

const APIResource = struct(
  "APIResource",
  {
    name: string().at(1).doc("The plural name of the resource, as in paths, such as pods or pods/status."),
    singularName: string().at(6),
    namespaced: bool().at(2),
    group: elided(string()).at(8).doc("The group of the kind, where it is not the one of the list."),
    version: elided(string()).at(9).doc("The version of the kind, where it is not the one of the list."),
    kind: string().at(3),
    verbs: list(string(), { wrapped: true }).at(4),
    shortNames: elided(list(string())).at(5),
    categories: elided(list(string())).at(7),
    storageVersionHash: elided(string()).at(10),
  },
  "A resource and what can be done with it.",
);

export const APIResourceListStruct = struct(
  "APIResourceList",
  { groupVersion: string().at(1), resources: list(APIResource).at(2) },
  "The resources of a version of a group.",
);

export const PartialObjectMetadataStruct = struct(
  "PartialObjectMetadata",
  { metadata: elided(ObjectMetaStruct).at(1) },
  "The metadata of an object of any kind.",
);

/** With the metadata that objects have at the level. */
export const partialMetadataAt = (level: Release): StructSchema =>
  atLevel(level).schema(PartialObjectMetadataStruct.schema as StructSchema); // made by struct()

/** By kind, for the encoders, as they are at every level; kinds that are not listed (Table) have no protobuf form. */
export const metaSchemas: ReadonlyMap<string, StructSchema> = new Map(
  Object.entries({
    Status: StatusStruct,
    DeleteOptions: DeleteOptionsStruct,
    APIVersions: APIVersionsStruct,
    APIGroup: APIGroupStruct,
    APIGroupList: APIGroupListStruct,
    APIResourceList: APIResourceListStruct,
    APIGroupDiscoveryList: APIGroupDiscoveryListStruct,
    // struct() makes struct schemas.
  }).map(([kind, field]) => [kind, field.schema as StructSchema]),
);
