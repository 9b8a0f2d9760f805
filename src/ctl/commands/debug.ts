/** `debug`: a copy of a pod to debug with, a pod on a node, or one more container in a running pod. */

import { randomInt } from "node:crypto";
import { bool, FlagError, type FlagValues, string, stringArray, strings } from "../../base/flags/flag.ts";
import { objectPath } from "../../client/requests/address.ts";
import { StatusError } from "../../machinery/status/status.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { fieldManagerFlag, filenameFlags } from "../flags/declared.ts";
import { findResource, hasFiles } from "../input/lookups.ts";
import { findTargets, type ObjectTarget } from "../input/targets.ts";
import { copy, type Json, list, nameOf, namespaceOf, object, text } from "../json.ts";
import { managerOf, withNamespace, writeOptions } from "../write/write-options.ts";
import { pairsOf } from "./create/generator.ts";
import { attachToNew } from "./new-container.ts";
import { isImage } from "./run.ts";

const debugFlags = {
  ...filenameFlags,
  ...fieldManagerFlag(""),
  "arguments-only": bool("The words after -- are arguments, not the command"),
  attach: bool("Wait until the container runs, and attach to it"),
  container: string("The name of the container to debug with", "", { short: "c" }),
  "copy-to": string("Debug a copy of the pod with this name"),
  env: stringArray("Environment of the container, as key=value"),
  image: string("The image to debug with"),
  "image-pull-policy": string("Always, IfNotPresent or Never"),
  quiet: bool("Say less", false, { short: "q" }),
  replace: bool("With --copy-to: delete the original"),
  "same-node": bool("With --copy-to: on the same node"),
  "set-image": strings("With --copy-to: other images, as container=image"),
  "share-processes": bool("With --copy-to: containers see each other", true),
  stdin: bool("Keep standard input open", false, { short: "i" }),
  target: string("The container whose processes are shown"),
  tty: bool("Give the container a terminal", false, { short: "t" }),
};

type DebugContext = Context<FlagValues<typeof debugFlags>>;

/** How long to wait until the container runs. */
const attachTimeoutMs = 60_000;

export const debug = command({
  name: "debug",
  summary: "Create debugging sessions for troubleshooting workloads and nodes",
  usage: "(POD | TYPE[[.VERSION].GROUP]/NAME) [ -- COMMAND [args...] ]",
  examples: `ctl debug mypod -it --image=busybox
ctl debug mypod --copy-to=my-debugger --image=busybox --container=debugger
ctl debug node/mynode -it --image=busybox`,
  flags: debugFlags,
  run,
});

async function run(context: DebugContext): Promise<void> {
  const words = context.dashAt === undefined ? [] : context.args.slice(context.dashAt);
  const names = (context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt)).map((word) =>
    word.includes("/") ? word : `pod/${word}`,
  );
  check(context, names, words);
  const isAttached = context.isSet("attach") ? context.flags.attach : context.flags.stdin;
  for (const target of await findTargets(context, { args: names })) {
    const made = await debugWith(context, target, words);
    if (!isAttached) continue;
    const [stdin, tty] = [context.flags.stdin, context.flags.tty];
    const wanted = { container: made.container, stdin, tty, isQuiet: context.flags.quiet };
    await attachToNew(context, made.pod, wanted, attachTimeoutMs);
  }
}

/** The container to debug with, and its pod. */
interface DebugContainer {
  readonly pod: Json;
  readonly container: string;
}

async function debugWith(
  context: DebugContext,
  target: ObjectTarget,
  words: readonly string[],
): Promise<DebugContainer> {
  const { kind, group, version } = target.resource;
  if (kind === "Node") return debugNode(context, target, words);
  if (kind !== "Pod") throw new CtlError(`"${group}/${version}, Kind=${kind}" not supported by debug`);
  return context.flags["copy-to"] === ""
    ? debugInside(context, target.object, words)
    : debugCopy(context, target.object, words);
}

function check(context: DebugContext, names: readonly string[], words: readonly string[]): void {
  const given = context.flags;
  const isCopied = given["copy-to"] !== "";
  if (!isCopied && context.isSet("set-image")) throw new CtlError("--set-image may only be used with --copy-to.");
  if (!isCopied && given.image === "") throw new CtlError("you must specify --image when not using --copy-to.");
  if (isCopied && given.image === "" && given["set-image"].length === 0 && words.length === 0)
    throw new CtlError("you must specify --image, --set-image or command arguments.");
  const image = given.image;
  if (image !== "" && !isImage(image)) throw new CtlError(`invalid image name "${image}": invalid reference format`);
  const policy = given["image-pull-policy"];
  if (policy !== "" && !["Always", "IfNotPresent", "Never"].includes(policy))
    throw new CtlError(`invalid image pull policy: ${policy}`);
  for (const word of given["set-image"]) {
    const [, container = "", other = ""] = /^([^=]+)=(.*)$/.exec(word) ?? [];
    if (container === "")
      throw new FlagError(`invalid argument "${word}" for "--set-image" flag: ${word} must be formatted as key=value`);
    if (!isImage(other))
      throw new CtlError(`invalid image name "${other}" for container "${container}": invalid reference format`);
  }
  for (const flag of ["replace", "same-node"] as const)
    if (!isCopied && context.isSet(flag)) throw new CtlError(`--${flag} may only be used with --copy-to.`);
  if (isCopied && given.target !== "")
    throw new CtlError("--target is incompatible with --copy-to. Use --share-processes instead.");
  if (given.tty && !given.stdin) throw new CtlError("-i/--stdin is required for containers with -t/--tty=true");
  if (names.length === 0 && !hasFiles(context)) throw new CtlError("NAME or TYPE/NAME is required for debug");
}

/** The container that the flags describe, new or copied. */
function shaped(context: DebugContext, container: Json, words: readonly string[]): Json {
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

async function debugCopy(context: DebugContext, pod: Json, words: readonly string[]): Promise<DebugContainer> {
  const { flags: given } = context;
  const spec = copy(object(pod, "spec"));
  delete spec["ephemeralContainers"];
  if (context.isSet("share-processes")) spec["shareProcessNamespace"] = given["share-processes"];
  if (!given["same-node"]) delete spec["nodeName"];
  const images = pairsOf(given["set-image"], "set-image");
  const containers = list(spec, "containers").map((container) => {
    const image = images[text(container, "name")] ?? images["*"];
    return image === undefined ? container : { ...container, image };
  });
  const wanted = given.container;
  let container = wanted || text(containers[0], "name");
  const isThere = containers.some(({ name }) => name === wanted);
  if (!isThere && given.image === "" && words.length > 0)
    throw new CtlError("you must specify an existing container or a new image when specifying args.");
  if (!isThere && given.image !== "") {
    spec["shareProcessNamespace"] = given["share-processes"];
    container = newName(context, containers);
    containers.push(shaped(context, { name: container, terminationMessagePolicy: "FallbackToLogsOnError" }, words));
  }
  spec["containers"] = isThere
    ? containers.map((container) => (container["name"] === wanted ? shaped(context, container, words) : container))
    : containers;
  const resource = await findResource(context, "pods");
  const namespace = namespaceOf(pod);
  const annotations = object(pod, "metadata", "annotations");
  const name = given["copy-to"];
  const metadata: Json = { name, namespace, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) };
  const manager = await managerOf(context, "");
  const made: Json = { apiVersion: "v1", kind: "Pod", metadata, spec };
  const created = await context.at(resource).create(withNamespace(made, resource, namespace), writeOptions(manager));
  if (given.replace) await context.at(resource).delete({ namespace, name: nameOf(pod) }, { gracePeriodSeconds: 0 });
  return { pod: created, container };
}

/** The name of a new container; a generated name is printed. */
function newName(context: DebugContext, taken: readonly Json[]): string {
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
const suffix = (): string => Array.from({ length: 5 }, () => letters[randomInt(letters.length)]).join("");

async function debugNode(
  context: DebugContext,
  target: ObjectTarget,
  words: readonly string[],
): Promise<DebugContainer> {
  const container = context.flags.container || "debugger";
  const name = `node-debugger-${target.name}-${suffix()}`;
  if (!context.flags.quiet)
    context.print(`Creating debugging pod ${name} with container ${container} on node ${target.name}.\n`);
  const resource = await findResource(context, "pods");
  const made: Json = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      containers: [
        shaped(
          context,
          {
            name: container,
            terminationMessagePolicy: "File",
            volumeMounts: [{ mountPath: "/host", name: "host-root" }],
          },
          words,
        ),
      ],
      hostIPC: true,
      hostNetwork: true,
      hostPID: true,
      nodeName: target.name,
      restartPolicy: "Never",
      volumes: [{ hostPath: { path: "/" }, name: "host-root" }],
    },
  };
  const namespaced = withNamespace(made, resource, context.namespace);
  const pod = await context.at(resource).create(namespaced, writeOptions(await managerOf(context, "")));
  return { pod, container };
}

async function debugInside(context: DebugContext, pod: Json, words: readonly string[]): Promise<DebugContainer> {
  const resource = await findResource(context, "pods");
  const path = objectPath(resource, { namespace: namespaceOf(pod), name: nameOf(pod) }, "ephemeralcontainers");
  const before = await context.session.json(path).catch((error: unknown) => {
    if (!(error instanceof StatusError) || error.code !== 404) throw error;
    throw new CtlError(`ephemeral containers are disabled for this cluster (error from server: "${error.message}").`, {
      cause: error,
    });
  });
  const taken = [...list(pod, "spec", "containers"), ...list(before, "ephemeralContainers")];
  const target = context.flags.target;
  const container = newName(context, taken);
  const made = shaped(
    context,
    {
      name: container,
      terminationMessagePolicy: "File",
      ...(target === "" ? {} : { targetContainerName: target }),
    },
    words,
  );
  const body = { ...before, ephemeralContainers: [...list(before, "ephemeralContainers"), made] };
  await context.session.json(path, { method: "PUT", body });
  return { pod, container };
}
