/**
 * Reports a refused server-side apply so that a user can decide: the object, both managers, both values, and the
 * commands to run.
 */

import type { ObjectAddress } from "../../client/contract.ts";
import type { StatusError } from "../../machinery/status/status.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { goJson } from "../go-json.ts";
import { copy, dig, isJson, type Json, kindOf, list, nameText, text } from "../json.ts";

interface Conflict {
  readonly place: ObjectAddress;
  readonly manifest: Json;
  readonly manager: string;
  readonly error: StatusError;
  readonly retry: (manifest: Json) => Promise<Json>;
}

/** Which fields are contested, and by whom. */
export const conflictsOf = ({ details }: StatusError): { readonly field: string; readonly other: string }[] =>
  list(details, "causes").map((cause) => ({
    field: text(cause, "field"),
    other: /conflict with "([^"]*)"/.exec(text(cause, "message"))?.[1] ?? "",
  }));

/** With --yield-to, retries without the contested fields; otherwise throws. */
export async function explainConflict(
  context: Context<{ readonly "yield-to": readonly string[] }>,
  conflict: Conflict,
): Promise<{ result: Json; operation: string }> {
  const { manifest, error, place } = conflict;
  const causes = conflictsOf(error);
  const yields = context.flags["yield-to"];
  if (causes.length > 0 && causes.every(({ other }) => yields.includes(other))) {
    const next = copy(manifest);
    for (const { field } of causes) removeField(next, stepsOf(field));
    for (const { field, other } of causes) context.say(`${nameText(manifest)}: ${field} is left to ${other}`);
    return { result: await conflict.retry(next), operation: "configured" };
  }
  if (!context.behaviour.showsConflictingValues || causes.length === 0)
    throw new CtlError(`${startOf(error.message, causes.length)}${error.message}\n${advice}`);
  const live = await context.at(place.resource).get(place);
  const isSecret = kindOf(manifest) === "Secret";
  const value = (from: Json, field: string) =>
    isSecret && /^\.(data|stringData)\b/.test(field) ? "***" : shown(valueAt(from, stepsOf(field)));
  const lines = causes.map(({ field, other }) => {
    return `  ${field}\n    ${other} has set it to ${value(live, field)}, your manifest says ${value(manifest, field)}`;
  });
  const others = [...new Set(causes.map(({ other }) => other))].join(",");
  throw new CtlError(
    `${nameText(manifest)}${place.namespace ? ` in namespace ${place.namespace}` : ""} has fields of other managers (you are ${conflict.manager}):\n${lines.join("\n")}
take them over:        ${again(context)} --force-conflicts
leave them to others:  ${again(context)} --yield-to=${others}
or set the same values in your manifest, and own them together`,
  );
}

/** The command line, ready to be pasted; credentials are omitted. */
function again({ program, commandLine }: Context): string {
  const words: string[] = [];
  for (let at = 0; at < commandLine.length; at++) {
    const word = commandLine[at] ?? "";
    if (/^--(token|password)$/.test(word)) at++;
    else if (!/^--(token|password)=/.test(word)) words.push(quoted(word));
  }
  return [program, ...words].join(" ");
}

const quoted = (word: string): string => (/^[\w./:@%+,=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`);

/** Scripts look for this phrase, with which other servers begin. */
function startOf(message: string, count: number): string {
  return message.startsWith("Apply failed with")
    ? ""
    : `Apply failed with ${count} conflict${count === 1 ? "" : "s"}: `;
}

const advice = `Please review the fields above--they currently have other managers. Here
are the ways you can resolve this warning:
* If you intend to manage all of these fields, please re-run the apply
  command with the \`--force-conflicts\` flag.
* If you do not intend to manage all of the fields, please edit your
  manifest to remove references to the fields that should keep their
  current managers.
* You may co-own fields by updating your manifest to match the existing
  value; in this case, you'll become the manager if the other manager(s)
  stop managing the field (remove it from their configuration).`;

type Step = string | { readonly key: string };

/** `.spec.containers[name="c"].image` -> its parts. */
function stepsOf(field: string): Step[] {
  return [...field.matchAll(/\.([^.[\]]+)|\[([^\]]*)\]/g)].map(([, name, key]) => name ?? { key: key ?? "" });
}

function itemOf(value: unknown, key: string): unknown {
  if (!Array.isArray(value)) return undefined;
  if (/^\d+$/.test(key)) return value[Number(key)];
  const pairs = [...key.matchAll(/(\w+)=("[^"]*"|[^,]+)/g)].map(
    ([, name, wanted]) => [name ?? "", (wanted ?? "").replaceAll('"', "")] as const,
  );
  return value.find((item) => pairs.every(([name, wanted]) => text(item, name) === wanted));
}

function valueAt(value: unknown, steps: readonly Step[]): unknown {
  return steps.reduce<unknown>((at, step) => (typeof step === "string" ? dig(at, step) : itemOf(at, step.key)), value);
}

function removeField(value: Json, steps: readonly Step[]): void {
  const last = steps.at(-1);
  const parent = valueAt(value, steps.slice(0, -1));
  if (typeof last === "string" && isJson(parent)) {
    delete parent[last];
    // An empty map would still be owned.
    if (Object.keys(parent).length === 0 && steps.length > 1) removeField(value, steps.slice(0, -1));
  } else if (last !== undefined && typeof last !== "string" && Array.isArray(parent)) {
    const item = itemOf(parent, last.key);
    if (item !== undefined) parent.splice(parent.indexOf(item), 1);
  }
}

function shown(value: unknown): string {
  const printed = value === undefined ? "nothing" : goJson(value);
  return printed.length > 120 ? `${printed.slice(0, 120)}…` : printed;
}
