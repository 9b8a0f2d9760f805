/** `api-resources`: which types the server serves. */

import { bool, type FlagValues, string, strings } from "../../base/flags/flag.ts";
import { nearest } from "../../base/suggest.ts";
import type { DiscoveredResource } from "../../client/contract.ts";
import type { Discovery } from "../../client/discovery/discovery.ts";
import { apiVersionOf as apiVersionText } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { Columns } from "../output/table.ts";
import { fullName } from "../server/resource-names.ts";

const apiResourcesFlags = {
  "api-group": string("Only resources of this group"),
  cached: bool("Use cached discovery documents if there are any"),
  namespaced: bool("Only resources that are, or are not, in namespaces", true),
  "no-headers": bool("Print no headers"),
  output: string("wide or name", "", { short: "o" }),
  "sort-by": string("name or kind"),
  verbs: strings("Only resources that support these verbs"),
};

type ApiResourcesContext = Context<FlagValues<typeof apiResourcesFlags>>;

export const apiResources = command({
  name: "api-resources",
  summary: "Print the supported API resources on the server",
  usage: "[flags]",
  examples: `ctl api-resources
ctl api-resources -o wide --sort-by=kind
ctl api-resources --namespaced=true --verbs=list,get -o name`,
  flags: apiResourcesFlags,
  run,
});

async function run(context: ApiResourcesContext): Promise<void> {
  const { flags, args } = context;
  if (args.length > 0) throw new UsageError(`unexpected arguments: [${args.join(" ")}]`);
  const output = flags.output;
  if (!["", "wide", "name"].includes(output)) throw new CtlError(`--output ${output} is not available`);
  const sortBy = flags["sort-by"];
  if (!["", "name", "kind"].includes(sortBy)) throw new CtlError("--sort-by accepts only name or kind");
  const discovery = await context.discovery(!flags.cached);
  const chosen = discovery.preferred.filter((resource) => isChosen(context, resource));
  const rows = chosen.sort((a, b) => compare(a, b, sortBy));
  if (output === "name") context.print(rows.map((resource) => `${fullName(resource)}\n`).join(""));
  else {
    const more = output !== "wide" ? [] : context.behaviour.listsCategories ? wideColumns : oldWideColumns;
    const titles = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...more.map(({ title }) => title)];
    const header = flags["no-headers"] ? [] : [titles];
    const lines = rows.map((resource) => [...cells(resource), ...more.map(({ cell }) => cell(resource))]);
    context.print(new Columns().format([...header, ...lines]));
  }
  if (context.isSet("api-group") && context.behaviour.givesHints) noteUnknownGroup(context, discovery);
  if (discovery.failed.length > 0)
    throw new CtlError(
      `unable to retrieve the complete list of server APIs: ${discovery.failed.map(({ groupVersion, error }) => `${groupVersion}: ${messageOf(error)}`).join(", ")}`,
    );
}

function noteUnknownGroup(context: ApiResourcesContext, { groups }: Discovery): void {
  const wanted = context.flags["api-group"];
  const names = groups.map(({ name }) => name);
  if (names.includes(wanted)) return;
  const near = nearest(wanted, names) ?? names.find((name) => wanted !== "" && name.startsWith(`${wanted}.`));
  context.note(`The server has no group "${wanted}".${near === undefined ? "" : ` Did you mean "${near}"?`}`);
}

function isChosen(context: ApiResourcesContext, resource: DiscoveredResource): boolean {
  const { flags } = context;
  if (context.isSet("api-group") && resource.group !== flags["api-group"]) return false;
  if (context.isSet("namespaced") && resource.namespaced !== flags.namespaced) return false;
  return resource.verbs.length > 0 && flags.verbs.every((verb) => resource.verbs.includes(verb));
}

/** By group, then by name, unless the user chose a column. */
function compare(a: DiscoveredResource, b: DiscoveredResource, sortBy: string): number {
  const keys = (resource: DiscoveredResource) =>
    sortBy === "name" ? [resource.resource] : sortBy === "kind" ? [resource.kind] : [resource.group, resource.resource];
  const [x, y] = [keys(a), keys(b)];
  for (let at = 0; at < x.length; at++) {
    const [left = "", right = ""] = [x[at], y[at]];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}

interface WideColumn {
  readonly title: string;
  cell(resource: DiscoveredResource): string;
}

const wideColumns: readonly WideColumn[] = [
  { title: "VERBS", cell: ({ verbs }) => verbs.join(",") },
  { title: "CATEGORIES", cell: ({ categories }) => categories.join(",") },
];

/** As kubectl of v1.21 prints them. */
const oldWideColumns: readonly WideColumn[] = [{ title: "VERBS", cell: ({ verbs }) => `[${verbs.join(" ")}]` }];

function cells(resource: DiscoveredResource): string[] {
  return [
    resource.resource,
    resource.shortNames.join(","),
    apiVersionText(resource),
    String(resource.namespaced),
    resource.kind,
  ];
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
