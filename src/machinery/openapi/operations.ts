/** What the operations of a path say, before they are written for the group and version of a kind. */

import type { BoundKind } from "../schema/catalog.ts";
import type { Environment } from "../schema/environment.ts";
import type { GroupVersionKind } from "../schema/kind.ts";
import type { Method, OpenApiSchema, Parameter, Response } from "./document.ts";
import type { parametersOf } from "./parameters.ts";

export interface PlannedOperation {
  readonly path: string;
  readonly method: Method;
  /** The value of the extension "action". */
  readonly action: string;
  /** "list", "CoreV1" and "NamespacedPod" make the operation's id. */
  readonly id: readonly [verb: string, subject: string];
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly consumes?: readonly string[];
  readonly produces?: readonly string[];
  readonly answer: OpenApiSchema;
  readonly codes?: readonly number[];
  readonly deprecated?: boolean;
  /** Set if it is not the kind of the path. */
  readonly gvk?: GroupVersionKind;
}

/** What operations of all kinds refer to. */
export interface SharedParts {
  readonly parameters: ReturnType<typeof parametersOf>;
  readonly types: MediaTypes;
  readonly status: OpenApiSchema;
  readonly deleteOptions: OpenApiSchema;
  readonly watchEvent: OpenApiSchema;
  readonly patch: OpenApiSchema;
}

/** In which types objects and lists are answered. */
interface MediaTypes {
  readonly object: readonly string[];
  readonly list: readonly string[];
}

export function mediaTypesOf({ vocabulary: { protobufMediaType } }: Environment): MediaTypes {
  const object = ["application/json", "application/yaml", protobufMediaType];
  return { object, list: [...object, "application/json;stream=watch", `${protobufMediaType};stream=watch`] };
}

const sentences: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

/** `codes`: of success. */
export function responsesOf({ answer, codes = [200] }: PlannedOperation): Readonly<Record<string, Response>> {
  const responses: Record<string, Response> = {};
  for (const code of codes) responses[code] = { description: sentences[code] ?? "OK", schema: answer };
  responses["401"] = { description: "Unauthorized" };
  return responses;
}

/** What ids of operations call the objects of a kind: "NamespacedPod". */
export const subjectOf = ({ namespaced, kind }: BoundKind): string => `${namespaced ? "Namespaced" : ""}${kind}`;

export function pathsOf(kind: BoundKind): { base: string; collection: string; item: string } {
  const base = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const collection = `${base}/${kind.namespaced ? "namespaces/{namespace}/" : ""}${kind.resource}`;
  return { base, collection, item: `${collection}/{name}` };
}
