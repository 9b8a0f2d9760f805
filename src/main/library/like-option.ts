/** `createServer({ like: "kubernetes-1.37" })`: two options in one word. */

import { spansOf } from "../../base/flags/spans.ts";
import { likes, meaningOf } from "../flags/like.ts";
import type { CreateServerOptions } from "./options.ts";

export function withLike(options: CreateServerOptions): CreateServerOptions {
  const { like, ...others } = options;
  if (like === undefined) return options;
  const meaning = meaningOf(like);
  if (meaning === undefined)
    throw new Error(`like: must be one of ${spansOf(likes, " to ").join(", ")}, not "${like}"`);
  for (const name of ["vocabulary", "emulatedVersion"] as const)
    if (others[name] !== undefined && others[name] !== meaning[name])
      throw new Error(`like: "${like}" means ${name} "${meaning[name]}", but the options also have "${others[name]}"`);
  return { ...others, ...meaning };
}
