/** `logs`: prints the logs of containers, as the server streams them from their nodes. */

import { anyDuration, bool, type FlagValues, int, string } from "../../base/flags/flag.ts";
import { objectPath } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { podTimeoutFlag, selectorFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { type Json, list, nameOf, namespaceOf, text } from "../json.ts";
import { explained, requireNode } from "../streams/connect.ts";
import { LogPrinter } from "../streams/log-printer.ts";
import { chosenContainer, containerFlag, findContainer, findPods } from "../streams/pods.ts";

const logsFlags = {
  ...containerFlag,
  ...selectorFlag,
  follow: bool("Follow the log", false, { short: "f" }),
  previous: bool("The log of the previous container", false, { short: "p" }),
  tail: int("Only the last lines; -1: all, with a selector 10", -1),
  since: anyDuration("Only lines newer than this duration"),
  "since-time": string("Only lines newer than this time (RFC 3339)"),
  timestamps: bool("With times"),
  "limit-bytes": int("The maximum number of bytes"),
  "all-containers": bool("The logs of all containers"),
  prefix: bool("Prefix each line with the pod and the container"),
  "ignore-errors": bool("Continue after a failure"),
  "max-log-requests": int("How many logs may be followed at once", 5),
  ...podTimeoutFlag(20_000),
  "insecure-skip-tls-verify-backend": bool("Do not check the certificate of the node"),
};

type LogsContext = Context<FlagValues<typeof logsFlags>>;

export const logs = command({
  name: "logs",
  aliases: ["log"],
  summary: "Print the logs for a container in a pod",
  usage: "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
  examples: `ctl logs nginx
ctl logs -f deployment/web -c ruby --tail=20
ctl logs -l app=nginx --all-containers --prefix
ctl logs -p --since=1h job/backup`,
  flags: logsFlags,
  run,
});

interface Log {
  readonly pod: Json;
  readonly container: string;
}

async function run(context: LogsContext): Promise<void> {
  const { flags } = context;
  check(context);
  const wanted = await logsOf(context);
  const printer = new LogPrinter(context, { hasPrefix: flags.prefix });
  const print = async (log: Log) => {
    try {
      await printLog(context, log, printer);
    } catch (error) {
      if (!flags["ignore-errors"] || context.signal.aborted) throw error;
      context.say(`error: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  if (!flags.follow || wanted.length < 2) {
    for (const log of wanted) await print(log);
    return;
  }
  const max = flags["max-log-requests"];
  if (wanted.length > max)
    throw new CtlError(
      `you are attempting to follow ${wanted.length} log streams, but maximum allowed concurrency is ${max}, use --max-log-requests to increase the limit`,
    );
  await Promise.all(wanted.map(print));
}

function check(context: LogsContext): void {
  const { flags, args } = context;
  const selector = flags.selector;
  if (selector !== "" && args.length > 0) throw new UsageError("only a selector (-l) or a POD name is allowed");
  if (selector === "" && args.length === 0)
    throw new UsageError(
      "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command",
    );
  if (args.length > 2)
    throw new UsageError(
      "expected 'logs [-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]'.\nPOD or TYPE/NAME is a required argument for the logs command",
    );
  if (args.length === 2 && context.isSet("container"))
    throw new CtlError("only one of -c or an inline [CONTAINER] arg is allowed");
  if (context.isSet("since") && flags["since-time"] !== "")
    throw new CtlError("at most one of `sinceTime` or `sinceSeconds` may be specified");
  const sinceTime = flags["since-time"];
  if (sinceTime !== "" && !/^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(sinceTime))
    throw new CtlError(
      `parsing time "${sinceTime}" as "2006-01-02T15:04:05Z07:00": cannot parse "${sinceTime}" as "2006"`,
    );
  if (context.isSet("since") && flags.since <= 0) throw new CtlError("--since must be greater than 0");
  if (flags.tail < -1) throw new CtlError("--tail must be greater than or equal to -1");
  if (flags["limit-bytes"] < 0) throw new CtlError("--limit-bytes must be greater than 0");
  const container = args[1] ?? flags.container;
  if (flags["all-containers"] && container !== "")
    throw new CtlError(`--all-containers=true should not be specified with container name ${container}`);
}

/** The containers whose logs are printed; for a workload, those of its most active pod. */
async function logsOf(context: LogsContext): Promise<Log[]> {
  const { flags, args } = context;
  const [word, inline] = args;
  let pods: readonly Json[];
  if (word === undefined) {
    const found: Json[] = [];
    const query = { namespace: context.namespace, labelSelector: flags.selector };
    for await (const pod of context.at(await findResource(context, "pods")).items(query)) found.push(pod);
    if (found.length === 0 && context.behaviour.saysNothingFound)
      context.say(`No resources found in ${context.namespace} namespace.`);
    pods = found;
  } else {
    const { pods: found } = await findPods(context, { word, purpose: "get the logs from" });
    pods = found.slice(0, 1);
    if (found.length > 1) context.say(`Found ${found.length} pods, using pod/${nameOf(pods[0])}`);
  }
  const wanted: Log[] = [];
  for (const pod of pods)
    for (const container of await containersOf(context, pod, flags.container || inline || ""))
      wanted.push({ pod, container });
  return wanted;
}

async function containersOf(context: LogsContext, pod: Json, wanted: string): Promise<string[]> {
  if (context.flags["all-containers"])
    return ["initContainers", "containers", "ephemeralContainers"].flatMap((field) =>
      list(pod, "spec", field).map((one) => text(one, "name")),
    );
  if (wanted !== "" && findContainer(pod, wanted) === undefined)
    throw new CtlError(`container ${wanted} is not valid for pod ${nameOf(pod)}`);
  if (context.behaviour.requiresContainerName && wanted === "") await requireOneContainer(context, pod);
  const isOnly = list(pod, "spec", "containers").length === 1;
  return [text(await chosenContainer(context, pod, wanted, context.behaviour.requiresContainerName && isOnly), "name")];
}

/** v1.21 does not choose among several containers, unless an annotation of the pod does. */
async function requireOneContainer(context: Context, pod: Json): Promise<void> {
  const annotation = (await context.vocabulary()).word("ctl.orch.io/default-container");
  if (list(pod, "spec", "containers").length < 2 || text(pod, "metadata", "annotations", annotation) !== "") return;
  const names = (field: string) =>
    list(pod, "spec", field)
      .map((one) => text(one, "name"))
      .join(" ");
  const others = [
    ["init", names("initContainers")],
    ["ephemeral", names("ephemeralContainers")],
  ].flatMap(([kind, found]) => (found === "" ? [] : [` or one of the ${kind} containers: [${found}]`]));
  throw new CtlError(
    `a container name must be specified for pod ${nameOf(pod)}, choose one of: [${names("containers")}]${others.join("")}`,
  );
}

async function printLog(context: LogsContext, { pod, container }: Log, printer: LogPrinter): Promise<void> {
  const { flags } = context;
  const hasSelector = flags.selector !== "";
  const tail = context.isSet("tail") || !hasSelector ? flags.tail : 10;
  const query = {
    container,
    follow: flags.follow || undefined,
    previous: flags.previous || undefined,
    timestamps: flags.timestamps || undefined,
    tailLines: tail >= 0 ? tail : undefined,
    sinceSeconds: context.isSet("since") ? Math.round(flags.since / 1000) : undefined,
    sinceTime: flags["since-time"],
    limitBytes: flags["limit-bytes"] || undefined,
    insecureSkipTLSVerifyBackend: flags["insecure-skip-tls-verify-backend"] || undefined,
  };
  requireNode(context, pod, "logs");
  const resource = await findResource(context, "pods");
  const path = objectPath(resource, { namespace: namespaceOf(pod), name: nameOf(pod) }, "log");
  const response = await context.session.send
    .open(path, { query, accept: "text/plain, */*" })
    .catch(async (error: unknown) => {
      throw await explained(context, "logs", error);
    });
  if (response.body !== null) await printer.print(response.body, `[pod/${nameOf(pod)}/${container}] `);
}
