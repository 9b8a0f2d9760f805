/** The restrictions of --raw in commands that send a file: one local file, and no flag that would change it. */

import type { FlagValues } from "../../base/flags/flag.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import type { filenameFlags } from "../flags/declared.ts";
import type { Json } from "../json.ts";
import { readableManifestsOf } from "./lookups.ts";

/** Throws unless the path is one of a server, with the message of Go's parser. */
export function requirePath(path: string, refuse: (message: string) => CtlError): void {
  if (path.startsWith("/")) return;
  const reason = path === "" ? "empty url" : "invalid URI for request";
  throw refuse(`--raw must be a valid URL path: parse "${path}": ${reason}`);
}

/** The object to send. YAML is accepted, and sent as JSON. `others`: further flags that --raw excludes. */
export async function rawBody(
  context: Context<FlagValues<typeof filenameFlags> & { readonly raw: string }>,
  others: readonly ("selector" | "output")[],
): Promise<Json> {
  const { flags } = context;
  const [file = "", ...more] = flags.filename;
  if (file === "" || more.length > 0) throw new UsageError("--raw can only use a single local file or stdin");
  if (/^https?:\/\//.test(file)) throw new UsageError("--raw cannot read from a url");
  if (flags.recursive) throw new UsageError("--raw and --recursive are mutually exclusive");
  for (const name of others)
    if ((flags[name] ?? "") !== "")
      throw new UsageError(`--raw and --${name}${name === "selector" ? " (-l)" : ""} are mutually exclusive`);
  requirePath(flags.raw, (message) => new UsageError(message));
  const [manifest, ...rest] = await readableManifestsOf(context);
  if (manifest === undefined || rest.length > 0)
    throw new CtlError("--raw can only send one object: the file must have exactly one document");
  return manifest.object;
}
