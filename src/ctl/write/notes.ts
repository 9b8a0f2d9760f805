/** Annotations that commands write: the last applied manifest, and the command that changed an object. */

import type { Context } from "../context.ts";
import { goJson } from "../go-json.ts";
import { copy, ensure, isJson, type Json, text } from "../json.ts";

export async function lastAppliedKey(context: Context): Promise<string> {
  return (await context.vocabulary()).word("ctl.orch.io/last-applied-configuration");
}

/** The manifest as it is stored in the annotation. */
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

/** Flags that --record must not store. */
const secretFlags = new Set(["token", "password", "docker-password", "from-literal"]);

/** The current command as --record stores it: its words, then its flags by their long names. */
function changeCause({ program, path, args, flagUses }: Context): string {
  const shown = flagUses.map(({ name, text: value }) => `--${name}=${secretFlags.has(name) ? "CLASSIFIED" : value}`);
  return [program, ...path, ...args, ...shown].join(" ");
}

/** With --record: the object with the annotation that `rollout history` shows. */
export async function recorded(context: Context, value: Json): Promise<Json> {
  if (context.flags.record !== true) return value;
  const key = (await context.vocabulary()).word("orch.io/change-cause");
  const result = copy(value);
  ensure(result, "metadata", "annotations")[key] = changeCause(context);
  return result;
}

/** With --save-config: the object with the last-applied annotation. */
export async function saved(context: Context, value: Json): Promise<Json> {
  const isWanted = context.flags["save-config"] === true;
  return isWanted ? withApplied(value, await lastAppliedKey(context)) : value;
}
