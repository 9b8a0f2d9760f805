/** A user's own defaults and aliases: our own file, or kubectl's kuberc, which has the same form. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { decodeYaml } from "../machinery/codec/yaml.ts";
import type { ProgramEnvironment } from "./environment.ts";
import { CtlError } from "./errors.ts";
import { isJson, type Json, list, text, texts } from "./json.ts";
import { behaviourOf } from "./kubectl.ts";

/** A flag that is set unless the command line has it. */
export interface DefaultFlag {
  readonly name: string;
  readonly value: string;
}

interface Alias {
  readonly name: string;
  /** The words of the command that it stands for. */
  readonly command: readonly string[];
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly flags: readonly DefaultFlag[];
}

interface Preferences {
  /** "": there is no file. */
  readonly file: string;
  readonly aliases: readonly Alias[];
  /** By the words of the command: "rollout undo". */
  readonly defaults: ReadonlyMap<string, readonly DefaultFlag[]>;
}

const none: Preferences = { file: "", aliases: [], defaults: new Map() };

const knownVersion = /^(kubectl\.config\.k8s\.io|ctl\.config\.orch\.io)\/(v1alpha1|v1beta1|v1)$/;

/** Scripts written for kubectl of v1.21 do not expect such a file: under that name it must be named explicitly. */
export function loadPreferences(argv: readonly string[], { env, home, program }: ProgramEnvironment): Preferences {
  const given = flagOf(argv) ?? env["CTLRC"] ?? env["KUBERC"];
  if (given === "off") return none;
  if (given) return read(given, true) ?? none;
  if (!behaviourOf(program).readsPreferences) return none;
  const own = join(env["XDG_CONFIG_HOME"] || join(home, ".config"), "orch", "ctl.yaml");
  return read(own, false) ?? read(join(home, ".kube", "kuberc"), false) ?? none;
}

function flagOf(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  const flags = end < 0 ? argv : argv.slice(0, end);
  const at = flags.findIndex((arg) => arg === "--kuberc" || arg.startsWith("--kuberc="));
  const found = flags[at] ?? "";
  return at < 0 ? undefined : found.includes("=") ? found.slice(found.indexOf("=") + 1) : argv[at + 1];
}

function read(file: string, isRequired: boolean): Preferences | undefined {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    if (!isRequired) return undefined;
    throw new CtlError(`unable to read preferences from ${file}`, { cause: error });
  }
  const problem = (reason: string, cause?: unknown) => new CtlError(`preferences in ${file}: ${reason}`, { cause });
  let value: unknown;
  try {
    value = decodeYaml(content);
  } catch (error) {
    throw problem(error instanceof Error ? error.message : String(error), error);
  }
  if (!isJson(value) || text(value, "kind") !== "Preference" || !knownVersion.test(text(value, "apiVersion")))
    throw problem("they must be a Preference of ctl.config.orch.io/v1beta1 or kubectl.config.k8s.io/v1beta1");
  const aliases = list(value, "aliases").map((alias): Alias => {
    if (text(alias, "name") === "" || text(alias, "command") === "")
      throw problem("each of the aliases must have a name and a command");
    return {
      name: text(alias, "name"),
      command: text(alias, "command").split(" "),
      before: texts(alias, "prependArgs"),
      after: texts(alias, "appendArgs"),
      flags: flagsOf(alias),
    };
  });
  // The first version called them overrides.
  const defaults = [...list(value, "defaults"), ...list(value, "overrides")];
  return { file, aliases, defaults: new Map(defaults.map((one) => [text(one, "command"), flagsOf(one)])) };
}

function flagsOf(entry: Json): DefaultFlag[] {
  return [...list(entry, "options"), ...list(entry, "flags")].map((option) => ({
    name: text(option, "name"),
    value: text(option, "default"),
  }));
}

/** The command line with its alias replaced; flags of the alias are set unless the line has them. */
export function withoutAlias(
  argv: readonly string[],
  at: number,
  { aliases }: Preferences,
): { readonly argv: readonly string[]; readonly flags: readonly DefaultFlag[] } | undefined {
  const alias = aliases.find(({ name }) => name === argv[at]);
  if (alias === undefined) return undefined;
  return {
    argv: [...argv.slice(0, at), ...alias.command, ...alias.before, ...argv.slice(at + 1), ...alias.after],
    flags: alias.flags,
  };
}
