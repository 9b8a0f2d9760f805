/**
 * `validate`: validates a folder of manifests with a whole server inside this process: definitions first, then the
 * other objects.
 */

import { bool } from "../../base/flags/flag.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { isAlreadyExists } from "../../client/requests/refusals.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, describeError, Errors } from "../errors.ts";
import { filenameFlags } from "../flags/declared.ts";
import { type FieldPath, parseFieldPath } from "../input/field-lines.ts";
import { hasFiles, kindHint, manifestsOf } from "../input/lookups.ts";
import { type Manifest, readManifests } from "../input/manifests.ts";
import { apiVersionOf, type Json, kindOf, list, namespaceOf, text } from "../json.ts";
import { type Offline, openOffline, vocabularyOfManifests } from "../offline.ts";
import { nameText } from "../output/formats.ts";
import { pause } from "../pause.ts";
import type { Session } from "../server/session.ts";
import { problemsOf } from "../write/check.ts";
import { withNamespace } from "../write/write-options.ts";

const validateFlags = { ...filenameFlags, quiet: bool("Only problems", false, { short: "q" }) };

export const validate = command({
  name: "validate",
  summary: "Check manifests offline, with everything that a server checks",
  usage: "(FILE_OR_FOLDER... | -f FILENAME | -k DIRECTORY)",
  description:
    "Nothing is sent anywhere: the server runs inside this process, and is gone afterwards. Definitions of custom kinds may be among the manifests.",
  examples: `ctl validate manifests/
ctl validate -k overlays/production`,
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

async function run(context: Context): Promise<number> {
  const manifests = hasFiles(context)
    ? await manifestsOf(context, { readsOn: true })
    : await readManifests(context.environment, { filenames: context.args, isRecursive: true, readsOn: true });
  if (manifests.length === 0) throw new CtlError("name the files or folders to check");
  const fallback = context.behaviour.vocabulary;
  const warnings: string[] = [];
  await using offline = await openOffline(
    context,
    vocabularyOfManifests(
      manifests.map(({ object }) => apiVersionOf(object)),
      fallback,
    ),
    (message) => warnings.push(message),
  );
  let problems = 0;
  for (const manifest of [...manifests].sort((a, b) => rank(a) - rank(b))) {
    const where = `${manifest.source}:${manifest.line}`;
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
      const subject = kindOf(manifest.object) === "" ? "" : `${nameText(manifest.object)}: `;
      for (const { message, path } of (error instanceof Errors ? error.errors : [error]).flatMap(problemsIn))
        context.print(`${manifest.source}:${lineOf(manifest, path)}: ${subject}${message}\n`);
    }
    for (const warning of warnings.slice(before)) context.say(`${where}: warning: ${warning}`);
  }
  context.say(problems === 0 ? `${manifests.length} valid` : `${problems} of ${manifests.length} not valid`);
  return problems === 0 ? 0 : 1;
}

interface Problem {
  readonly message: string;
  /** The field that it is about; []: the whole object. */
  readonly path: FieldPath;
}

/** A refusal of the server may be about several fields. */
function problemsIn(error: unknown): Problem[] {
  const causes = error instanceof StatusError && error.reason === "Invalid" ? list(error.details, "causes") : [];
  if (!(error instanceof StatusError) || causes.length === 0) {
    const message = messageOf(error);
    const [, parent = "", key] =
      /^ValidationError\(\w+\.?([^)]*)\)(?:: unknown field "([^"]+)")?/.exec(message) ??
      / cannot be handled as a \w+: ([^: ]+): /.exec(message) ??
      /^no matches for (kind) /.exec(message) ??
      [];
    return [{ message, path: [...parseFieldPath(parent), ...(key === undefined ? [] : [key])] }];
  }
  const { reason, code, details } = error;
  return causes.map((cause) => {
    const only = new StatusError(reason, error.message, { code, details: { ...details, causes: [cause] } });
    return { message: messageOf(only), path: parseFieldPath(text(cause, "field")) };
  });
}

const lineOf = ({ line, lineOf }: Manifest, path: FieldPath): number =>
  path.length === 0 || lineOf === undefined ? line : lineOf(path);

function messageOf(error: unknown): string {
  if (!(error instanceof StatusError || error instanceof CtlError)) return String(error);
  return describeError(error).replace(/^(error: |Error from server[^:]*: )/, "");
}

function unknownKind(context: Context, discovery: Discovery, object: Json): CtlError {
  const [apiVersion, kind] = [apiVersionOf(object), kindOf(object)];
  const hint = context.behaviour.givesHints ? kindHint(discovery, apiVersion, kind) : "";
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
