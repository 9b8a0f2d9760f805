/** The operations at the path of one object, and of its subresources. */

import { patchMediaTypes } from "../patch/media-types.ts";
import type { BoundKind, BoundSubresource } from "../schema/catalog.ts";
import type { GroupVersionKind, Verb } from "../schema/kind.ts";
import { gvkOf } from "./definitions.ts";
import type { Method, OpenApiSchema, Parameter } from "./document.ts";
import { type PlannedOperation, type SharedParts, subjectOf } from "./operations.ts";
import { body, optionsOf } from "./parameters.ts";

/** What the path of an object, or of one of its subresources, is about. */
interface ObjectPath {
  readonly path: string;
  /** "Status"; "": the object itself. */
  readonly suffix: string;
  readonly verbs: ReadonlySet<Verb>;
  readonly object: OpenApiSchema;
  /** What a delete answers with. */
  readonly deleted: OpenApiSchema;
  readonly gvk: GroupVersionKind;
  /** What a read takes in the query. */
  readonly options: readonly Parameter[];
  /** Of a read; absent: the types of objects. */
  readonly produces?: readonly string[];
}

/** Path, subject and kind are added where it is used. */
interface ObjectOperation
  extends Pick<PlannedOperation, "method" | "parameters" | "consumes" | "produces" | "answer" | "codes"> {
  readonly verb: Verb;
  /** The verb of the operation's id. */
  readonly id: string;
  /** The verb of the description; absent: that of the id. */
  readonly does?: string;
}

export function operationsOfObject(kind: BoundKind, of: ObjectPath, parts: SharedParts): PlannedOperation[] {
  const { path, suffix, gvk, verbs } = of;
  const subject = `${subjectOf(kind)}${suffix}`;
  const what = `${suffix === "" ? "an object" : `the ${suffix.toLowerCase()} of an object`} of kind ${kind.kind}`;
  return operationsByVerb(of, parts)
    .filter(({ verb }) => verbs.has(verb))
    .map(({ verb: _, id, does = id, ...operation }) => {
      const description = `${does} ${what}`;
      return { ...operation, path, action: operation.method, id: [id, subject], description, gvk };
    });
}

const patchTypes: readonly string[] = Object.values(patchMediaTypes);

function operationsByVerb(
  { object, deleted, options, produces }: ObjectPath,
  { parameters, patch, deleteOptions }: SharedParts,
): readonly ObjectOperation[] {
  return [
    { verb: "get", method: "get", id: "read", parameters: options, answer: object, ...(produces && { produces }) },
    {
      verb: "update",
      method: "put",
      id: "replace",
      parameters: [body(object, true), ...parameters.write],
      answer: object,
      codes: [200, 201],
    },
    {
      verb: "patch",
      method: "patch",
      id: "patch",
      does: "change",
      parameters: [body(patch, true), ...parameters.patch],
      consumes: patchTypes,
      answer: object,
    },
    {
      verb: "create",
      method: "post",
      id: "create",
      parameters: [body(object, true), ...parameters.write],
      answer: object,
      codes: [200, 201, 202],
    },
    {
      verb: "delete",
      method: "delete",
      id: "delete",
      parameters: [body(deleteOptions, false), ...parameters.delete],
      answer: deleted,
      codes: [200, 202],
    },
  ];
}

const connectMethods: Readonly<Partial<Record<Verb, Method>>> = {
  get: "get",
  create: "post",
  update: "put",
  patch: "patch",
  delete: "delete",
};

/** Of a subresource that is a connection, such as `exec` of pods. */
export function operationsOfConnection(
  kind: BoundKind,
  path: string,
  suffix: string,
  subresource: BoundSubresource,
): PlannedOperation[] {
  const gvk = { ...gvkOf(kind), kind: subresource.shownKind ?? kind.kind };
  return subresource.verbs.flatMap((verb) => {
    const method = connectMethods[verb];
    if (method === undefined) return [];
    const operation: PlannedOperation = {
      path,
      method,
      action: "connect",
      id: ["connect", `${method[0]?.toUpperCase()}${method.slice(1)}${subjectOf(kind)}${suffix}`],
      description: `connect to the ${subresource.name} of an object of kind ${kind.kind}`,
      parameters: optionsOf(subresource),
      produces: ["*/*"],
      answer: { type: "string" },
      gvk,
    };
    return [operation];
  });
}
