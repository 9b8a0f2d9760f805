/** Reads the operations of a transaction: each becomes the request that would do it alone. */

import { decodeJsonAsync, encodeJson } from "../../machinery/json/json.ts";
import type { Catalog, Family } from "../../machinery/schema/catalog.ts";
import { badRequest } from "../../machinery/status/status.ts";
import type { ObjectRef } from "../../registry/contract/entry.ts";
import type { Delegate } from "../contract/routes.ts";
import { transactionOperationsMax, transactionsGroup, transactionsVersion } from "../contract/transactions.ts";

const operationNames = ["create", "update", "apply", "patch", "delete", "expect"] as const;
type OperationName = (typeof operationNames)[number];

/** What an object must be for `expect` to hold. */
interface Expectation {
  readonly isAbsent: boolean;
  readonly resourceVersion: string | undefined;
  readonly uid: string | undefined;
}

export interface ReadOperation {
  /** "spec.operations[3]". */
  readonly path: string;
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly family: Family;
  readonly ref: ObjectRef;
  /** Undefined: it writes. */
  readonly expectation: Expectation | undefined;
  /** What a person calls it: `create configmaps "a"`. */
  readonly title: string;
}

interface ReadOptions {
  readonly catalog: Catalog;
  readonly delegate: Delegate | undefined;
  /** The query that every operation inherits: "dryRun=All&fieldManager=x". */
  readonly inherited: URLSearchParams;
}

type Members = Readonly<Record<string, unknown>>;

/** Throws 400 for what is not a list of operations, each on an object of its own. */
export async function readOperations(bytes: Buffer, options: ReadOptions): Promise<readonly ReadOperation[]> {
  const value = await decodeJsonAsync(bytes, { keepNumberForm: true });
  if (!isMembers(value)) throw badRequest("the body must be an object");
  const type = `${transactionsGroup}/${transactionsVersion}`;
  if (value["kind"] !== "Transaction" || value["apiVersion"] !== type)
    throw badRequest(`the body must be a Transaction of ${type}`);
  const spec = value["spec"];
  const listed = isMembers(spec) ? spec["operations"] : undefined;
  if (!Array.isArray(listed) || listed.length === 0) throw badRequest("spec.operations must be a list of operations");
  if (listed.length > transactionOperationsMax)
    throw badRequest(`spec.operations must not have more than ${transactionOperationsMax} operations`);
  const operations = listed.map((one: unknown, at) => readOperation(one, `spec.operations[${at}]`, options));
  refuseRepeated(operations);
  return operations;
}

function readOperation(value: unknown, path: string, options: ReadOptions): ReadOperation {
  const refuse = (why: string) => badRequest(`${path}${why}`);
  if (!isMembers(value)) throw refuse(" must be an object");
  const unknown = Object.keys(value).find((name) => !members.has(name));
  if (unknown !== undefined) throw refuse(`: unknown field "${unknown.slice(0, 100)}"`);
  const name = operationNames.find((known) => known === value["operation"]);
  if (name === undefined) throw refuse(`.operation must be one of ${operationNames.join(", ")}`);
  const { object } = value;
  if (!isMembers(object)) throw refuse(".object must be an object");
  const { kind, ref } = subjectOf(object, `${path}.object`, options);
  if (name !== "create" && ref.name === "") throw refuse(".object.metadata.name is required");
  const subresource = textOf(value, "subresource", path);
  const collection = `${kind.group === "" ? "/api" : `/apis/${kind.group}`}/${kind.version}${
    kind.namespaced ? `/namespaces/${encodeURIComponent(ref.namespace)}` : ""
  }/${kind.resource}`;
  const named = `${collection}/${encodeURIComponent(ref.name)}`;
  const request = requestOf(name, value, path);
  if (subresource !== "") {
    const found = kind.subresources.get(subresource);
    const isWritten = name === "update" || name === "patch" || name === "apply";
    if (found === undefined || found.action !== undefined || !isWritten)
      throw refuse(
        `.subresource: ${name} of ${kind.resource}/${subresource.slice(0, 100)} cannot be part of a transaction`,
      );
  }
  const query = new URLSearchParams(name === "expect" ? "" : options.inherited);
  for (const [key, text] of Object.entries(request.query)) query.set(key, text);
  const address = name === "create" ? collection : subresource === "" ? named : `${named}/${subresource}`;
  return {
    path,
    method: request.method,
    target: query.size === 0 ? address : `${address}?${query}`,
    headers: request.type === "" ? {} : { "content-type": request.type },
    body: request.body === undefined ? "" : encodeJson(request.body),
    family: kind.family,
    ref,
    expectation: name === "expect" ? expectationOf(value, path) : undefined,
    title: `${name} ${kind.resource} "${ref.name.slice(0, 253)}"`,
  };
}

const members: ReadonlySet<string> = new Set([
  "operation",
  "object",
  "subresource",
  "patch",
  "patchType",
  "fieldManager",
  "force",
  "options",
  "absent",
]);

/** The kind and the name of the object of an operation. */
function subjectOf(object: Members, path: string, { catalog, delegate }: ReadOptions) {
  const apiVersion = textOf(object, "apiVersion", path);
  const kindName = textOf(object, "kind", path);
  const slash = apiVersion.indexOf("/");
  const group = slash < 0 ? "" : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const shown = `${kindName.slice(0, 100)} of ${apiVersion.slice(0, 100)}`;
  if (delegate?.serves(group, version)) throw badRequest(`${path}: ${shown} is served by another server`);
  const kind = catalog.byKind(group, version, kindName);
  if (kind === undefined) throw badRequest(`${path}: there is no kind ${shown}`);
  if (kind.declaration.action !== undefined) throw badRequest(`${path}: a ${kindName} is answered and not stored`);
  const { metadata = {} } = object;
  if (!isMembers(metadata)) throw badRequest(`${path}.metadata must be an object`);
  const namespace = textOf(metadata, "namespace", `${path}.metadata`);
  const name = textOf(metadata, "name", `${path}.metadata`);
  if (kind.namespaced && namespace === "") throw badRequest(`${path}.metadata.namespace is required`);
  return { kind, ref: { namespace: kind.namespaced ? namespace : "", name } };
}

interface PlainRequest {
  readonly method: string;
  /** The content type; "": there is no body. */
  readonly type: string;
  readonly body: unknown;
  readonly query: Readonly<Record<string, string>>;
}

const patchTypes: ReadonlyMap<string, string> = new Map([
  ["merge", "application/merge-patch+json"],
  ["strategic", "application/strategic-merge-patch+json"],
  ["json", "application/json-patch+json"],
]);

function requestOf(name: OperationName, value: Members, path: string): PlainRequest {
  const fieldManager = textOf(value, "fieldManager", path);
  const query = fieldManager === "" ? {} : { fieldManager };
  const { object } = value;
  switch (name) {
    case "create":
      return { method: "POST", type: "application/json", body: object, query };
    case "update":
      return { method: "PUT", type: "application/json", body: object, query };
    case "apply": {
      const force = value["force"] === true ? { force: "true" } : {};
      return { method: "PATCH", type: "application/apply-patch+yaml", body: object, query: { ...query, ...force } };
    }
    case "patch": {
      const type = patchTypes.get(textOf(value, "patchType", path) || "merge");
      if (type === undefined) throw badRequest(`${path}.patchType must be one of ${[...patchTypes.keys()].join(", ")}`);
      if (value["patch"] === undefined) throw badRequest(`${path}.patch is required`);
      return { method: "PATCH", type, body: value["patch"], query };
    }
    case "delete": {
      const { options } = value;
      if (options !== undefined && !isMembers(options)) throw badRequest(`${path}.options must be an object`);
      const body = options === undefined ? undefined : { kind: "DeleteOptions", apiVersion: "v1", ...options };
      return { method: "DELETE", type: body === undefined ? "" : "application/json", body, query: {} };
    }
    case "expect":
      return { method: "GET", type: "", body: undefined, query: {} };
  }
}

function expectationOf(value: Members, path: string): Expectation {
  const object = value["object"] as Members; // it has been read as an object
  const metadata = (object["metadata"] ?? {}) as Members; // as above
  const resourceVersion = textOf(metadata, "resourceVersion", `${path}.object.metadata`);
  const uid = textOf(metadata, "uid", `${path}.object.metadata`);
  const isAbsent = value["absent"] === true;
  if (isAbsent && (resourceVersion !== "" || uid !== ""))
    throw badRequest(`${path}: an object that is to be absent has neither uid nor resourceVersion`);
  return { isAbsent, resourceVersion: resourceVersion || undefined, uid: uid || undefined };
}

/** Each object is changed once, and what is expected of it is said before. */
function refuseRepeated(operations: readonly ReadOperation[]): void {
  const changed = new Map<string, string>();
  for (const { family, ref, path, expectation } of operations) {
    if (ref.name === "") continue; // its name is generated
    const key = `${family.id}/${ref.namespace}/${ref.name}`;
    const before = changed.get(key);
    if (before !== undefined)
      throw badRequest(
        expectation === undefined
          ? `${path}: ${before} changes the same object, and a transaction can change an object only once`
          : `${path}: ${before} changes the object, so it must come after what is expected of it`,
      );
    if (expectation === undefined) changed.set(key, path);
  }
}

const isMembers = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function textOf(value: Members, name: string, path: string): string {
  const text = value[name] ?? "";
  if (typeof text !== "string") throw badRequest(`${path}.${name} must be a string`);
  return text;
}
