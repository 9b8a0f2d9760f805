/** Questions about access: whether, why, who else, and certificate requests with the decision about them. */

import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { apiVersionOf, collectionPath, objectPath, withQuery } from "../../client/requests/address.ts";
import { reviewRequest, verdictOf } from "../../operations/review.ts";
import type { Connection } from "./connection.ts";
import { type Json, part, parts, text } from "./json.ts";

/** A request that somebody could make. */
export interface Question {
  /** "": the user of this console. */
  readonly user: string;
  readonly groups: readonly string[];
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** "": all, or the resource has none. */
  readonly namespace: string;
  readonly name: string;
}

export interface Verdict {
  readonly isAllowed: boolean;
  readonly reason: string;
}

interface Asked {
  readonly connection: Connection;
  readonly discovery: Discovery;
  readonly signal?: AbortSignal;
}

/** All authorizers of the server are asked. */
export async function ask(asked: Asked, question: Question): Promise<Verdict> {
  const isSelf = question.user === "";
  const answer = await review(asked, isSelf ? "selfsubjectaccessreviews" : "subjectaccessreviews", specOf(question));
  const { isAllowed = false, reason } = verdictOf(answer);
  return { isAllowed, reason };
}

export interface Attempt {
  readonly status: number;
  /** What the server says about a refusal, or how much it has answered. */
  readonly message: string;
}

/** The verbs that can be tried: those that only read. */
export const triedVerbs: ReadonlySet<string> = new Set(["get", "list"]);

/** Sends the request as the user. What it reads is not shown, only how the server answers. */
export async function tryAs(asked: Asked, resource: DiscoveredResource, question: Question): Promise<Attempt> {
  const { user, verb, namespace, name, subresource } = question;
  const path =
    verb === "list" || name === ""
      ? withQuery(collectionPath(resource, resource.namespaced ? namespace : undefined), { limit: 500 })
      : `${objectPath(resource, { namespace, name })}${subresource === "" ? "" : `/${subresource}`}`;
  const answer = await asked.connection.readAs(user, path);
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) return { status: answer.status, message: text(body, "message") };
  const count = parts(body, "items").length;
  return {
    status: answer.status,
    message: text(body, "kind").endsWith("List") ? `${count} objects` : text(body, "kind"),
  };
}

/** Which bindings, roles and rules allow it, or nearly do. Undefined: the server does not explain. */
export async function explain(asked: Asked, question: Question): Promise<Json | undefined> {
  if (question.user === "" || asked.discovery.find("accessexplanations") === undefined) return undefined;
  return part(await review(asked, "accessexplanations", specOf(question)), "status");
}

/** Everybody whom roles allow it. Undefined: the server does not tell. */
export async function holdersOf(asked: Asked, question: Question): Promise<Json | undefined> {
  if (asked.discovery.find("accessholders") === undefined) return undefined;
  const { resourceAttributes } = specOf(question);
  return part(await review(asked, "accessholders", { resourceAttributes }), "status");
}

function specOf({ user, groups, verb, group, resource, subresource, namespace, name }: Question) {
  const resourceAttributes = { verb, group, resource, subresource, namespace, name };
  return user === ""
    ? { resourceAttributes }
    : { user, groups: groups.length > 0 ? groups : groupsOf(user), resourceAttributes };
}

/** The groups that a server gives every user, and every service account. */
function groupsOf(user: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(user) ?? [];
  const own = namespace === undefined ? [] : ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
  return [...own, "system:authenticated"];
}

async function review({ connection, discovery, signal }: Asked, resource: string, spec: Json): Promise<unknown> {
  const found = discovery.find(resource);
  if (found === undefined) throw new Error(`The server does not serve ${resource}.`);
  const { path, body } = reviewRequest(found, spec);
  return connection.send.json(path, { body, signal });
}

export const matrixVerbs = ["get", "list", "watch", "create", "update", "patch", "delete"] as const;
/** A browser has six connections to a host, and watches need some. */
const questionsAtOnce = 4;

/** Asks for each verb of each resource, and calls back after each resource. */
export async function fillMatrix(
  asked: Asked,
  who: Pick<Question, "user" | "groups" | "namespace">,
  resources: readonly DiscoveredResource[],
  show: (resource: DiscoveredResource, allowed: ReadonlySet<string>) => void,
): Promise<void> {
  const waiting = [...resources].reverse();
  const work = async () => {
    for (let resource = waiting.pop(); resource !== undefined; resource = waiting.pop()) {
      if (asked.signal?.aborted) return;
      const { group, resource: plural, verbs, namespaced } = resource;
      const allowed = new Set<string>();
      for (const verb of matrixVerbs.filter((one) => verbs.includes(one))) {
        const namespace = namespaced ? who.namespace : "";
        const question = { ...who, verb, group, resource: plural, subresource: "", namespace, name: "" };
        if ((await ask(asked, question)).isAllowed) allowed.add(verb);
      }
      show(resource, allowed);
    }
  };
  await Promise.all(Array.from({ length: questionsAtOnce }, work));
}

/** The decision is a condition; the server refuses it if the request has changed since. */
export async function decide(
  { write }: Connection,
  resource: DiscoveredResource,
  request: Json,
  type: "Approved" | "Denied",
): Promise<void> {
  const condition = {
    type,
    status: "True",
    reason: `Console${type === "Approved" ? "Approve" : "Deny"}`,
    message: `This CSR was ${type.toLowerCase()} in the console.`,
  };
  const conditions = [...parts(request, "status", "conditions"), condition];
  const body = {
    ...request,
    kind: resource.kind,
    apiVersion: apiVersionOf(resource),
    status: { ...part(request, "status"), conditions },
  };
  await write.json(objectPath(resource, { name: text(request, "metadata", "name") }, "approval"), {
    method: "PUT",
    body,
  });
}
