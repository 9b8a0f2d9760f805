/** Several namespaces at once: `-n a,b,'team-*'`, and the namespaces in which the caller may list. */

import type { DiscoveredResource } from "../../client/contract.ts";
import { isForbidden } from "../../client/requests/refusals.ts";
import { reviewRequest, verdictOf } from "../../operations/review.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { nameOf, text } from "../json.ts";
import type { Lookup } from "./lookups.ts";

/** The lookups in each namespace of -n, grouped by type; unchanged if -n names only one. */
export async function inNamespaces(context: Context, lookups: readonly Lookup[]): Promise<readonly Lookup[]> {
  const given = context.flags.namespace;
  if (!/[,*?]/.test(given) || context.flags["all-namespaces"] === true) return lookups;
  const names: string[] = [];
  for (const part of given.split(",").filter((one) => one !== ""))
    names.push(...(/[*?]/.test(part) ? await matching(context, part) : [part]));
  if (names.length === 0) throw new CtlError(`no namespace matches "${given}"`);
  return lookups.flatMap((lookup) =>
    lookup.resource.namespaced ? [...new Set(names)].map((namespace) => ({ ...lookup, namespace })) : [lookup],
  );
}

async function matching(context: Context, pattern: string): Promise<string[]> {
  const form = new RegExp(
    `^${pattern
      .replaceAll(/[.+^${}()|\\[\]]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`,
  );
  return (await allNamespaces(context)).filter((name) => form.test(name));
}

export async function allNamespaces(context: Context): Promise<string[]> {
  const resource = (await context.discovery()).find("namespaces");
  const names: string[] = [];
  if (resource !== undefined) for await (const item of context.at(resource).items()) names.push(nameOf(item));
  return names;
}

/**
 * After the server refused a list of all namespaces: the same lookups in the allowed ones. Undefined: the refusal had
 * another reason.
 */
export async function allowedInstead(context: Context, lookup: Lookup, error: unknown): Promise<Lookup[] | undefined> {
  const { resource, namespace, name } = lookup;
  const isEverywhere = resource.namespaced && namespace === "" && name === undefined;
  if (!context.behaviour.fallsBackToAllowedNamespaces || !isForbidden(error) || !isEverywhere) return undefined;
  const allowed = await allowedNamespaces(context, resource);
  if (allowed.length === 0) {
    context.note(`no namespace is known in which you may list ${resource.resource}; name yours with -n a,b`);
    return undefined;
  }
  context.note(`you may not list ${resource.resource} in all namespaces; showing ${allowed.join(", ")}`);
  return allowed.map((one) => ({ ...lookup, namespace: one }));
}

/** How many access reviews are in progress at once. */
const questionsMax = 20;

async function allowedNamespaces(context: Context, resource: DiscoveredResource): Promise<string[]> {
  const names = await namesToTry(context);
  const allowed: string[] = [];
  for (let at = 0; at < names.length; at += questionsMax) {
    const some = names.slice(at, at + questionsMax);
    const answers = await Promise.all(some.map((name) => mayList(context, resource, name)));
    allowed.push(...some.filter((_, index) => answers[index]));
  }
  return allowed;
}

/** Without the right to list namespaces, uses those in the client configuration. */
async function namesToTry(context: Context): Promise<string[]> {
  try {
    return await allNamespaces(context);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    const configured = [...context.configuration.merged.contexts.values()].map(({ value }) => text(value, "namespace"));
    return [...new Set([context.namespace, ...configured])].filter((name) => name !== "");
  }
}

async function mayList(context: Context, resource: DiscoveredResource, namespace: string): Promise<boolean> {
  const group = (await context.vocabulary()).group("authorization.orch.io");
  const review = { group, version: "v1", resource: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview" };
  const resourceAttributes = { verb: "list", group: resource.group, resource: resource.resource, namespace };
  const { path, body } = reviewRequest({ ...review, namespaced: false }, { resourceAttributes });
  return verdictOf(await context.session.json(path, { method: "POST", body })).isAllowed === true;
}
