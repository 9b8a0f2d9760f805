/** `run`: creates a pod with one container. */

import { anyDuration, bool, type FlagValues, int, string, stringArray } from "../../base/flags/flag.ts";
import { applyMergePatch } from "../../machinery/patch/merge-patch.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, RequiredFlags, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags, recordFlag, saveConfigFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { copy, ensure, isJson, type Json, nameOf, namespaceOf } from "../json.ts";
import { dryRunOf } from "../output/formats.ts";
import { isCompleted } from "../streams/pods.ts";
import { recorded } from "../write/notes.ts";
import { createGenerated, pairsOf } from "./create/generator.ts";
import { attachToNew, throwPodEnding, waitForPod } from "./new-container.ts";
import { typedForm } from "./set/typed-form.ts";

const runFlags = {
  ...printFlags,
  ...dryRunFlag,
  ...recordFlag,
  ...fieldManagerFlag("run"),
  image: string("The image to run"),
  "image-pull-policy": string("Always, IfNotPresent or Never"),
  env: stringArray("Environment, as key=value"),
  port: string("The port that the container exposes"),
  hostport: int("The port of the node", -1, { isHidden: true }),
  expose: bool("Also create a service for the port"),
  labels: string("Labels, as key=value pairs separated by commas", "", { short: "l" }),
  annotations: stringArray("Annotations, as key=value"),
  restart: string("Always, OnFailure or Never", "Always"),
  command: bool("The words after -- are the command, not its arguments"),
  overrides: string("JSON that is merged into the pod"),
  limits: string("Limits, as resource=quantity pairs"),
  requests: string("Requests, as resource=quantity pairs"),
  serviceaccount: string("The service account of the pod"),
  privileged: bool("Run the container as privileged"),
  stdin: bool("Keep standard input open", false, { short: "i" }),
  tty: bool("Give the container a terminal", false, { short: "t" }),
  rm: bool("Delete the pod after it has ended; needs an attached container"),
  attach: bool("Wait until the container runs, and attach to it"),
  quiet: bool("Say less", false, { short: "q" }),
  "leave-stdin-open": bool("Do not wait for the end of the pod after the session"),
  "pod-running-timeout": anyDuration("How long to wait until the pod runs", 60_000),
  generator: string("Ignored", "", { isHidden: true }),
  schedule: string("Ignored", "", { isHidden: true }),
  ...saveConfigFlag,
  wait: bool("Ignored", false, { isHidden: true }),
  force: bool("Ignored", false, { isHidden: true }),
  "grace-period": int("Ignored", -1, { isHidden: true }),
};

type RunContext = Context<FlagValues<typeof runFlags>>;

export const run = command({
  name: "run",
  summary: "Run a particular image on the cluster",
  usage:
    'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  examples: `ctl run nginx --image=nginx
ctl run hazelcast --image=hazelcast --port=5701 --env="DNS_DOMAIN=cluster" --labels="app=hazelcast,env=prod"
ctl run busybox --image=busybox --restart=Never -- sh -c 'echo hello'
ctl run -it --rm busybox --image=busybox --restart=Never`,
  flags: runFlags,
  run: start,
});

async function start(context: RunContext): Promise<void> {
  const { flags } = context;
  const before = context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt);
  const [name, ...inline] = before;
  if (!context.isSet("image")) throw new RequiredFlags(["image"]);
  if (name === undefined) throw new UsageError("NAME is required for run");
  const image = flags.image;
  if (image === "") throw new CtlError("--image is required");
  if (!isImage(image)) throw new CtlError(`Invalid image name "${image}": invalid reference format`);
  if (flags.tty && !flags.stdin) throw new CtlError("-i/--stdin is required for containers with -t/--tty=true");
  if (flags.expose && flags.port === "") throw new UsageError("--port must be set when exposing a service");
  const isAttached = flags.attach || flags.stdin;
  if ((isAttached || flags.tty) && dryRunOf(context) !== "none")
    throw new UsageError(
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  if (flags.rm && !isAttached) throw new UsageError("--rm should only be used for attached containers");
  const policy = flags["image-pull-policy"];
  if (policy !== "" && !["Always", "IfNotPresent", "Never"].includes(policy))
    throw new UsageError(`invalid image pull policy: ${policy}`);
  const restart = flags.restart;
  if (!["Always", "OnFailure", "Never"].includes(restart))
    throw new CtlError(`invalid restart policy: ${restart}\nSee '${context.program} run -h' for help and examples`);
  const words = [...inline, ...(context.dashAt === undefined ? [] : context.args.slice(context.dashAt))];
  const pod = await recorded(context, overridden(context, podOf(context, name, image, words)));
  if (flags.expose)
    await createGenerated(context, serviceOf(name, labelsOf(context, name), Number(flags.port)), true, "run");
  if (!isAttached || flags["dry-run"] !== "none") {
    await createGenerated(context, pod, true, "run");
    return;
  }
  const created = await createGenerated(context, pod, true, "run", { isQuiet: true });
  try {
    await runAttached(context, created);
  } finally {
    if (flags.rm) await remove(context, created);
  }
}

/** Prints the output of the container and exits with its code, unless the container is restarted. */
async function runAttached(context: RunContext, pod: Json): Promise<void> {
  const { flags } = context;
  const timeoutMs = flags["pod-running-timeout"];
  const [stdin, tty] = [flags.stdin, flags.tty];
  await attachToNew(context, pod, { container: "", stdin, tty, isQuiet: flags.quiet }, timeoutMs);
  if (flags.restart === "Always" || flags["leave-stdin-open"]) return;
  throwPodEnding(await waitForPod(context, pod, timeoutMs, isCompleted));
}

async function remove(context: Context, pod: Json): Promise<void> {
  const resource = await findResource(context, "pods");
  await context.at(resource).delete({ namespace: namespaceOf(pod), name: nameOf(pod) });
  context.print(`pod "${nameOf(pod)}" deleted\n`);
}

function labelsOf({ flags }: RunContext, name: string): Json {
  if (flags.labels === "") return { run: name };
  const words = flags.labels.split(",");
  const wrong = words.find((word) => !/^[^=]+=/.test(word));
  if (wrong !== undefined) throw new CtlError(`unexpected label spec: ${wrong}`);
  return pairsOf(words, "label");
}

function podOf(context: RunContext, name: string, image: string, words: readonly string[]): Json {
  const { flags } = context;
  const env = flags.env.map((word) => {
    const at = word.indexOf("=");
    if (at <= 0) throw new CtlError(`invalid env: ${word}`);
    return { name: word.slice(0, at), value: word.slice(at + 1) };
  });
  const amounts = (text: string) => (text === "" ? undefined : pairsOf(text.split(","), "argument syntax"));
  const [limits, requests] = [amounts(flags.limits), amounts(flags.requests)];
  const port = flags.port;
  if (port !== "" && !/^\d+$/.test(port)) throw new CtlError(`strconv.Atoi: parsing "${port}": invalid syntax`);
  const annotations = flags.annotations;
  const container: Json = {
    ...(words.length === 0 ? {} : flags.command ? { command: [...words] } : { args: [...words] }),
    ...(env.length === 0 ? {} : { env }),
    image,
    ...(flags["image-pull-policy"] === "" ? {} : { imagePullPolicy: flags["image-pull-policy"] }),
    name,
    ...(port === ""
      ? {}
      : {
          ports: [{ containerPort: Number(port), ...(flags.hostport >= 0 ? { hostPort: flags.hostport } : {}) }],
        }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
    ...(flags.privileged ? { securityContext: { privileged: true } } : {}),
    ...(flags.stdin ? { stdin: true, stdinOnce: !flags["leave-stdin-open"] } : {}),
    ...(flags.tty ? { tty: true } : {}),
  };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...(annotations.length === 0 ? {} : { annotations: pairsOf(annotations, "annotation") }),
      creationTimestamp: null,
      labels: labelsOf(context, name),
      name,
    },
    spec: {
      containers: [container],
      dnsPolicy: "ClusterFirst",
      restartPolicy: flags.restart,
      ...(flags.serviceaccount === "" ? {} : { serviceAccountName: flags.serviceaccount }),
    },
    status: {},
  };
}

/** --overrides: JSON that is merged into the generated object. */
export function overridden(context: Context<{ readonly overrides: string }>, made: Json): Json {
  const text = context.flags.overrides;
  if (text === "") return made;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new CtlError("Invalid JSON Patch", { cause: error });
  }
  if (!isJson(value)) throw new CtlError("--overrides must be a JSON object");
  const result = applyMergePatch(copy(made), value);
  if (!isJson(result)) throw new CtlError("--overrides must be a JSON object");
  ensure(result, "metadata");
  return typedForm(result);
}

function serviceOf(name: string, selector: Json, port: number): Json {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { creationTimestamp: null, name },
    spec: { ports: [{ port, protocol: "TCP", targetPort: port }], selector },
    status: { loadBalancer: {} },
  };
}

/** A registry may have upper-case letters; the path of an image may not. */
export function isImage(image: string): boolean {
  const match = /^(?<name>[^@]+?)(?::[\w][\w.-]{0,127})?(?:@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$/.exec(image);
  const parts = (match?.groups?.["name"] ?? "").split("/");
  const [first = ""] = parts;
  const hasRegistry = parts.length > 1 && (/[.:]/.test(first) || first === "localhost");
  const path = hasRegistry ? parts.slice(1) : parts;
  return path.length > 0 && path.every((part) => /^[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*$/.test(part));
}
