/** `journal`: the requests that clients have sent to a server whose testing is enabled. */

import { holdingClock, sleep } from "../../base/clock.ts";
import { bool, choice, type FlagValues, string } from "../../base/flags/flag.ts";
import { isNotFound } from "../../client/requests/refusals.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError, UsageError } from "../errors.ts";
import { isJson, type Json, list, text } from "../json.ts";
import { Columns } from "../output/table.ts";

/** How soon -f asks again when there was nothing new. */
const askAgainMs = 300;

const journalFlags = {
  follow: bool("After those so far, print requests as they are answered", false, { short: "f" }),
  by: string("Only requests by this user"),
  verb: string("Only requests with this verb: get, list, watch, create, …"),
  resource: string("Only requests about this resource: pods, deployments.apps"),
  output: choice(["", "json"], "json: one object a line, with bodies", "", { short: "o" }),
  "no-headers": bool("Print no headers"),
};

type JournalContext = Context<FlagValues<typeof journalFlags>>;

export const journal = command({
  name: "journal",
  summary: "Requests that clients have sent to a server whose testing is enabled (--enable-testing)",
  usage: "[-f] [--by USER] [--verb VERB] [--resource RESOURCE]",
  examples: `ctl journal
ctl journal -f --by=system:serviceaccount:shop:robot
ctl journal --verb=patch -o json`,
  flags: journalFlags,
  run,
});

async function run(context: JournalContext): Promise<void> {
  const { args, flags, signal } = context;
  if (args.length > 0) throw new UsageError(`unexpected arguments: [${args.join(" ")}]`);
  const layout = new Columns();
  const isTable = flags.output === "";
  let header = flags["no-headers"] ? [] : [["TIME", "USER", "VERB", "CODE", "DURATION", "REQUEST"]];
  for (let after = 0; ; ) {
    const requests = await requestsAfter(context, after);
    // The header waits for the first requests to follow, whose columns it shares.
    const isHeld = flags.follow && requests.length === 0;
    if (isTable && !isHeld) context.print(layout.format([...header, ...requests.map(row)]));
    else if (!isTable) context.printRaw(requests.map((request) => `${JSON.stringify(request)}\n`).join(""));
    if (!isHeld) header = [];
    after = Number(requests.at(-1)?.["number"] ?? after);
    if (requests.length > 0) continue; // there may be more than one answer has
    if (!flags.follow) return;
    // Nothing else keeps the process alive between two questions.
    await sleep(holdingClock, askAgainMs, signal);
  }
}

async function requestsAfter(context: JournalContext, after: number): Promise<Json[]> {
  const { by: user, verb, resource } = context.flags;
  const given = Object.entries({ user, verb, resource }).filter(([, value]) => value !== "");
  const query = { ...Object.fromEntries(given), after: String(after) };
  try {
    const body = await context.session.send.json("/journal", { query, signal: context.signal });
    return list(isJson(body) ? body : {}, "requests").filter(isJson);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new CtlError("the server has no journal: start it with --enable-testing (orch up, orch run)");
  }
}

function row(request: Json): string[] {
  const durationMs = request["durationMs"];
  return [
    new Date(Number(request["atMs"])).toISOString().slice(11, 23),
    text(request, "user"),
    text(request, "verb"),
    request["code"] === 0 ? "-" : String(request["code"]),
    typeof durationMs === "number" ? `${durationMs.toFixed(1)}ms` : "-",
    text(request, "target"),
  ];
}
