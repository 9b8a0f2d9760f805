/** The parts of a definition that have the same shape in both versions, under different type names. */

import { isDns1035Label } from "../../../machinery/meta/names.ts";
import { elided, int64, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { conditionFields } from "../../common-fields.ts";

type Version = "v1" | "v1beta1";

const kindProblems = (kind: string): readonly string[] => isDns1035Label(kind.toLowerCase());

/** A path as columns and subresources have it. */
export const pathProblems = (path: string): readonly string[] =>
  path.startsWith(".") ? [] : ["must be a path that begins with a dot"];

const pathUnder =
  (...roots: readonly string[]) =>
  (path: string): readonly string[] => {
    const problems = pathProblems(path);
    if (problems.length > 0 || roots.some((root) => path.startsWith(root))) return problems;
    return [`must be a path under ${roots.join(" or ")}`];
  };

export const definitionNames = (version: Version) =>
  struct(`apiextensions.${version}.CustomResourceDefinitionNames`, {
    plural: string()
      .at(1)
      .named("label1035")
      .orEmpty()
      .immutable()
      .doc(
        "The name of the resource in paths: /apis/GROUP/VERSION/namespaces/NAMESPACE/PLURAL; in lower case. Must match the part of metadata.name before the first dot.",
      ),
    singular: elided(string())
      .at(2)
      .named("label1035")
      .doc("The singular name for command lines, in lower case. Default: the kind in lower case."),
    shortNames: elided(list(string().named("label1035")))
      .at(3)
      .doc("Abbreviations for command lines, in lower case."),
    kind: string().at(4).named(kindProblems).orEmpty().doc("The kind of the objects, in CamelCase and singular."),
    listKind: elided(string()).at(5).named(kindProblems).doc("The kind of lists. Default: the kind followed by List."),
    categories: elided(list(string().named("label1035")))
      .at(6)
      .doc("Groups of resources that include this one, such as all."),
  });
export type DefinitionNames = Static<ReturnType<typeof definitionNames>>;

export const definitionStatus = (version: Version) => {
  const condition = struct(`apiextensions.${version}.CustomResourceDefinitionCondition`, {
    ...conditionFields(
      "NamesAccepted, Established, NonStructuralSchema, Terminating or KubernetesAPIApprovalPolicyConformant.",
    ),
    observedGeneration: elided(int64())
      .at(6)
      .since("1.35")
      .doc(
        "The metadata.generation that the condition was computed from; needs the feature gate CRDObservedGenerationTracking.",
      ),
  });
  return struct(`apiextensions.${version}.CustomResourceDefinitionStatus`, {
    conditions: list(condition, { topology: "map", keys: ["type"], keepsEmpty: true })
      .listed(false)
      .at(1)
      .doc("The current state of the definition, one entry for each condition type."),
    acceptedNames: definitionNames(version)
      .listed(false)
      .at(2)
      .doc("The names that are served; they differ from spec.names if there is a conflict."),
    storedVersions: list(string(), { keepsEmpty: true })
      .listed(false)
      .at(3)
      .doc(
        "Every version that objects were ever stored in; remove a version only after all its objects were migrated.",
      ),
    observedGeneration: elided(int64())
      .at(4)
      .since("1.35")
      .doc(
        "The metadata.generation that the status was computed from; needs the feature gate CRDObservedGenerationTracking.",
      ),
  });
};
export type DefinitionStatus = Static<ReturnType<typeof definitionStatus>>;

export const definitionSubresources = (version: Version) =>
  struct(`apiextensions.${version}.CustomResourceSubresources`, {
    status: optional(struct(`apiextensions.${version}.CustomResourceSubresourceStatus`, {}))
      .at(1)
      .doc(
        "Present, even if empty: objects have a status subresource, writes to the object ignore status, and writes to /status ignore everything else.",
      ),
    scale: optional(
      struct(`apiextensions.${version}.CustomResourceSubresourceScale`, {
        specReplicasPath: string()
          .at(1)
          .required()
          .named(pathUnder(".spec."))
          .doc(
            "JSON path below .spec, without array notation, where the desired number of replicas is read and written, such as .spec.replicas.",
          ),
        statusReplicasPath: string()
          .at(2)
          .required()
          .named(pathUnder(".status."))
          .doc(
            "JSON path below .status, without array notation, where the observed number of replicas is read. If there is no value, 0 is shown.",
          ),
        labelSelectorPath: optional(string())
          .at(3)
          .named(pathUnder(".spec.", ".status."))
          .orEmpty()
          .doc(
            "JSON path below .status or .spec, without array notation, of a label selector in text form; needed by the horizontal pod autoscaler.",
          ),
      }),
    )
      .at(2)
      .doc("Present: objects have a scale subresource that shows and changes the number of replicas."),
  });
export const selectableField = (version: Version) =>
  struct(`apiextensions.${version}.SelectableField`, {
    jsonPath: string()
      .at(1)
      .required()
      .doc(
        "JSON path of a text, an integer or a boolean outside metadata, without array notation, such as .spec.color. Objects without a value are selected as if it were empty.",
      ),
  });
export type SelectableField = Static<ReturnType<typeof selectableField>>;

export type DefinitionSubresources = Static<ReturnType<typeof definitionSubresources>>;
