/** The CustomResourceDefinition of a declaration. */

import type { CustomResourceDefinition } from "../../api/apiextensions/v1/custom-resource-definition.ts";
import type { Field, Presence } from "../../machinery/schema/schema.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { AnyDeclaration, AnyVersion, ConversionWebhook, DefinitionOptions } from "./define-resource.ts";
import { definitionSchema } from "./definition-schema.ts";

type Spec = CustomResourceDefinition["spec"];

/** Throws a TypeError where a definition cannot say what the declaration does. */
export function definitionOf(
  declared: AnyDeclaration,
  vocabularyName: "orch" | "kubernetes",
  { conversion }: DefinitionOptions = {},
): CustomResourceDefinition {
  const { group, version, kind, resource, singular = kind.toLowerCase(), shortNames, categories } = declared;
  const { scope = "Namespaced", versions = {}, storage = version } = declared;
  const vocabulary = vocabularyOf(vocabularyName);
  if (Object.hasOwn(versions, version)) throw new TypeError(`the version ${version} of ${kind} is declared twice`);
  const all = [[version, declared] as const, ...Object.entries(versions)];
  if (!all.some(([name]) => name === storage)) throw new TypeError(`${kind} has no version ${storage} to be stored in`);
  return {
    apiVersion: `${vocabulary.group("apiextensions.orch.io")}/v1`,
    kind: "CustomResourceDefinition",
    metadata: { name: `${resource}.${group}` },
    spec: {
      group,
      scope,
      names: {
        plural: resource,
        singular,
        kind,
        ...(shortNames === undefined ? {} : { shortNames: [...shortNames] }),
        ...(categories === undefined ? {} : { categories: [...categories] }),
      },
      versions: all.map(([name, shape]) => versionOf(name, shape, name === storage, vocabulary)),
      ...conversionOf(declared, conversion),
    },
  };
}

function versionOf(
  name: string,
  shape: AnyVersion,
  isStored: boolean,
  vocabulary: Vocabulary,
): Spec["versions"][number] {
  const { fields, doc = "", columns = [], scale, rules = [], keywords = {}, served = true, deprecated = false } = shape;
  const selectable = (shape.selectable ?? []).map((jsonPath) => ({ jsonPath }));
  const subresources = {
    ...("status" in fields ? { status: {} } : {}),
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
  const members = new Map<string, Field<unknown, Presence>>(Object.entries(fields));
  return {
    name,
    served,
    storage: isStored,
    ...(deprecated === false ? {} : { deprecated: true }),
    ...(typeof deprecated === "string" ? { deprecationWarning: deprecated } : {}),
    schema: {
      openAPIV3Schema: definitionSchema({ fields: members, doc, rules, keywords }, vocabulary.extensionPrefix),
    },
    ...(Object.keys(subresources).length === 0 ? {} : { subresources }),
    ...(shown.length === 0 ? {} : { additionalPrinterColumns: [...shown, age] }),
    ...(selectable.length === 0 ? {} : { selectableFields: selectable }),
  };
}

/** Versions with the same members need no webhook. */
function conversionOf(declared: AnyDeclaration, webhook: ConversionWebhook | undefined): Pick<Spec, "conversion"> {
  const further = Object.entries(declared.versions ?? {});
  for (const [name, { toHub, fromHub }] of further)
    if ((toHub === undefined) !== (fromHub === undefined))
      throw new TypeError(`the version ${name} of ${declared.kind} must have both toHub and fromHub, or neither`);
  if (!further.some(([, { toHub }]) => toHub !== undefined)) return {};
  if (webhook?.url === undefined && webhook?.service === undefined)
    throw new TypeError(
      `the versions of ${declared.kind} differ: "conversion" must say where a webhook converts them, as a url or a service`,
    );
  const { url, service, authority } = webhook;
  return {
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: {
          ...(url === undefined ? {} : { url }),
          ...(service === undefined ? {} : { service: { path: "/convert", ...service } }),
          ...(authority === undefined ? {} : { caBundle: Buffer.from(authority).toString("base64") }),
        },
      },
    },
  };
}
