/** `run`: creates a pod with one container. */

import { applyMergePatch } from "../../machinery/patch/merge-patch.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, RequiredFlags, UsageError } from "../errors.ts";
import { dryRunFlag, fieldManagerFlag, printFlags, recordFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { copy, ensure, isJson, type Json, nameOf, namespaceOf } from "../json.ts";
import { dryRunOf } from "../output/formats.ts";
import { attachToNew, throwPodEnding, waitForPod } from "../streams/new-container.ts";
import { isCompleted } from "../streams/pods.ts";
import { recorded } from "../write/notes.ts";
import { createGenerated, pairsOf } from "./create/generator.ts";
import { typedForm } from "./set/typed-form.ts";

export const run: Command = {
  name: "run",
  summary: "Run a particular image on the cluster",
  usage:
    'NAME --image=image [--env="key=value"] [--port=port] [--dry-run=server|client] [--overrides=inline-json] [--command] -- [COMMAND] [args...]',
  examples: `ctl run nginx --image=nginx
ctl run hazelcast --image=hazelcast --port=5701 --env="DNS_DOMAIN=cluster" --labels="app=hazelcast,env=prod"
ctl run busybox --image=busybox --restart=Never -- sh -c 'echo hello'
ctl run -it --rm busybox --image=busybox --restart=Never`,
  flags: [
    ...printFlags,
    dryRunFlag,
    recordFlag,
    fieldManagerFlag("run"),
    { name: "image", type: "text", help: "The image to run" },
    { name: "image-pull-policy", type: "text", help: "Always, IfNotPresent or Never" },
    { name: "env", type: "array", help: "Environment, as key=value" },
    { name: "port", type: "text", help: "The port that the container exposes" },
    { name: "hostport", type: "int", value: "-1", help: "The port of the node", isHidden: true },
    { name: "expose", type: "bool", help: "Also create a service for the port" },
    { name: "labels", short: "l", type: "text", help: "Labels, as key=value pairs separated by commas" },
    { name: "annotations", type: "array", help: "Annotations, as key=value" },
    { name: "restart", type: "text", value: "Always", help: "Always, OnFailure or Never" },
    { name: "command", type: "bool", help: "The words after -- are the command, not its arguments" },
    { name: "overrides", type: "text", help: "JSON that is merged into the pod" },
    { name: "limits", type: "text", help: "Limits, as resource=quantity pairs" },
    { name: "requests", type: "text", help: "Requests, as resource=quantity pairs" },
    { name: "serviceaccount", type: "text", help: "The service account of the pod" },
    { name: "privileged", type: "bool", help: "Run the container as privileged" },
    { name: "stdin", short: "i", type: "bool", help: "Keep standard input open" },
    { name: "tty", short: "t", type: "bool", help: "Give the container a terminal" },
    { name: "rm", type: "bool", help: "Delete the pod after it has ended; needs an attached container" },
    { name: "attach", type: "bool", help: "Wait until the container runs, and attach to it" },
    { name: "quiet", short: "q", type: "bool", help: "Say less" },
    { name: "leave-stdin-open", type: "bool", help: "Do not wait for the end of the pod after the session" },
    { name: "pod-running-timeout", type: "duration", value: "1m0s", help: "How long to wait until the pod runs" },
    { name: "generator", type: "text", help: "Ignored", isHidden: true },
    { name: "schedule", type: "text", help: "Ignored", isHidden: true },
    { name: "save-config", type: "bool", help: "Save the configuration in the last-applied annotation" },
    { name: "wait", type: "bool", help: "Ignored", isHidden: true },
    { name: "force", type: "bool", help: "Ignored", isHidden: true },
    { name: "grace-period", type: "int", value: "-1", help: "Ignored", isHidden: true },
  ],
  run: start,
};

async function start(context: Context): Promise<void> {
  const { flags } = context;
  const before = context.dashAt === undefined ? context.args : context.args.slice(0, context.dashAt);
  const [name, ...inline] = before;
  if (!flags.isSet("image")) throw new RequiredFlags(["image"]);
  if (name === undefined) throw new UsageError("NAME is required for run");
  const image = flags.text("image");
  if (image === "") throw new CtlError("--image is required");
  if (!isImage(image)) throw new CtlError(`Invalid image name "${image}": invalid reference format`);
  if (flags.on("tty") && !flags.on("stdin"))
    throw new CtlError("-i/--stdin is required for containers with -t/--tty=true");
  if (flags.on("expose") && flags.text("port") === "")
    throw new UsageError("--port must be set when exposing a service");
  const isAttached = flags.on("attach") || flags.on("stdin");
  if ((isAttached || flags.on("tty")) && dryRunOf(context) !== "none")
    throw new UsageError(
      "--dry-run=[server|client] can't be used with attached containers options (--attach, --stdin, or --tty)",
    );
  if (flags.on("rm") && !isAttached) throw new UsageError("--rm should only be used for attached containers");
  const policy = flags.text("image-pull-policy");
  if (policy !== "" && !["Always", "IfNotPresent", "Never"].includes(policy))
    throw new UsageError(`invalid image pull policy: ${policy}`);
  const restart = flags.text("restart");
  if (!["Always", "OnFailure", "Never"].includes(restart))
    throw new CtlError(`invalid restart policy: ${restart}\nSee '${context.program} run -h' for help and examples`);
  const words = [...inline, ...(context.dashAt === undefined ? [] : context.args.slice(context.dashAt))];
  const pod = await recorded(context, overridden(context, podOf(context, name, image, words)));
  if (flags.on("expose"))
    await createGenerated(context, serviceOf(name, labelsOf(context, name), Number(flags.text("port"))), true, "run");
  if (!isAttached || flags.text("dry-run") !== "none") {
    await createGenerated(context, pod, true, "run");
    return;
  }
  const created = await createGenerated(context, pod, true, "run", { isQuiet: true });
  try {
    await runAttached(context, created);
  } finally {
    if (flags.on("rm")) await remove(context, created);
  }
}

/** Prints the output of the container and exits with its code, unless the container is restarted. */
async function runAttached(context: Context, pod: Json): Promise<void> {
  const { flags } = context;
  const timeoutMs = flags.durationMs("pod-running-timeout");
  const [stdin, tty] = [flags.on("stdin"), flags.on("tty")];
  await attachToNew(context, pod, { container: "", stdin, tty, isQuiet: flags.on("quiet") }, timeoutMs);
  if (flags.text("restart") === "Always" || flags.on("leave-stdin-open")) return;
  throwPodEnding(await waitForPod(context, pod, timeoutMs, isCompleted));
}

async function remove(context: Context, pod: Json): Promise<void> {
  const resource = await findResource(context, "pods");
  await context.at(resource).delete({ namespace: namespaceOf(pod), name: nameOf(pod) });
  context.print(`pod "${nameOf(pod)}" deleted\n`);
}

function labelsOf({ flags }: Context, name: string): Json {
  if (flags.text("labels") === "") return { run: name };
  const words = flags.text("labels").split(",");
  const wrong = words.find((word) => !/^[^=]+=/.test(word));
  if (wrong !== undefined) throw new CtlError(`unexpected label spec: ${wrong}`);
  return pairsOf(words, "label");
}

function podOf(context: Context, name: string, image: string, words: readonly string[]): Json {
  const { flags } = context;
  const env = flags.list("env").map((word) => {
    const at = word.indexOf("=");
    if (at <= 0) throw new CtlError(`invalid env: ${word}`);
    return { name: word.slice(0, at), value: word.slice(at + 1) };
  });
  const amounts = (text: string) => (text === "" ? undefined : pairsOf(text.split(","), "argument syntax"));
  const [limits, requests] = [amounts(flags.text("limits")), amounts(flags.text("requests"))];
  const port = flags.text("port");
  if (port !== "" && !/^\d+$/.test(port)) throw new CtlError(`strconv.Atoi: parsing "${port}": invalid syntax`);
  const annotations = flags.list("annotations");
  const container: Json = {
    ...(words.length === 0 ? {} : flags.on("command") ? { command: [...words] } : { args: [...words] }),
    ...(env.length === 0 ? {} : { env }),
    image,
    ...(flags.text("image-pull-policy") === "" ? {} : { imagePullPolicy: flags.text("image-pull-policy") }),
    name,
    ...(port === ""
      ? {}
      : {
          ports: [
            { containerPort: Number(port), ...(flags.int("hostport") >= 0 ? { hostPort: flags.int("hostport") } : {}) },
          ],
        }),
    resources: { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) },
    ...(flags.on("privileged") ? { securityContext: { privileged: true } } : {}),
    ...(flags.on("stdin") ? { stdin: true, stdinOnce: !flags.on("leave-stdin-open") } : {}),
    ...(flags.on("tty") ? { tty: true } : {}),
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
      restartPolicy: flags.text("restart"),
      ...(flags.text("serviceaccount") === "" ? {} : { serviceAccountName: flags.text("serviceaccount") }),
    },
    status: {},
  };
}

/** --overrides: JSON that is merged into the generated object. */
export function overridden(context: Context, made: Json): Json {
  const text = context.flags.text("overrides");
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
