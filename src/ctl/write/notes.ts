/** Notes that commands leave on objects: what was applied last, and which command changed them. */

import type { Context } from "../context.ts";
import { copy, dig, ensure, isJson, type Json, text } from "../json.ts";
import { goJson } from "../output/go-json.ts";

export async function lastAppliedKey(context: Context): Promise<string> {
  return (await context.vocabulary()).word("ctl.orch.io/last-applied-configuration");
}

/** The manifest as it is kept in the annotation. */
export function appliedText(manifest: Json, key: string): string {
  const plain = copy(manifest);
  const annotations = ensure(plain, "metadata", "annotations");
  delete annotations[key];
  return `${goJson(plain)}\n`;
}

export function withApplied(manifest: Json, key: string): Json {
  const result = copy(manifest);
  ensure(result, "metadata", "annotations")[key] = appliedText(manifest, key);
  return result;
}

/** Undefined: nothing was applied before. */
export function lastApplied(live: Json, key: string): Json | undefined {
  const kept = text(live, "metadata", "annotations", key);
  if (kept === "") return undefined;
  const value: unknown = JSON.parse(kept);
  return isJson(value) ? value : undefined;
}

/** The command that is being run, as --record notes it. */
export function changeCause(context: Context): string {
  const words = [context.program, ...context.path];
  const skip = new Set(context.path);
  const rest = context.commandLine.filter((word) => {
    if (!skip.has(word)) return true;
    skip.delete(word);
    return false;
  });
  return [...words, ...rest].join(" ").replace(/--record( |$)/, "--record=true$1");
}

/** With --record: the object with the annotation that `rollout history` shows. Also where one is there already. */
export async function recorded(context: Context, value: Json): Promise<Json> {
  const { flags } = context;
  const key = (await context.vocabulary()).word("orch.io/change-cause");
  const has = dig(value, "metadata", "annotations", key) !== undefined;
  const isWanted = flags.has("record") && (flags.isSet("record") ? flags.on("record") : has);
  if (!isWanted) return value;
  const result = copy(value);
  ensure(result, "metadata", "annotations")[key] = changeCause(context);
  return result;
}

/** With --save-config: the object with the note of what was applied. */
export async function saved(context: Context, value: Json): Promise<Json> {
  const isWanted = context.flags.has("save-config") && context.flags.on("save-config");
  return isWanted ? withApplied(value, await lastAppliedKey(context)) : value;
}
