/** `defineResource()`: one declaration gives the type of a custom resource, its definition, and the names that a client needs. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { ServedKind } from "../../client/contract.ts";
import { type Fields, int64, list, optional, type StaticFields, string, struct } from "../../machinery/schema/build.ts";
import type { Scope, StaticObject } from "../../machinery/schema/kind.ts";
import type { Field, Presence } from "../../machinery/schema/schema.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Condition } from "../objects/conditions.ts";
import { definitionSchema } from "./definition-schema.ts";

export interface ResourceDeclaration<F extends Fields> {
  /** A domain of yours: "example.com". */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The name in paths: "widgets". */
  readonly plural: string;
  /** Default: the kind in lower case. */
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  /** Default: "Namespaced". */
  readonly scope?: Scope;
  /** One sentence that describes the kind. */
  readonly doc?: string;
  /** All members but apiVersion, kind and metadata. A member `status` is written through its own path. */
  readonly fields: F;
  /** Besides the name and the age. */
  readonly columns?: readonly DefinedColumn[];
  /** Makes `scale` work: where the number of replicas is, ".spec.replicas". */
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
}

export interface DefinedColumn {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** ".spec.size". */
  readonly path: string;
  readonly doc?: string;
  /** Above 0: only in wide output. */
  readonly priority?: number;
}

/** A kind of your own: `client.of(Widget)`, `type Widget = Static<typeof Widget>`. */
export interface DefinedResource<T> extends ServedKind<T> {
  /** The object that makes a server serve it, in the names of a vocabulary. */
  definition(vocabulary: "orch" | "kubernetes"): CustomResourceDefinition;
}

/** An object with these members; names of types are not needed here. */
export const object = <F extends Fields>(
  fields: F,
  options: { readonly doc?: string; readonly topology?: "atomic" | "granular" } = {},
): Field<StaticFields<F>, "required"> => struct("", fields, options);

/** The conditions of a status, which `withCondition` changes. */
export function conditionList(): Field<Condition[], "required"> {
  const condition = object({
    type: string().filled().doc("What the condition is about, in CamelCase."),
    status: string().oneOf(["True", "False", "Unknown"]),
    reason: string().filled().doc("Why it has this status, in one word."),
    message: string().doc("The same for people."),
    lastTransitionTime: string().doc("When the status changed last."),
    observedGeneration: optional(int64()).doc("The generation of the object that the condition is about."),
  });
  const conditions = list(condition, { topology: "map", keys: ["type"] });
  return conditions as unknown as Field<Condition[], "required">; // the rule on its status says the same
}

export function defineResource<const F extends Fields>(
  declared: ResourceDeclaration<F>,
): DefinedResource<StaticObject<F>> {
  const { group, version, kind, plural, scope = "Namespaced" } = declared;
  // Says at once what a definition cannot express.
  schemaOf(declared, "x-orch-");
  return {
    group,
    version,
    kind,
    resource: plural,
    scope,
    definition: (name) => definitionOf(declared, vocabularyOf(name)),
  };
}

const schemaOf = ({ fields, doc = "" }: ResourceDeclaration<Fields>, prefix: string) =>
  definitionSchema(new Map<string, Field<unknown, Presence>>(Object.entries(fields)), doc, prefix);

function definitionOf(
  declared: ResourceDeclaration<Fields>,
  vocabulary: ReturnType<typeof vocabularyOf>,
): CustomResourceDefinition {
  const { group, version, kind, plural, singular = kind.toLowerCase(), shortNames, categories } = declared;
  const { scope = "Namespaced", columns = [], scale } = declared;
  const subresources = {
    ...("status" in declared.fields ? { status: {} } : {}),
    ...(scale === undefined
      ? {}
      : {
          scale: {
            specReplicasPath: scale.spec,
            statusReplicasPath: scale.status,
            ...(scale.selector === undefined ? {} : { labelSelectorPath: scale.selector }),
          },
        }),
  };
  const shown = columns.map(({ name, type, path, doc, priority }) => ({
    name,
    type,
    jsonPath: path,
    ...(doc === undefined ? {} : { description: doc }),
    ...(priority === undefined ? {} : { priority }),
  }));
  const age = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };
  return {
    apiVersion: `${vocabulary.group("apiextensions.orch.io")}/v1`,
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural,
        singular,
        kind,
        ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
        ...(categories === undefined ? {} : { categories: [...categories] }),
      },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schemaOf(declared, vocabulary.extensionPrefix) },
          ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
          ...(shown.length === 0 ? {} : { additionalPrinterColumns: [...shown, age] }),
        },
      ],
    },
  };
}
