/** `set selector` and `set subject`. */

import { string, stringArray } from "../../../base/flags/flag.ts";
import { command } from "../../command.ts";
import { CtlError } from "../../errors.ts";
import { hasFiles, nothingNamed } from "../../input/lookups.ts";
import { ensure, isSame, type Json, kindOf, list, text, texts } from "../../json.ts";
import { subjectsOf } from "../create/access.ts";
import { selectorObject } from "../create/small.ts";
import { changeAll, changeFlags } from "./change.ts";

export const setSelector = command({
  name: "selector",
  summary: "Set the selector on a resource",
  usage: "(-f FILENAME | TYPE NAME) EXPRESSIONS [--resource-version=version]",
  examples: `ctl set selector service redis-master role=padawan
ctl set selector -f svc.yaml environment=qa --local -o yaml`,
  flags: { ...changeFlags, "resource-version": string("Only if the object has this version") },
  async run(context) {
    const expression = context.args.at(-1);
    if (expression === undefined) throw new CtlError("one selector is required");
    const args = context.args.slice(0, -1);
    if (args.length === 0 && !hasFiles(context)) throw new CtlError(nothingNamed);
    const selector = selectorObject(expression);
    await changeAll(context, {
      args,
      done: "selector updated",
      tellsUnchanged: true,
      apply(object) {
        if (kindOf(object) !== "Service") throw new CtlError(`setting a selector is only supported for Services`);
        const spec = ensure(object, "spec");
        if (selector["matchExpressions"] !== undefined)
          throw new CtlError(`match expression [${shownExpressions(selector)}] not supported on this object`);
        spec["selector"] = selector["matchLabels"] ?? {};
        const version = context.flags["resource-version"];
        // The server refuses the change if the object has changed meanwhile.
        if (version !== "") ensure(object, "metadata")["resourceVersion"] = version;
        return undefined;
      },
    });
  },
});

/** As Go prints a list of requirements. */
const shownExpressions = (selector: Json): string =>
  list(selector, "matchExpressions")
    .map((one) => `{${text(one, "key")} ${text(one, "operator")} [${texts(one, "values").join(" ")}]}`)
    .join(" ");

export const setSubject = command({
  name: "subject",
  summary: "Update the user, group, or service account in a role binding or cluster role binding",
  usage:
    "(-f FILENAME | TYPE NAME) [--user=username] [--group=groupname] [--serviceaccount=namespace:serviceaccountname]",
  examples: `ctl set subject clusterrolebinding admin --serviceaccount=namespace:serviceaccount1
ctl set subject rolebinding admin --user=user1 --group=group1`,
  flags: {
    ...changeFlags,
    user: stringArray("Users"),
    group: stringArray("Groups"),
    serviceaccount: stringArray("Service accounts, as namespace:name"),
  },
  async run(context) {
    const added = await subjectsOf(context);
    await changeAll(context, {
      args: context.args,
      done: "subjects updated",
      failure: "failed to patch subjects to rolebinding: ",
      check() {
        if (added.length === 0)
          throw new CtlError("you must specify at least one value of user, group or serviceaccount");
      },
      apply(object, { resource, name }) {
        if (!/RoleBinding$/.test(kindOf(object)))
          throw new CtlError(
            `${resource.resource}/${name} setting subjects is only supported for RoleBinding/ClusterRoleBinding`,
          );
        const before = list(object, "subjects");
        object["subjects"] = [...before, ...added.filter((one) => !before.some((other) => isSame(other, one)))];
        return undefined;
      },
    });
  },
});
