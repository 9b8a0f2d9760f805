/** The containers that `debug` adds or changes, as its flags describe them. */

import { randomInt } from "node:crypto";
import type { Json } from "../../json.ts";
import { pairsOf } from "../create/generator.ts";
import type { DebugContext } from "./flags.ts";

/** The container to debug with, and its pod. */
export interface DebugContainer {
  readonly pod: Json;
  readonly container: string;
}

/** The container that the flags describe, new or copied. */
export function shaped(context: DebugContext, container: Json, words: readonly string[]): Json {
  const { flags: given } = context;
  const result: Json = { ...container };
  if (words.length > 0 && given["arguments-only"]) result["args"] = [...words];
  else if (words.length > 0) {
    result["command"] = [...words];
    delete result["args"];
  }
  const env = Object.entries(pairsOf(given.env, "env")).map(([name, value]) => ({ name, value }));
  if (env.length > 0) result["env"] = env;
  if (given.image !== "") result["image"] = given.image;
  if (given["image-pull-policy"] !== "") result["imagePullPolicy"] = given["image-pull-policy"];
  if (given.stdin) result["stdin"] = true;
  else delete result["stdin"];
  if (given.tty) result["tty"] = true;
  else delete result["tty"];
  return result;
}

/** The name of a new container; a generated name is printed. */
export function newName(context: DebugContext, taken: readonly Json[]): string {
  const given = context.flags.container;
  if (given !== "") return given;
  let name = "";
  do name = `debugger-${suffix()}`;
  while (taken.some((one) => one["name"] === name));
  if (!context.flags.quiet) context.print(`Defaulting debug container name to ${name}.\n`);
  return name;
}

/** Without vowels, so that no words result. */
const letters = "bcdfghjklmnpqrstvwxz2456789";
export const suffix = (): string => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");
