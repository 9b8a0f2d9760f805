/** `api-versions`: which groups and versions the server serves. */

import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import { UsageError } from "../errors.ts";

export const apiVersions = command({
  name: "api-versions",
  summary: 'Print the supported API versions on the server, in the form of "group/version"',
  usage: "",
  examples: "ctl api-versions",
  async run(context) {
    if (context.args.length > 0) throw new UsageError(`unexpected arguments: [${context.args.join(" ")}]`);
    const { groups } = await context.discovery(true);
    const all = groups.flatMap(({ name, versions }) =>
      versions.map((version) => apiVersionText({ group: name, version })),
    );
    context.print(
      all
        .sort()
        .map((line) => `${line}\n`)
        .join(""),
    );
  },
});
