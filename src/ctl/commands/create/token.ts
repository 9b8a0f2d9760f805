/** `create token`: requests a token of a service account. */

import { anyDuration, type FlagValues, string, strings } from "../../../base/flags/flag.ts";
import { objectPath } from "../../../client/requests/address.ts";
import { StatusError } from "../../../machinery/status/status.ts";
import { command } from "../../command.ts";
import type { Context } from "../../context.ts";
import { CtlError, UsageError } from "../../errors.ts";
import { printFlags } from "../../flags/declared.ts";
import { findResource } from "../../input/lookups.ts";
import { type Json, text } from "../../json.ts";
import { objectPrinter } from "../../output/formats.ts";

const tokenFlags = {
  ...printFlags,
  audience: strings("Servers that may accept the token. Default: the API server"),
  duration: anyDuration("How long the token is valid; the server may choose another. Default: one hour"),
  "bound-object-kind": string("Pod, Secret or, at level 1.35, Node: the token ends with this object"),
  "bound-object-name": string("The name of the object to which the token is bound"),
  "bound-object-uid": string("The uid of that object. Default: that of the object which has the name"),
};

type TokenContext = Context<FlagValues<typeof tokenFlags>>;

export const token = command({
  name: "token",
  summary: "Request a service account token",
  usage: "SERVICE_ACCOUNT_NAME",
  description: "Prints the token. Whoever has it may act as the service account until it expires.",
  examples: `ctl create token robot
ctl create token robot -n shop --duration=10m --audience=https://example.com
ctl create token robot --bound-object-kind=Pod --bound-object-name=web-0`,
  flags: tokenFlags,
  run,
});

const boundKinds = ["Node", "Pod", "Secret"];

async function run(context: TokenContext): Promise<void> {
  const [name, ...more] = context.args;
  if (name === undefined || more.length > 0)
    throw new UsageError(`exactly one NAME is required, got ${context.args.length}`);
  const printer = objectPrinter(context);
  const spec = specOf(context);
  const apiVersion = `${(await context.vocabulary()).group("authentication.orch.io")}/v1`;
  const accounts = await findResource(context, "serviceaccounts");
  const path = objectPath(accounts, { namespace: context.namespace, name }, "token");
  const body = { apiVersion, kind: "TokenRequest", metadata: {}, spec };
  const answer = await context.session.json(path, { method: "POST", body }).catch((error: unknown) => {
    if (!(error instanceof StatusError)) throw error;
    throw new CtlError(`failed to create token: ${error.message}`, { cause: error });
  });
  const issued = text(answer, "status", "token");
  if (issued === "") throw new CtlError("the server sent no token");
  if (printer !== undefined) context.printRaw(printer(answer));
  else context.print(`${issued}\n`);
}

function specOf(context: TokenContext): Json {
  const { audience, duration } = context.flags;
  if (duration < 0) throw new CtlError("--duration must be greater than or equal to 0");
  if (duration % 1_000 !== 0) throw new CtlError("--duration cannot be expressed in units less than seconds");
  const boundObject = boundObjectOf(context);
  return {
    ...(audience.length === 0 ? {} : { audiences: audience }),
    ...(duration > 0 ? { expirationSeconds: duration / 1_000 } : {}),
    ...(boundObject === undefined ? {} : { boundObjectRef: boundObject }),
  };
}

function boundObjectOf({ flags }: TokenContext): Json | undefined {
  const [kind, name, uid] = [flags["bound-object-kind"], flags["bound-object-name"], flags["bound-object-uid"]];
  if (kind === "") {
    if (name !== "") throw new CtlError("--bound-object-name can only be set if --bound-object-kind is provided");
    if (uid !== "") throw new CtlError("--bound-object-uid can only be set if --bound-object-kind is provided");
    return undefined;
  }
  if (!boundKinds.includes(kind))
    throw new CtlError(`supported --bound-object-kind values are ${boundKinds.join(", ")}`);
  if (name === "") throw new CtlError("--bound-object-name is required if --bound-object-kind is provided");
  return { apiVersion: "v1", kind, name, ...(uid === "" ? {} : { uid }) };
}
