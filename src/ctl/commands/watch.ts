/** `watch`: shows changes of several types at once, with the fields that each change affects. */

import { bool } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import { allNamespacesFlag, fieldSelectorFlag, filenameFlags, printFlags, selectorFlag } from "../flags/declared.ts";
import { goJson } from "../go-json.ts";
import { everythingLookups } from "../input/everything.ts";
import { findLookups } from "../input/lookups.ts";
import { type Json, kindOf, nameOf, namespaceOf } from "../json.ts";
import { ChangedLines } from "../output/changes.ts";
import { objectPrinter } from "../output/formats.ts";
import { itemsOf } from "../server/follow.ts";
import { keepFollowing, tellOnce } from "../server/keep-following.ts";
import { listSource } from "../server/list-source.ts";

export const watch = command({
  name: "watch",
  summary: "Watch changes of one or several types",
  usage: "(TYPE[,TYPE...] | everything) [-A] [--diff]",
  examples: `ctl watch pods,deployments
ctl watch everything -n shop --diff
ctl watch events -A -o ndjson`,
  flags: {
    ...filenameFlags,
    ...printFlags,
    ...selectorFlag,
    ...fieldSelectorFlag,
    ...allNamespacesFlag,
    diff: bool("Also print what changed"),
  },
  async run(context) {
    const { flags } = context;
    const lookups =
      context.args[0] === "everything"
        ? await everythingLookups(context)
        : await findLookups(context, { allowLists: true });
    const changes = new ChangedLines();
    const format = flags.output;
    const printer = format === "ndjson" ? undefined : objectPrinter(context);
    const show = (type: string, value: Json) => {
      if (printer !== undefined) return context.printRaw(printer(value));
      if (format === "ndjson") return context.print(`${goJson({ type, object: value })}\n`);
      const changed = changes.note(type, value);
      const time = new Date(context.environment.clock.now()).toISOString();
      const where = namespaceOf(value) === "" ? "" : ` -n ${namespaceOf(value)}`;
      context.print(`${time} ${type.padEnd(8)} ${kindOf(value).toLowerCase()}/${nameOf(value)}${where}\n`);
      if (flags.diff) context.print(changed);
    };
    const tell = tellOnce(context);
    await Promise.all(
      lookups
        .filter(({ resource }) => resource.verbs.includes("watch"))
        .map(async ({ resource, namespace, name }) => {
          const query = {
            labelSelector: flags.selector,
            fieldSelector: name === undefined ? flags["field-selector"] : `metadata.name=${name}`,
          };
          const source = listSource(context, resource, { namespace, ...query });
          for await (const { type, object } of keepFollowing(context, source, tell))
            if (type !== "PAGE") show(type, object);
            else for (const item of itemsOf(object)) changes.note("ADDED", item);
        }),
    );
    context.signal.throwIfAborted();
  },
});
