/** `create deployment`, `job` and `cronjob`. */

import { int, string, strings } from "../../../base/flags/flag.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { findResource } from "../../input/lookups.ts";
import { copy, type Json, nameOf, object, text } from "../../json.ts";
import { commandArguments, generator } from "./generator.ts";

const imageFlag = { image: string("The image to run") };

function container(context: Context, name: string, image: string): Json {
  const command = commandArguments(context);
  return { ...(command.length === 0 ? {} : { command: [...command] }), image, name, resources: {} };
}

/** "registry/path/nginx:1.19@sha256:…" -> "nginx". */
function nameOfImage(image: string): string {
  const last = image.split("@")[0]?.split("/").at(-1) ?? image;
  return (last.split(":")[0] ?? last).replaceAll("_", "-");
}

export const deployment = generator({
  name: "deployment",
  aliases: ["deploy"],
  summary: "Create a deployment with the specified name",
  usage: "NAME --image=image -- [COMMAND] [args...]",
  examples: `ctl create deployment my-dep --image=busybox --replicas=3
ctl create deployment my-dep --image=nginx --port=5701
ctl create deployment my-dep --image=busybox -- date`,
  flags: {
    image: strings("Images to run"),
    port: int("The port that the container exposes", -1),
    replicas: int("How many pods", 1, { short: "r" }),
  },
  required: ["image"],
  isNamespaced: true,
  failure: "failed to create deployment: ",
  build(context, name) {
    const { flags } = context;
    const images = flags.image;
    const command = commandArguments(context);
    if (images.length > 1 && command.length > 0)
      throw new CtlError("cannot specify multiple --image options and command");
    const labels = { app: name };
    const containers = images.map((image) => container(context, nameOfImage(image), image));
    if (flags.port >= 0 && containers[0] !== undefined) containers[0]["ports"] = [{ containerPort: flags.port }];
    return {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { creationTimestamp: null, labels, name },
      spec: {
        replicas: flags.replicas,
        selector: { matchLabels: labels },
        strategy: {},
        template: { metadata: { creationTimestamp: null, labels }, spec: { containers } },
      },
      status: {},
    };
  },
});

export const job = generator({
  name: "job",
  summary: "Create a job with the specified name",
  usage: "NAME --image=image [--from=cronjob/name] -- [COMMAND] [args...]",
  examples: `ctl create job my-job --image=busybox -- date
ctl create job test-job --from=cronjob/a-cronjob`,
  flags: { ...imageFlag, from: string("The cron job whose template to use, as cronjob/name") },
  isNamespaced: true,
  failure: "failed to create job: ",
  async build(context, name) {
    const { flags } = context;
    const [image, from] = [flags.image, flags.from];
    if ((image === "") === (from === "")) throw new CtlError("either --image or --from must be specified");
    if (from !== "" && commandArguments(context).length > 0) throw new CtlError("cannot specify --from and command");
    if (from !== "") return jobOfCronJob(context, name, from);
    return {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { creationTimestamp: null, name },
      spec: {
        template: {
          metadata: { creationTimestamp: null },
          spec: { containers: [container(context, name, image)], restartPolicy: "Never" },
        },
      },
      status: {},
    };
  },
});

async function jobOfCronJob(context: Context, name: string, from: string): Promise<Json> {
  const [type = "", source = "", ...rest] = from.split("/");
  const resource = await findResource(context, type);
  if (source === "" || rest.length > 0) throw new CtlError("from must be an existing cronjob");
  const cron = await context.at(resource).get({ namespace: context.namespace, name: source });
  if (resource.kind !== "CronJob") throw new CtlError(`unknown object type *${resource.version}.${resource.kind}`);
  const template = object(cron, "spec", "jobTemplate");
  const group =
    (await context.vocabulary()).tool === "kubectl"
      ? "cronjob.kubernetes.io/instantiate"
      : "cronjob.orch.io/instantiate";
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      annotations: { ...copy(object(template, "metadata", "annotations")), [group]: "manual" },
      creationTimestamp: null,
      ...(template["metadata"] === undefined ? {} : { labels: copy(object(template, "metadata", "labels")) }),
      name,
      ownerReferences: [
        {
          apiVersion: `${resource.group}/${resource.version}`,
          controller: true,
          kind: resource.kind,
          name: nameOf(cron),
          uid: text(cron, "metadata", "uid"),
        },
      ],
    },
    spec: copy(object(template, "spec")),
    status: {},
  };
}

export const cronJob = generator({
  name: "cronjob",
  aliases: ["cj"],
  summary: "Create a cron job with the specified name",
  usage: "NAME --image=image --schedule='0/5 * * * ?' -- [COMMAND] [args...]",
  examples: `ctl create cronjob my-job --image=busybox --schedule="*/1 * * * *"
ctl create cronjob my-job --image=busybox --schedule="*/1 * * * *" -- date`,
  flags: {
    ...imageFlag,
    schedule: string("When to run, in the form of cron"),
    restart: string("OnFailure or Never", "OnFailure"),
  },
  required: ["image", "schedule"],
  isNamespaced: true,
  failure: "failed to create cronjob: ",
  build(context, name) {
    const { flags } = context;
    const template = {
      metadata: { creationTimestamp: null },
      spec: { containers: [container(context, name, flags.image)], restartPolicy: flags.restart },
    };
    return {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata: { creationTimestamp: null, name },
      spec: {
        jobTemplate: { metadata: { creationTimestamp: null, name }, spec: { template } },
        schedule: flags.schedule,
      },
      status: {},
    };
  },
});
