/** Several namespaces at once: `-n a,b,'team-*'`, and those that the caller may list in. */

import type { ApiResource } from "../api/discovery.ts";
import { Context } from "../context.ts";
import { isForbidden } from "../errors.ts";

import { nameOf, text } from "../json.ts";

/** Runs once for each namespace that -n names; once as it is where -n names only one. */
export async function withNamespaces(context: Context, run: (context: Context) => Promise<void>): Promise<void> {
  const given = context.flags.text("namespace");
  if (!/[,*?]/.test(given)) return run(context);
  const names: string[] = [];
  for (const part of given.split(",")) names.push(...(/[*?]/.test(part) ? await matching(context, part) : [part]));
  const unique = [...new Set(names)];
  if (unique.length === 0) context.say(`no namespace matches ${given}`);
  for (const name of unique) {
    if (unique.length > 1 && context.environment.stdout.isTerminal) context.say(`--- ${name}`);
    await run(scoped(context, name));
  }
}

/** The same command in another namespace. */
export function scoped(context: Context, namespace: string): Context {
  const flags = new Proxy(context.flags, {
    get(target, key) {
      if (key === "text") return (name: string) => (name === "namespace" ? namespace : target.text(name));
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  return new Context({ ...fieldsOf(context), flags });
}

function fieldsOf({ environment, args, dashAt, commandLine, path }: Context) {
  return { environment, args, dashAt, commandLine, path };
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

async function allNamespaces(context: Context): Promise<string[]> {
  const resource = (await context.discovery()).find("namespaces");
  const names: string[] = [];
  if (resource !== undefined) for await (const item of context.api.items({ resource })) names.push(nameOf(item));
  return names;
}

/** Undefined: the caller may not even list namespaces, or may list in none of them. */
export async function allowedNamespaces(context: Context, resource: ApiResource): Promise<string[] | undefined> {
  let names: string[];
  try {
    names = await allNamespaces(context);
  } catch (error) {
    if (!isForbidden(error)) throw error;
    names = [context.namespace];
  }
  const group = (await context.vocabulary()).group("authorization.orch.io");
  const answers = await Promise.all(
    names.map(async (namespace) => {
      const review = await context.api.json(`/apis/${group}/v1/selfsubjectaccessreviews`, {
        method: "POST",
        body: {
          apiVersion: `${group}/v1`,
          kind: "SelfSubjectAccessReview",
          spec: { resourceAttributes: { verb: "list", group: resource.group, resource: resource.name, namespace } },
        },
      });
      return text(review, "status", "allowed") === "true";
    }),
  );
  const allowed = names.filter((_, at) => answers[at]);
  return allowed.length === 0 ? undefined : allowed;
}
