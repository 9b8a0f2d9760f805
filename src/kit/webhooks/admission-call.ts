/** A request that a webhook is asked about, by what it does to the object. */

import type { AnyObject } from "../../client/contract.ts";
import { isObject, type JsonObject } from "../../machinery/json/json-value.ts";
import type { ApiObject } from "../../machinery/schema/kind.ts";

interface AdmissionFacts {
  /** In the names of the server. */
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  /** "" for the object itself. */
  readonly subresource: string;
  /** "": it is still to be generated. */
  readonly name: string;
  /** "" for cluster-wide kinds. */
  readonly namespace: string;
  readonly user: AdmissionUser;
  /** The options of the request, such as CreateOptions; undefined: the server sent none. */
  readonly options: ApiObject | undefined;
  readonly dryRun: boolean;
  /** Tells the user something without refusing the request. */
  warn(message: string): void;
}

/**
 * Who sent the request that a webhook is asked about.
 * @example
 * if (!call.user.groups.includes("editors")) throw new Error("only editors may");
 */
export interface AdmissionUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/**
 * An object that is about to be created.
 * @example
 * if (call.operation === "CREATE") console.log(call.object.metadata.name);
 */
export interface CreateCall<T extends AnyObject> extends AdmissionFacts {
  readonly operation: "CREATE";
  readonly object: T;
  readonly old: null;
}

/**
 * An object that is about to be changed.
 * @example
 * if (call.operation === "UPDATE" && call.object.spec.size < call.old.spec.size) throw new Error("it must not shrink");
 */
export interface UpdateCall<T extends AnyObject> extends AdmissionFacts {
  readonly operation: "UPDATE";
  readonly object: T;
  readonly old: T;
}

/**
 * An object that is about to be deleted.
 * @example
 * if (call.operation === "DELETE") console.log(call.old.metadata.name);
 */
export interface DeleteCall<T extends AnyObject> extends AdmissionFacts {
  readonly operation: "DELETE";
  readonly object: null;
  /** What is deleted. */
  readonly old: T;
}

/**
 * A connection to an object, such as an exec.
 * @example
 * if (call.operation === "CONNECT" && call.resource.resource === "pods") throw new Error("no shells here");
 */
export interface ConnectCall extends AdmissionFacts {
  readonly operation: "CONNECT";
  /** The options of the connection, such as PodExecOptions. */
  readonly object: ApiObject;
  readonly old: null;
}

/**
 * A request that is about to be carried out. `operation` tells which of the objects there are.
 * @example
 * if (call.operation === "DELETE" && call.old.metadata.labels?.keep) throw new Error("it is kept");
 */
export type AdmissionCall<T extends AnyObject> = CreateCall<T> | UpdateCall<T> | DeleteCall<T> | ConnectCall;

/**
 * The requests whose object can be changed.
 * @example
 * const label = ({ object }: MutatingCall<ConfigMap>) => void (object.metadata.labels = { seen: "yes" });
 */
export type MutatingCall<T extends AnyObject> = CreateCall<T> | UpdateCall<T>;

export const isMutating = <T extends AnyObject>(call: AdmissionCall<T>): call is MutatingCall<T> =>
  call.operation === "CREATE" || call.operation === "UPDATE";

/** The server sends objects of the kinds that the webhook is for, in the places that the operation has. */
export function admissionCallOf<T extends AnyObject>(
  request: JsonObject,
  warn: (message: string) => void,
): AdmissionCall<T> {
  const given = (name: string) => (isObject(request[name]) ? request[name] : undefined);
  const textIn = (from: JsonObject | undefined, name: string) => String(from?.[name] ?? "");
  const [kind, resource, user] = [given("kind"), given("resource"), given("userInfo")];
  const names = (from: JsonObject | undefined) => ({ group: textIn(from, "group"), version: textIn(from, "version") });
  const groups = user?.["groups"];
  return {
    operation: request["operation"],
    kind: { ...names(kind), kind: textIn(kind, "kind") },
    resource: { ...names(resource), resource: textIn(resource, "resource") },
    subresource: textIn(request, "subResource"),
    name: textIn(request, "name"),
    namespace: textIn(request, "namespace"),
    object: given("object") ?? null,
    old: given("oldObject") ?? null,
    options: given("options"),
    user: {
      name: textIn(user, "username"),
      uid: textIn(user, "uid"),
      groups: Array.isArray(groups) ? groups.map(String) : [],
      extra: isObject(user?.["extra"]) ? user["extra"] : {},
    },
    dryRun: request["dryRun"] === true,
    warn,
  } as AdmissionCall<T>; // the server's word
}
