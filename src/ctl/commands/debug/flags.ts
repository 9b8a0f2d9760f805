/** The flags of `debug`, and which of them go together. */

import { bool, FlagError, type FlagValues, string, stringArray, strings } from "../../../base/flags/flag.ts";
import type { Context } from "../../context.ts";
import { CtlError } from "../../errors.ts";
import { fieldManagerFlag, filenameFlags } from "../../flags/declared.ts";
import { hasFiles } from "../../input/lookups.ts";
import { isImage } from "../run.ts";
import { isProfile, profileNames } from "./profiles.ts";

export const debugFlags = {
  ...filenameFlags,
  ...fieldManagerFlag(""),
  "arguments-only": bool("The words after -- are arguments, not the command"),
  attach: bool("Wait until the container runs, and attach to it"),
  container: string("The name of the container to debug with", "", { short: "c" }),
  "copy-to": string("Debug a copy of the pod with this name"),
  env: stringArray("Environment of the container, as key=value"),
  image: string("The image to debug with"),
  "image-pull-policy": string("Always, IfNotPresent or Never"),
  "keep-annotations": bool("With --copy-to: the copy keeps the annotations of the pod"),
  "keep-init-containers": bool("With --copy-to: the copy runs the init containers of the pod", true),
  "keep-labels": bool("With --copy-to: the copy keeps the labels of the pod, so that services may select it"),
  "keep-liveness": bool("With --copy-to: the copy keeps liveness probes"),
  "keep-readiness": bool("With --copy-to: the copy keeps readiness probes"),
  "keep-startup": bool("With --copy-to: the copy keeps startup probes"),
  profile: string(
    `What the container may do: ${profileNames.join(", ")}; the default is general where the server allows it`,
  ),
  quiet: bool("Say less", false, { short: "q" }),
  replace: bool("With --copy-to: delete the original"),
  "same-node": bool("With --copy-to: on the same node"),
  "set-image": strings("With --copy-to: other images, as container=image"),
  "share-processes": bool("With --copy-to: containers see each other", true),
  stdin: bool("Keep standard input open", false, { short: "i" }),
  target: string("The container whose processes are shown"),
  tty: bool("Give the container a terminal", false, { short: "t" }),
};

export type DebugContext = Context<FlagValues<typeof debugFlags>>;

const ofCopies = [
  "replace",
  "same-node",
  "keep-annotations",
  "keep-init-containers",
  "keep-labels",
  "keep-liveness",
  "keep-readiness",
  "keep-startup",
] as const;

/** Throws if flags contradict each other. `words`: the command of the container. */
export function checkFlags(context: DebugContext, names: readonly string[], words: readonly string[]): void {
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
  for (const flag of ofCopies)
    if (!isCopied && context.isSet(flag)) throw new CtlError(`--${flag} may only be used with --copy-to.`);
  if (context.isSet("profile") && !isProfile(given.profile))
    throw new CtlError(`unknown profile: ${given.profile}; profiles are ${profileNames.join(", ")}`);
  if (isCopied && given.target !== "")
    throw new CtlError("--target is incompatible with --copy-to. Use --share-processes instead.");
  if (given.tty && !given.stdin) throw new CtlError("-i/--stdin is required for containers with -t/--tty=true");
  if (names.length === 0 && !hasFiles(context)) throw new CtlError("NAME or TYPE/NAME is required for debug");
}
