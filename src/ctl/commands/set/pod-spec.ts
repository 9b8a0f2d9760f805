/** `set image`, `set resources` and `set serviceaccount`. */

import { string } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import { CtlError } from "../../errors.ts";
import { hasFiles, nothingNamed } from "../../input/lookups.ts";
import { ensure, type Json, text } from "../../json.ts";
import { pairsOf } from "../create/generator.ts";
import { hardOf } from "../create/small.ts";
import { changeAll, changeFlags, containersOf, isNamed, requirePodSpec, splitPairs } from "./change.ts";

export const setImage = command({
  name: "image",
  summary: "Update the image of a pod template",
  usage: "(-f FILENAME | TYPE NAME) CONTAINER_NAME_1=CONTAINER_IMAGE_1 ... CONTAINER_NAME_N=CONTAINER_IMAGE_N",
  examples: `ctl set image deployment/nginx busybox=busybox nginx=nginx:1.9.1
ctl set image deployments,rc nginx=nginx:1.9.1 --all
ctl set image -f path/to/file.yaml nginx=nginx:1.9.1 --local -o yaml`,
  flags: changeFlags,
  async run(context) {
    const { resources, pairs } = splitPairs(context.args);
    if (resources.length === 0 && !hasFiles(context)) throw new CtlError(nothingNamed);
    const images = Object.entries(pairsOf(pairs, "image")).map(([name, image]) => [name, String(image)] as const);
    if (images.length > 1 && images.some(([name]) => name === "*"))
      throw new CtlError(
        "all containers are already specified by *, but saw more than one container_name=container_image pairs",
      );
    await changeAll(context, {
      args: resources,
      done: "image updated",
      failure: "failed to patch image update to pod template: ",
      check() {
        if (pairs.length === 0) throw new CtlError("at least one image update is required");
      },
      apply(object) {
        const containers = containersOf(requirePodSpec(object));
        let problem: CtlError | undefined;
        for (const [name, image] of images) {
          const found = containers.filter((container) => isNamed(container, name));
          // The prefix is part of it: kubectl prints it for each of several objects.
          if (found.length === 0)
            problem ??= new CtlError(`error: unable to find container named "${name}"`, { isBare: true });
          for (const container of found) container["image"] = image;
        }
        return problem;
      },
    });
  },
});

const amountsOf = (text: string): Json => (text === "" ? {} : hardOf(text));

export const setResources = command({
  name: "resources",
  summary: "Update resource requests/limits on objects with pod templates",
  usage: "(-f FILENAME | TYPE NAME) ([--limits=LIMITS & --requests=REQUESTS])",
  examples: `ctl set resources deployment nginx -c=nginx --limits=cpu=200m,memory=512Mi
ctl set resources deployment nginx --limits=cpu=0,memory=0 --requests=cpu=0,memory=0`,
  flags: {
    ...changeFlags,
    containers: string("Which containers, with wildcards", "*", { short: "c" }),
    limits: string("Limits, as resource=quantity pairs"),
    requests: string("Requests, as resource=quantity pairs"),
  },
  async run(context) {
    const { flags } = context;
    const amounts = { limits: amountsOf(flags.limits), requests: amountsOf(flags.requests) };
    await changeAll(context, {
      args: context.args,
      done: "resource requirements updated",
      failure: "failed to patch resources update to pod template ",
      check() {
        if (flags.limits === "" && flags.requests === "")
          throw new CtlError("you must specify an update to requests or limits (in the form of --requests/--limits)");
      },
      apply(object) {
        const found = containersOf(requirePodSpec(object)).filter((container) => isNamed(container, flags.containers));
        if (found.length === 0) throw new CtlError(`unable to find container named ${flags.containers}`);
        for (const container of found)
          for (const kind of ["limits", "requests"] as const) {
            for (const [name, amount] of Object.entries(amounts[kind])) {
              const target = ensure(container, "resources", kind);
              // Zero removes the entry.
              if (amount === "0") delete target[name];
              else target[name] = amount;
            }
          }
        return undefined;
      },
    });
  },
});

export const setServiceAccount = command({
  name: "serviceaccount",
  aliases: ["sa"],
  summary: "Update the service account of a resource",
  usage: "(-f FILENAME | TYPE NAME) SERVICE_ACCOUNT",
  examples: `ctl set serviceaccount deployment nginx-deployment serviceaccount1
ctl set sa -f nginx-deployment.yaml serviceaccount1 --local --dry-run=client -o yaml`,
  flags: changeFlags,
  async run(context) {
    const account = context.args.at(-1);
    if (account === undefined) throw new CtlError("serviceaccount is required");
    await changeAll(context, {
      args: context.args.slice(0, -1),
      done: "serviceaccount updated",
      failure: "failed to patch ServiceAccountName ",
      apply(object) {
        const spec = requirePodSpec(object);
        spec["serviceAccountName"] = account;
        if (text(spec, "serviceAccount") !== "") spec["serviceAccount"] = account;
        return undefined;
      },
    });
  },
});
