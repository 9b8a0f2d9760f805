/**
 * `validate`: validates a folder of manifests with a whole server inside this process: definitions first, then the
 * other objects.
 */

import { bool, choice, type FlagValues, stringArray } from "../../base/flags/flag.ts";
import { spansOf } from "../../base/flags/spans.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { isAlreadyExists } from "../../client/requests/refusals.ts";
import { levels } from "../../machinery/schema/levels.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, Errors } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import { hasFiles, kindHint, manifestsOf } from "../input/lookups.ts";
import { type Manifest, readManifests } from "../input/manifests.ts";
import { problemLines, whereOf } from "../input/problems.ts";
import { apiVersionOf, type Json, kindOf, list, nameOf, namespaceOf, nameText, text } from "../json.ts";
import { type Offline, openOffline, vocabularyOfManifests } from "../offline.ts";
import { pause } from "../pause.ts";
import { chooseLevel } from "../server/level.ts";
import type { Session } from "../server/session.ts";
import { problemsOf } from "../write/check.ts";
import { withNamespace } from "../write/write-options.ts";

const validateFlags = {
  ...filenameFlags,
  definitions: stringArray("Files and folders with definitions of custom kinds; other objects in them are ignored"),
  "emulated-version": choice(
    ["", ...levels],
    "The release whose rules apply; default: that of the configured server",
    "",
  ),
  quiet: bool("Only problems", false, { short: "q" }),
};

type ValidateContext = Context<FlagValues<typeof validateFlags>>;

export const validate = command({
  name: "validate",
  summary: "Check manifests offline, with everything that a server checks",
  usage: "(FILE_OR_FOLDER... | -f FILENAME | -k DIRECTORY)",
  description:
    "Nothing is sent anywhere: the server runs inside this process, and is gone afterwards. It has the level of --emulated-version, or else that of the configured server, which is asked for its version only. Definitions of custom kinds are read from the manifests and from --definitions.",
  examples: `ctl validate manifests/
ctl validate -k overlays/production --emulated-version=1.35
ctl validate shop/ --definitions=operator/crds/`,
  flags: validateFlags,
  run,
});

/** Objects that others depend on come first. */
const order = [
  "Namespace",
  "CustomResourceDefinition",
  "PriorityClass",
  "StorageClass",
  "ClusterRole",
  "Role",
  "ServiceAccount",
  "ConfigMap",
  "Secret",
];
const rank = ({ object }: Manifest): number => {
  const at = order.indexOf(kindOf(object));
  return at < 0 ? order.length : at;
};

async function run(context: ValidateContext): Promise<number> {
  const manifests = hasFiles(context)
    ? await manifestsOf(context, { readsOn: true })
    : await readManifests(context.environment, { filenames: context.args, isRecursive: true, readsOn: true });
  if (manifests.length === 0) throw new CtlError("name the files or folders to check");
  const definitions = await definitionsOf(context, manifests);
  const chosen = await chooseLevel(context, context.flags["emulated-version"]);
  const versions = manifests.map(({ object }) => apiVersionOf(object));
  const vocabulary = vocabularyOfManifests(versions, context.behaviour.vocabulary);
  const warnings: string[] = [];
  await using offline = await openOffline(context, { vocabulary, emulatedVersion: chosen.level }, (message) =>
    warnings.push(message),
  );
  for (const definition of definitions) await define(context, offline, definition);
  warnings.length = 0; // they are about definitions that are given
  let problems = 0;
  for (const manifest of [...manifests].sort((a, b) => rank(a) - rank(b))) {
    const where = whereOf(manifest);
    const before = warnings.length;
    try {
      if (manifest.problem !== undefined) throw manifest.problem;
      const misspelt = await problemsOf(offline.session.openApi, manifest.object);
      const refused = await createOne(context, offline, manifest.object).then(
        () => [],
        (error: unknown) => [error],
      );
      if (misspelt.length > 0) throw new Errors([...misspelt.map((one) => new CtlError(one)), ...refused]);
      if (refused.length > 0) throw refused[0];
      if (!context.flags.quiet) context.print(`${where}: ${nameText(manifest.object)} is valid\n`);
    } catch (error) {
      problems++;
      for (const line of problemLines(manifest, error)) context.print(`${line}\n`);
    }
    for (const warning of warnings.slice(before)) context.say(`${where}: warning: ${warning}`);
  }
  const told = problems === 0 ? `${manifests.length} valid` : `${problems} of ${manifests.length} not valid`;
  context.say(`${told} at level ${chosen.level}, ${chosen.origin}`);
  if (problems > 0 && chosen.isDefault)
    context.say(`--emulated-version checks them at another level: ${spansOf(levels, " to ").join(", ")}`);
  return problems === 0 ? 0 : 1;
}

const isDefinition = ({ object }: Manifest): boolean => kindOf(object) === "CustomResourceDefinition";

/** The definitions of --definitions; one that is also among the manifests is checked there. */
async function definitionsOf(context: ValidateContext, manifests: readonly Manifest[]): Promise<Manifest[]> {
  const filenames = context.flags.definitions;
  const read = await readManifests(context.environment, { filenames, isRecursive: true, readsOn: true });
  for (const { problem } of read) if (problem !== undefined) throw problem;
  const own = new Set(manifests.filter(isDefinition).map(({ object }) => nameOf(object)));
  const found = read.filter(isDefinition);
  if (filenames.length > 0 && found.length === 0)
    throw new CtlError(`--definitions: there is no CustomResourceDefinition in ${filenames.join(", ")}`);
  return found.filter(({ object }) => !own.has(nameOf(object)));
}

/** Throws if the definition is not valid: what it defines cannot be checked then. */
async function define(context: Context, offline: Offline, definition: Manifest): Promise<void> {
  try {
    await createOne(context, offline, definition.object);
  } catch (error) {
    if (isAlreadyExists(error)) return; // an installation often repeats the definitions of another file
    throw new CtlError(problemLines(definition, error).join("\n"), { isBare: true, cause: error });
  }
}

function unknownKind(context: Context, discovery: Discovery, object: Json): CtlError {
  const [apiVersion, kind] = [apiVersionOf(object), kindOf(object)];
  const near = context.behaviour.givesHints ? kindHint(discovery, apiVersion, kind) : "";
  const hint = near === "" && !isOurs(apiVersion) ? "; --definitions names the file that defines it" : near;
  return new CtlError(`no matches for kind "${kind}" in version "${apiVersion}"${hint}`);
}

/** How long to wait until the kind of a definition is served, and its schema published. */
const servedWithinMs = 10_000;

async function createOne(context: Context, { session }: Offline, object: Json): Promise<void> {
  if (kindOf(object) === "" || apiVersionOf(object) === "") throw new CtlError("apiVersion and kind must be set");
  let resource = (await session.discovery(true)).byKind(apiVersionOf(object), kindOf(object));
  const { clock } = context.environment;
  for (const endMs = clock.monotonic() + (isOurs(apiVersionOf(object)) ? 0 : 1_000); resource === undefined; ) {
    if (clock.monotonic() >= endMs) throw unknownKind(context, await session.discovery(), object);
    await pause(context, 50);
    resource = (await session.discovery(true)).byKind(apiVersionOf(object), kindOf(object));
  }
  const namespace = resource.namespaced ? namespaceOf(object) || "default" : "";
  if (namespace !== "" && namespace !== "default")
    await session
      .json("/api/v1/namespaces", {
        method: "POST",
        body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } },
      })
      .catch(() => undefined);
  const made = await session
    .at(resource)
    .create(withNamespace(object, resource, namespace))
    .catch((error: unknown) => {
      if (isAlreadyExists(error) && kindOf(object) === "Namespace") return {};
      throw error;
    });
  if (kindOf(object) === "CustomResourceDefinition") await untilServed(context, session, made);
}

const isOurs = (apiVersion: string): boolean => !apiVersion.includes("/") || /\.(k8s|orch)\.io\//.test(apiVersion);

async function untilServed(context: Context, session: Session, definition: Json): Promise<void> {
  const { clock } = context.environment;
  const group = text(definition, "spec", "group");
  const kind = text(definition, "spec", "names", "kind");
  const versions = list(definition, "spec", "versions").filter((version) => version["served"] === true);
  const isServed = async () => {
    session.published.forgetSchemas();
    const discovery = await session.discovery(true);
    for (const version of versions.map((one) => text(one, "name"))) {
      if (discovery.byKind(`${group}/${version}`, kind) === undefined) return false;
      if ((await session.openApi.schemaOf({ group, version, kind })) === undefined) return false;
    }
    return true;
  };
  for (const endMs = clock.monotonic() + servedWithinMs; clock.monotonic() < endMs; await pause(context, 50))
    if (await isServed()) return;
}
