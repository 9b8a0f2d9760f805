/** `set`: changes one property of a workload: image, environment, resources, selector, service account, subjects. */

import { command } from "../command.ts";
import { setEnv } from "./set/env.ts";
import { setSelector, setSubject } from "./set/others.ts";
import { setImage, setResources, setServiceAccount } from "./set/pod-spec.ts";

export const set = command({
  name: "set",
  summary: "Set specific features on objects",
  usage: "SUBCOMMAND",
  examples: `ctl set image deployment/nginx nginx=nginx:1.9.1
ctl set env deployment/registry STORAGE_DIR=/local`,
  subcommands: [setEnv, setImage, setResources, setSelector, setServiceAccount, setSubject],
});
