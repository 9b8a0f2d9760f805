/** `console`: a page in the browser to look at the objects of a server and to change them, as the user of the configuration. */

import { randomBytes } from "node:crypto";
import { bool, type FlagValues, int } from "../../base/flags/flag.ts";
import { command } from "../command.ts";
import { linkOf, openGateway } from "../console/gateway.ts";
import { loadPageFiles } from "../console/page-files.ts";
import type { Context } from "../context.ts";
import { CtlError } from "../errors.ts";
import { namedUser } from "../server/named-user.ts";

const consoleFlags = {
  port: int("The port to listen on, on the loopback address; 0: any", 0),
  "read-only": bool("Refuse every request that could change something"),
};

export const consoleCommand = command({
  name: "console",
  summary: "A page in the browser to look at objects and to change them",
  description:
    "Serves the console on the loopback address and prints its link. The page acts with your credentials for this server, which\n" +
    "never reach the browser: requests need the secret of the link. It ends with the command, and with it shells and forwarded ports.",
  usage: "[--context=CONTEXT] [--read-only] [--port=PORT]",
  examples: `ctl console
ctl console --context=staging --read-only`,
  flags: consoleFlags,
  run,
});

async function run(context: Context<FlagValues<typeof consoleFlags>>): Promise<void> {
  const { environment, flags, session } = context;
  if (environment.consoleFolder === undefined) throw new CtlError("this program was built without the console");
  const files = loadPageFiles(environment.consoleFolder);
  const isInProcess = environment.fetch !== undefined;
  const secret = randomBytes(24).toString("base64url");
  const gateway = await openGateway({
    send: session.send,
    streams: {
      upgrade: (path, request) => session.connection.upgrade(path, request),
      protocol: async () => (await context.vocabulary()).word("channel.orch.io"),
    },
    files,
    facts: {
      access: "link",
      context: isInProcess ? "" : flags.context || context.configuration.merged.currentContext,
      server: isInProcess ? "" : session.connection.access.server,
      namespace: isInProcess ? "default" : session.connection.access.namespace,
      isReadOnly: flags["read-only"],
      // Rights that were given up by --as stay given up.
      mayTryAs: isInProcess || session.connection.access.impersonate === undefined,
      user: isInProcess ? undefined : namedUser(session.connection.access),
    },
    secret,
    port: flags.port,
  }).catch((error: unknown) => {
    throw new CtlError(`listen: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  });
  context.print(`${linkOf(gateway, secret)}\n`);
  context.note("Open this link in a browser on this machine. Ctrl-C ends the console.");
  if (!context.signal.aborted)
    await new Promise((resolve) => context.signal.addEventListener("abort", resolve, { once: true }));
  await gateway.close();
}
