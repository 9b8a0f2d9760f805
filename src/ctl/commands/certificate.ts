/** `certificate approve` and `certificate deny`: approves or denies certificate signing requests. */

import { bool, type FlagValues } from "../../base/flags/flag.ts";
import { objectPath } from "../../client/requests/address.ts";
import { command } from "../command.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { fieldManagerFlag, filenameFlags, printFlags } from "../flags/declared.ts";
import { findResource } from "../input/lookups.ts";
import { forEachTarget, type ObjectTarget } from "../input/targets.ts";
import { copy, ensure, list, text } from "../json.ts";
import { printResult } from "../output/formats.ts";
import { managerOf } from "../write/write-options.ts";

const certificateFlags = {
  ...filenameFlags,
  ...printFlags,
  ...fieldManagerFlag(""),
  force: bool("Change an earlier decision"),
};

type CertificateContext = Context<FlagValues<typeof certificateFlags>>;

export const certificate = command({
  name: "certificate",
  summary: "Modify certificate resources",
  usage: "SUBCOMMAND",
  bareHelp: { stream: "stdout", code: 0 },
  examples: `ctl certificate approve csr-sqgzp`,
  subcommands: [
    command({
      name: "approve",
      summary: "Approve a certificate signing request",
      usage: "(-f FILENAME | NAME)",
      examples: `ctl certificate approve csr-sqgzp`,
      flags: certificateFlags,
      run: (context) => decide(context, "Approved"),
    }),
    command({
      name: "deny",
      summary: "Deny a certificate signing request",
      usage: "(-f FILENAME | NAME)",
      examples: `ctl certificate deny csr-sqgzp`,
      flags: certificateFlags,
      run: (context) => decide(context, "Denied"),
    }),
  ],
});

async function decide(context: CertificateContext, type: "Approved" | "Denied"): Promise<void> {
  const resource = await findResource(context, "certificatesigningrequests");
  const hasFiles = context.flags.filename.length > 0 || context.flags.kustomize !== "";
  if (context.args.length === 0 && !hasFiles)
    throw new CtlError("one or more CSRs must be specified as <name> or -f <filename>");
  const args = hasFiles
    ? []
    : [
        `${resource.resource}.${resource.group}`,
        ...context.args.map((name) => name.replace(/^(csr|certificatesigningrequests?)\//, "")),
      ];
  await forEachTarget(context, { args }, (target) => decideOne(context, target, type));
}

async function decideOne(
  context: CertificateContext,
  { resource, name, object }: ObjectTarget,
  type: "Approved" | "Denied",
): Promise<void> {
  const isDecided = list(object, "status", "conditions").some((one) => one["type"] === type);
  const operation = type === "Approved" ? "approved" : "denied";
  if (isDecided && !context.flags.force) return printResult(context, object, operation);
  const opposite = type === "Approved" ? "Denied" : "Approved";
  if (list(object, "status", "conditions").some((one) => one["type"] === opposite))
    throw new CtlError(`certificate signing request "${name}" is already ${opposite}`);
  const next = copy(object);
  const status = ensure(next, "status");
  const kept = list(status, "conditions").filter((one) => one["type"] !== type);
  const now = new Date(context.environment.clock.now()).toISOString().replace(/\.\d+Z$/, "Z");
  const { tool } = context.behaviour;
  const title = `${tool[0]?.toUpperCase()}${tool.slice(1)}`;
  status["conditions"] = [
    ...kept,
    {
      type,
      status: "True",
      reason: `${title}${type === "Approved" ? "Approve" : "Deny"}`,
      message: `This CSR was ${operation} by ${tool} certificate ${type === "Approved" ? "approve" : "deny"}.`,
      lastUpdateTime: now,
    },
  ];
  const result = await context.session.json(objectPath(resource, { name }, "approval"), {
    method: "PUT",
    body: next,
    query: { fieldManager: managerOf(context, "") },
  });
  printResult(context, text(result, "kind") === "" ? next : result, operation);
}
