/** `tree`: an object with its owners above and everything that it owns below. */

import { Dependents, ownerOf } from "../../operations/relations.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { everyResource } from "../input/everything.ts";
import { forEachTarget } from "../input/targets.ts";
import { type Json, list, namespaceOf, nameText, text } from "../json.ts";

export const tree = command({
  name: "tree",
  summary: "Show owners and dependents of an object",
  usage: "(TYPE NAME | TYPE/NAME)",
  examples: `ctl tree deploy/web`,
  async run(context) {
    await forEachTarget(context, {}, async ({ object }) => {
      const all = await context.withoutWarnings(() => neighbours(context, object));
      const top = topOf(object, all);
      const dependents = new Dependents<Json>();
      for (const one of all) dependents.add(one, one);
      print(context, top, dependents, "", "", new Set());
    });
  },
});

const uidOf = (value: Json): string => text(value, "metadata", "uid");

/** The last owner that is known. Where owners name each other in a circle, there is none above the object itself. */
function topOf(object: Json, all: readonly Json[]): Json {
  const byUid = new Map(all.map((one) => [uidOf(one), one]));
  byUid.delete(""); // what is computed for each request, such as metrics, has none
  const above = (one: Json) => byUid.get(text(ownerOf(one) ?? {}, "uid"));
  const seen = new Set<string>();
  let top = object;
  for (let owner = above(top); owner !== undefined; owner = above(top)) {
    if (seen.has(uidOf(owner))) return object;
    seen.add(uidOf(owner));
    top = owner;
  }
  return top;
}

/** All objects in the namespace of the object, except those that the caller may not list. */
async function neighbours(context: Context, object: Json): Promise<Json[]> {
  const namespace = namespaceOf(object);
  const resources = (await everyResource(context)).filter((resource) => resource.namespaced || namespace === "");
  const found = await Promise.all(
    resources.map(async (resource) => {
      const items: Json[] = [];
      try {
        for await (const one of context.at(resource).items({ namespace: resource.namespaced ? namespace : "" }))
          items.push(one);
      } catch {
        // Not allowed, or no longer served.
      }
      return items;
    }),
  );
  return found.flat();
}

function print(
  context: Context,
  value: Json,
  dependents: Dependents<Json>,
  start: string,
  below: string,
  seen: ReadonlySet<string>,
): void {
  const status = text(value, "status", "phase");
  const ready = list(value, "status", "conditions").find(
    (one) => one["type"] === "Ready" || one["type"] === "Available",
  );
  const note = [status, ready === undefined ? "" : `${text(ready, "type")}=${text(ready, "status")}`]
    .filter((part) => part !== "")
    .join(" ");
  context.print(`${start}${nameText(value)}${note === "" ? "" : `  ${note}`}\n`);
  if (seen.has(uidOf(value))) return;
  const children = dependents.of(uidOf(value));
  children.forEach((child, at) => {
    const isLast = at === children.length - 1;
    print(
      context,
      child,
      dependents,
      `${below}${isLast ? "└─ " : "├─ "}`,
      `${below}${isLast ? "   " : "│  "}`,
      new Set([...seen, uidOf(value)]),
    );
  });
}
