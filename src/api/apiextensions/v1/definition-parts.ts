/** The parts of a definition that have the same shape in both versions, under names of their own. */

import type { Static } from "../../../machinery/schema/build.ts";
import { bytes, elided, int32, list, optional, string, struct, time } from "../../../machinery/schema/build.ts";

type Version = "v1" | "v1beta1";

export const definitionNames = (version: Version) =>
  struct(`apiextensions.${version}.CustomResourceDefinitionNames`, {
    plural: string().at(1).doc("The name in paths."),
    singular: elided(string()).at(2).doc("Absent: the kind in lower case."),
    shortNames: elided(list(string())).at(3),
    kind: string().at(4),
    listKind: elided(string()).at(5).doc("Absent: the kind and List."),
    categories: elided(list(string())).at(6).doc("Groups of resources to which it belongs, such as all."),
  });
export type DefinitionNames = Static<ReturnType<typeof definitionNames>>;

export const definitionStatus = (version: Version) => {
  const condition = struct(`apiextensions.${version}.CustomResourceDefinitionCondition`, {
    type: string().at(1),
    status: string().at(2),
    lastTransitionTime: elided(time()).at(3),
    reason: elided(string()).at(4),
    message: elided(string()).at(5),
  });
  return struct(`apiextensions.${version}.CustomResourceDefinitionStatus`, {
    conditions: list(condition, { topology: "map", keys: ["type"], keepsEmpty: true })
      .listed(false)
      .at(1),
    acceptedNames: definitionNames(version).listed(false).at(2).doc("The names that are served."),
    storedVersions: list(string(), { keepsEmpty: true })
      .listed(false)
      .at(3)
      .doc("Versions in which objects may have been stored."),
  });
};
export type DefinitionStatus = Static<ReturnType<typeof definitionStatus>>;

export const definitionSubresources = (version: Version) =>
  struct(`apiextensions.${version}.CustomResourceSubresources`, {
    status: optional(struct(`apiextensions.${version}.CustomResourceSubresourceStatus`, {})).at(1),
    scale: optional(
      struct(`apiextensions.${version}.CustomResourceSubresourceScale`, {
        specReplicasPath: string().at(1),
        statusReplicasPath: string().at(2),
        labelSelectorPath: optional(string()).at(3),
      }),
    ).at(2),
  });
export type DefinitionSubresources = Static<ReturnType<typeof definitionSubresources>>;

/** How a webhook that converts objects is reached. */
export const webhookClientConfig = (version: Version) =>
  struct(`apiextensions.${version}.WebhookClientConfig`, {
    service: optional(
      struct(`apiextensions.${version}.ServiceReference`, {
        namespace: string().at(1),
        name: string().at(2),
        path: optional(string()).at(3),
        port: optional(int32()).at(4).default(443),
      }),
    ).at(1),
    caBundle: elided(bytes()).at(2),
    url: optional(string()).at(3),
  });
export type WebhookClientConfig = Static<ReturnType<typeof webhookClientConfig>>;
