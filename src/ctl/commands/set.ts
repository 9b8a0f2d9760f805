/** `set`: changes one thing of a workload: image, environment, resources, selector, service account, subjects. */

import type { Command } from "../command.ts";
import { setEnv } from "./set/env.ts";
import { setSelector, setSubject } from "./set/others.ts";
import { setImage, setResources, setServiceAccount } from "./set/pod-spec.ts";

export const set: Command = {
  name: "set",
  summary: "Set specific features on objects",
  usage: "SUBCOMMAND",
  subcommands: [setEnv, setImage, setResources, setSelector, setServiceAccount, setSubject],
};
