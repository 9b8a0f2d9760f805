/** `set selector` and `set subject`. */

import type { Command } from "../../command.ts";
import { CtlError, UsageError } from "../../errors.ts";
import { ensure, isSame, kindOf, list } from "../../json.ts";
import { subjectsOf } from "../create/access.ts";
import { selectorObject } from "../create/small.ts";
import { changeAll, changeFlags } from "./change.ts";

export const setSelector: Command = {
  name: "selector",
  summary: "Set the selector on a resource",
  usage: "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
  examples: `ctl set selector service redis-master role=padawan
ctl set selector -f svc.yaml environment=qa --local -o yaml`,
  flags: [...changeFlags, { name: "resource-version", type: "text", help: "Only if the object has this version" }],
  async run(context) {
    const expression = context.args.at(-1);
    if (expression === undefined || !/[=!]| in /.test(expression))
      throw new UsageError("one or more selector expressions must be specified");
    const selector = selectorObject(expression);
    await changeAll(context, {
      args: context.args.slice(0, -1),
      done: "selector updated",
      apply(object) {
        if (kindOf(object) !== "Service") throw new CtlError(`setting a selector is only supported for Services`);
        const spec = ensure(object, "spec");
        if (selector["matchExpressions"] !== undefined)
          throw new CtlError(
            `match expression is not supported by this object: ${JSON.stringify(selector["matchExpressions"])}`,
          );
        spec["selector"] = selector["matchLabels"] ?? {};
        const version = context.flags.text("resource-version");
        // The server refuses the change when the object has another version by now.
        if (version !== "") ensure(object, "metadata")["resourceVersion"] = version;
      },
    });
  },
};

export const setSubject: Command = {
  name: "subject",
  summary: "Update the user, group, or service account in a role binding or cluster role binding",
  usage:
    "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
  examples: `ctl set subject clusterrolebinding admin --serviceaccount=namespace:serviceaccount1
ctl set subject rolebinding admin --user=user1 --group=group1`,
  flags: [
    ...changeFlags,
    { name: "user", type: "array", help: "Users" },
    { name: "group", type: "array", help: "Groups" },
    { name: "serviceaccount", type: "array", help: "Service accounts, as namespace:name" },
  ],
  async run(context) {
    const added = await subjectsOf(context);
    if (added.length === 0) throw new CtlError("you must specify at least one value of user, group or serviceaccount");
    await changeAll(context, {
      args: context.args,
      done: "subjects updated",
      apply(object) {
        if (!/RoleBinding$/.test(kindOf(object)))
          throw new CtlError("setting subjects is only supported for RoleBinding/ClusterRoleBinding");
        const before = list(object, "subjects");
        object["subjects"] = [...before, ...added.filter((one) => !before.some((other) => isSame(other, one)))];
      },
    });
  },
};
