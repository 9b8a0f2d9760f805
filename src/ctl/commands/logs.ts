/** `logs`: what containers print, as the server streams it from their nodes. */

import { pathOf } from "../api/api.ts";
import type { Command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, ServerError } from "../errors.ts";
import { selectorFlag } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { list, nameOf, namespaceOf, text } from "../json.ts";
import { containerFlag, podsOf } from "./pods-of.ts";
import { podSpecOf } from "./set/change.ts";

export const logs: Command = {
  name: "logs",
  aliases: ["log"],
  summary: "Print the logs for a container in a pod",
  usage: "[-f] [-p] (POD | TYPE/NAME) [-c CONTAINER]",
  flags: [
    containerFlag,
    selectorFlag,
    { name: "follow", short: "f", type: "bool", help: "Print what comes" },
    { name: "previous", short: "p", type: "bool", help: "Of the container that ran before" },
    { name: "tail", type: "int", value: "-1", help: "Only the last lines" },
    { name: "since", type: "duration", help: "Only what is newer than this" },
    { name: "since-time", type: "text", help: "Only what is newer than this time" },
    { name: "timestamps", type: "bool", help: "With times" },
    { name: "limit-bytes", type: "int", value: "0", help: "At most so many bytes" },
    { name: "all-containers", type: "bool", help: "Of all containers" },
    { name: "prefix", type: "bool", help: "With the name of the pod before each line" },
    { name: "ignore-errors", type: "bool", help: "Go on after a failure" },
    { name: "max-log-requests", type: "int", value: "5", help: "Ignored", isHidden: true },
    { name: "pod-running-timeout", type: "duration", value: "20s", help: "Ignored", isHidden: true },
    { name: "insecure-skip-tls-verify-backend", type: "bool", help: "Do not check the certificate of the node" },
  ],
  run: runLogs,
};

async function runLogs(context: Context): Promise<void> {
  const { flags } = context;
  const [word, given] = context.args;
  const resource = await findResource(context, "pods");
  for (const pod of await podsOf(context, word)) {
    const names = list(podSpecOf(pod), "containers").map((one) => text(one, "name"));
    const chosen = flags.text("container") || given || "";
    if (chosen !== "" && !names.includes(chosen))
      throw new CtlError(`container ${chosen} is not valid for pod ${nameOf(pod)}`);
    if (chosen === "" && names.length > 1 && !flags.on("all-containers"))
      context.say(`Defaulted container "${names[0]}" out of: ${names.join(", ")}`);
    for (const container of flags.on("all-containers") ? names : [chosen || names[0] || ""]) {
      const query = {
        container,
        follow: flags.on("follow") || undefined,
        previous: flags.on("previous") || undefined,
        timestamps: flags.on("timestamps") || undefined,
        tailLines: flags.int("tail") >= 0 ? flags.int("tail") : undefined,
        sinceSeconds: flags.isSet("since") ? Math.round(flags.durationMs("since") / 1000) : undefined,
        sinceTime: flags.text("since-time"),
        limitBytes: flags.int("limit-bytes") || undefined,
      };
      const place = { resource, namespace: namespaceOf(pod), name: nameOf(pod), subresource: "log" };
      const response = await context.api
        .request(pathOf(place), { query, accept: "text/plain, */*" })
        .catch((error: unknown) => {
          throw explained(error, "logs");
        });
      if (response.body === null) continue;
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        context.printRaw(
          flags.on("prefix") ? chunk.replaceAll(/^(?=.)/gm, `[pod/${nameOf(pod)}/${container}] `) : chunk,
        );
        await context.environment.stdout.drained();
      }
    }
  }
}

/** The answer of a server without node agents does not explain the problem. */
function explained(error: unknown, what: string): unknown {
  const isMissing =
    error instanceof ServerError &&
    (error.code === 404 || error.code === 405 || error.code === 501 || error.code === 503 || error.code === 500);
  const isPodMissing =
    error instanceof ServerError && error.reason === "NotFound" && /"[^"]+" not found/.test(error.message);
  return isMissing && !isPodMissing
    ? new CtlError(`${what} needs an agent on the node of the pod, and none answers: ${error.message}`)
    : error;
}
