/** `wait`: waits until objects exist, have conditions, have values, or are gone. */

import { anyDuration, bool, type FlagValues, stringArray } from "../../base/flags/flag.ts";
import { nearest } from "../../base/suggest.ts";
import { hasReason, isNotFound } from "../../client/requests/refusals.ts";
import { notFound } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, TimedOut } from "../errors.ts";
import {
  allFlag,
  allNamespacesFlag,
  fieldSelectorFlag,
  filenameFlags,
  printFlags,
  selectorFlag,
} from "../flags/declared.ts";
import { findLookups, type Lookup } from "../input/lookups.ts";
import { findObject, type ObjectTarget, targetsOf } from "../input/targets.ts";
import { isJson, type Json, list, nameText, text } from "../json.ts";
import { printResult } from "../output/formats.ts";
import { find } from "../output/json-path.ts";
import { Progress } from "../output/progress.ts";
import { pathSteps } from "../output/sort.ts";
import { pause } from "../pause.ts";
import { follow, itemsOf } from "../server/follow.ts";

const waitFlags = {
  ...filenameFlags,
  ...printFlags,
  ...selectorFlag,
  ...fieldSelectorFlag,
  ...allFlag,
  ...allNamespacesFlag,
  local: bool("Ignored: only the server knows when", false, { isHidden: true }),
  for: stringArray("delete, create, condition=NAME[=VALUE] or jsonpath={PATH}=VALUE"),
  timeout: anyDuration("How long to wait; 0: check once; negative: a week", 30_000),
};

type WaitContext = Context<FlagValues<typeof waitFlags>>;

export const wait = command({
  name: "wait",
  summary: "Wait for a specific condition on one or many resources",
  usage:
    "([-f FILENAME] | resource.group/resource.name | resource.group [(-l label | --all)]) [--for=delete|--for condition=available|--for jsonpath='{}'=value]",
  description: "Under the name ctl it also waits until the objects exist, and --for may be repeated.",
  examples: `ctl wait --for=condition=Ready pod/busybox1
ctl wait --for=delete pod/busybox1 --timeout=60s
ctl wait --for=condition=Available --for=jsonpath='{.status.replicas}'=3 deployment/web`,
  flags: waitFlags,
  run,
});

/** Undefined: not yet; a text: met. */
type Wanted =
  | { readonly kind: "delete" }
  | { readonly kind: "create" }
  | { readonly kind: "test"; readonly shown: string; readonly isMet: (object: Json) => boolean };

const weekMs = 7 * 24 * 3_600_000;
const pollMs = 200;

async function run(context: WaitContext): Promise<void> {
  const { flags } = context;
  const wanted = flags.for.map((text) => parse(text, context.behaviour.givesHints));
  if (wanted.length === 0) throw new CtlError('unrecognized condition: ""');
  const timeout = flags.timeout;
  const { clock } = context.environment;
  const endMs = clock.monotonic() + (timeout < 0 ? weekMs : timeout);
  const isDeletion = wanted.some(({ kind }) => kind === "delete");
  const lookups = await findLookups(context);
  const waitsForCreation = context.behaviour.waitsForCreation || wanted.some(({ kind }) => kind === "create");
  let count = 0;
  const failures: unknown[] = [];
  for (const lookup of lookups) {
    const targets = await found(context, lookup, { isDeletion, waitsForCreation, endMs });
    if (targets.length === 0 && isDeletion && lookup.name !== undefined) continue;
    for (const target of targets) {
      count++;
      try {
        await waitFor(context, target, wanted, endMs);
      } catch (error) {
        if (context.signal.aborted) throw error;
        failures.push(error);
      }
    }
  }
  if (failures.length > 0) throw failures[0];
  if (count === 0 && !isDeletion) throw new CtlError("no matching resources found");
  if (
    count === 0 &&
    lookups.every(({ name }) => name === undefined) &&
    isDeletion &&
    context.behaviour.needsObjectsToDelete
  )
    throw new CtlError("no matching resources found");
}

/** The objects; waits for one that does not exist yet. */
async function found(
  context: Context,
  lookup: Lookup,
  options: { isDeletion: boolean; waitsForCreation: boolean; endMs: number },
): Promise<ObjectTarget[]> {
  const { clock } = context.environment;
  for (;;) {
    const targets: ObjectTarget[] = [];
    try {
      for await (const target of targetsOf(context, lookup)) targets.push(target);
      if (targets.length > 0 || options.isDeletion || !options.waitsForCreation) return targets;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      if (options.isDeletion) {
        if (context.behaviour.needsObjectsToDelete) throw new CtlError("no matching resources found");
        return [];
      }
      if (!options.waitsForCreation) throw error;
    }
    if (clock.monotonic() >= options.endMs)
      throw new TimedOut(
        `timed out waiting for ${lookup.resource.resource}${lookup.name === undefined ? "" : `/${lookup.name}`} to exist`,
      );
    await pause(context, pollMs);
  }
}

function parse(text: string, hasHints: boolean): Wanted {
  if (text.toLowerCase() === "delete") return { kind: "delete" };
  if (text.toLowerCase() === "create") return { kind: "create" };
  if (text.startsWith("condition=")) {
    const [name = "", value = "true"] = text.slice("condition=".length).split("=");
    return { kind: "test", shown: text, isMet: (object) => conditionIs(object, name, value) };
  }
  if (text.startsWith("jsonpath=")) {
    const match = /^jsonpath=['"]?(\{[^}]*\}|[^=]+)['"]?(?:=(.*))?$/.exec(text);
    if (match === null) throw new CtlError(`jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3`);
    const steps = pathSteps(match[1] ?? "");
    const value = match[2];
    return {
      kind: "test",
      shown: text,
      isMet(object) {
        const values = find(steps, object);
        return value === undefined
          ? values.length > 0
          : values.some((one) => (isJson(one) ? JSON.stringify(one) : String(one)) === value);
      },
    };
  }
  throw new CtlError(`unrecognized condition: "${text}"${hasHints ? waitHint(text) : ""}`);
}

/** What the user probably means: a misspelt word before the equals sign, or a condition or path without it. */
function waitHint(given: string): string {
  const at = given.indexOf("=");
  const word = at < 0 ? given : given.slice(0, at);
  const isPath = /^[{.]/.test(word);
  const known = at < 0 ? ["delete", "create"] : ["condition", "jsonpath"];
  const start = known.find((one) => word.length > 1 && one.startsWith(word.toLowerCase()));
  const near = isPath ? undefined : (start ?? nearest(word.toLowerCase(), known));
  const meant = near === undefined ? `${isPath ? "jsonpath" : "condition"}=${given}` : near + given.slice(word.length);
  return `\nDid you mean "--for=${meant}"?`;
}

function conditionIs(object: Json, name: string, value: string): boolean {
  const condition = list(object, "status", "conditions").find(
    (one) => text(one, "type").toLowerCase() === name.toLowerCase(),
  );
  if (condition === undefined) return false;
  const observed = condition["observedGeneration"] ?? (object["status"] as Json)["observedGeneration"];
  const generation = (object["metadata"] as Json)["generation"];
  if (typeof observed === "number" && typeof generation === "number" && observed < generation) return false;
  return text(condition, "status").toLowerCase() === value.toLowerCase();
}

async function waitFor(
  context: Context,
  target: ObjectTarget,
  wanted: readonly Wanted[],
  endMs: number,
): Promise<void> {
  const place = addressOf(target);
  const isDeletion = wanted.some(({ kind }) => kind === "delete");
  const progress = new Progress(context);
  try {
    await untilMet();
  } finally {
    progress.clear();
  }

  async function untilMet(): Promise<void> {
    let object = target.object;
    const unmet = () => wanted.filter((one) => one.kind === "test" && !one.isMet(object));
    if (!isDeletion && unmet().length === 0) return printResult(context, object, "condition met");
    for await (const live of statesUntil(context, place, endMs)) {
      progress.clear();
      const isGone = live === undefined || text(live, "metadata", "uid") !== text(target.object, "metadata", "uid");
      if (isDeletion && isGone) return printResult(context, target.object, "condition met");
      if (live === undefined) throw notFound(place.resource, place.name);
      object = live;
      if (!isDeletion && unmet().length === 0) return printResult(context, object, "condition met");
      const missing = isDeletion ? "its end" : unmet().map((one) => (one.kind === "test" ? one.shown : ""));
      progress.show(`waiting for ${[missing].flat().join(" and ")} of ${target.resource.resource}/${target.name}`);
    }
    context.signal.throwIfAborted();
    progress.clear();
    if (context.behaviour.showsLastState) context.say(lastState(object));
    throw new TimedOut(`timed out waiting for the condition on ${target.resource.resource}/${target.name}`);
  }
}

const addressOf = ({ resource, namespace, name }: ObjectTarget) => ({ resource, namespace, name });

/** The states of an object until a time, each as soon as it is known; undefined: it does not exist. */
async function* statesUntil(
  context: Context,
  place: ReturnType<typeof addressOf>,
  endMs: number,
): AsyncGenerator<Json | undefined> {
  const { resource, namespace, name } = place;
  const { clock } = context.environment;
  const stop = new AbortController();
  const cancel = clock.after(Math.max(0, endMs - clock.monotonic()), () => stop.abort());
  const query = { namespace, fieldSelector: `metadata.name=${name}`, signal: stop.signal };
  try {
    while (clock.monotonic() < endMs && !context.signal.aborted) {
      try {
        for await (const { type, object } of follow(context, resource, query)) {
          if (type === "PAGE") yield itemsOf(object)[0];
          else yield type === "DELETED" ? undefined : object;
        }
      } catch (error) {
        // Users who may read the object, but not list its type.
        if (!hasReason(error, "Forbidden", "MethodNotAllowed")) throw error;
        yield await findObject(context, place);
      }
      // The server has ended the watch, and may end the next one as soon.
      if (!stop.signal.aborted) await pause(context, pollMs);
    }
  } catch (error) {
    if (!stop.signal.aborted) throw error;
  } finally {
    cancel();
    stop.abort();
  }
}

/** The last state of the object when the timeout expired. */
function lastState(object: Json): string {
  const conditions = list(object, "status", "conditions").map((one) =>
    `  ${text(one, "type")}=${text(one, "status")} ${text(one, "reason")} ${text(one, "message")}`.trimEnd(),
  );
  const deleted = text(object, "metadata", "deletionTimestamp");
  const lines = [
    ...(deleted === "" ? [] : [`  being deleted since ${deleted}`]),
    ...(text(object, "status", "phase") === "" ? [] : [`  phase ${text(object, "status", "phase")}`]),
    ...conditions,
  ];
  return `${nameText(object)} was last seen like this:\n${lines.length === 0 ? "  it has no conditions" : lines.join("\n")}`;
}
