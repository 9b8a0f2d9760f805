/** The level at which manifests are checked: that of a flag, of the configured server, or the default. */

import { isSince } from "../../base/release.ts";
import { type Level, levelDefault, levels } from "../../machinery/schema/levels.ts";
import type { Context } from "../context.ts";
import { text } from "../json.ts";

interface ChosenLevel {
  readonly level: Level;
  /** Who chose it, for people. */
  readonly origin: string;
  /** Whether neither a flag nor a server named one. */
  readonly isDefault: boolean;
}

/** How long a configured server may take to say its version: what is checked offline must not wait for a server that is away. */
export const versionWithinMs = 3_000;

/** `asked`: the value of the flag; "": none. */
export async function chooseLevel(context: Context, asked: Level | ""): Promise<ChosenLevel> {
  if (asked !== "") return { level: asked, origin: "of --emulated-version", isDefault: false };
  const version = await versionOfServer(context);
  const [, major, minor] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (minor === undefined)
    return { level: levelDefault, origin: "the default, because no server answers", isDefault: true };
  const release = `${Number(major)}.${Number(minor)}` as const;
  const known = levels.filter((level) => isSince(release, level)).at(-1) ?? levelDefault;
  return { level: known, origin: `of the configured server, ${version}`, isDefault: false };
}

/** "": no server is configured, or it does not answer. */
async function versionOfServer({ session, environment: { clock } }: Context): Promise<string> {
  let cancel = () => {};
  const late = new Promise<string>((resolve) => {
    cancel = clock.after(versionWithinMs, () => resolve(""));
  });
  const answered = session.version().then(
    (version) => text(version, "gitVersion"),
    () => "", // also if nothing is configured
  );
  try {
    return await Promise.race([answered, late]);
  } finally {
    cancel();
  }
}
