/** The console of a server of this process: a link on the loopback address. Its secret is the only credential. */

import { randomBytes } from "node:crypto";
import { systemClock } from "../../base/clock.ts";
import { createSender } from "../../client/requests/send.ts";
import { linkOf, openGateway } from "../../ctl/console/gateway.ts";
import { loadPageFiles } from "../../ctl/console/page-files.ts";
import type { MemoryFetch } from "../../http/contract/listener.ts";
import type { InProcessServer } from "../../kit/connect.ts";
import { inProcessStreams } from "../../kit/in-process-streams.ts";
import type { User } from "../../machinery/meta/user.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { consolePageFolder } from "./page-folder.ts";

export interface ConsoleLinkOptions {
  /** Requests of the page are sent with it: its user is whom the page acts as. */
  readonly fetch: MemoryFetch;
  /** Its name and groups. */
  readonly user: Pick<User, "name" | "groups">;
  /** Where streams are opened, as the same user. */
  readonly server: Pick<InProcessServer, "clientConfig">;
  readonly vocabulary: Vocabulary;
  /** What the page calls the server. */
  readonly name: string;
  readonly isReadOnly: boolean;
}

export interface ConsoleLink {
  /** Anyone who knows it can do what the user of `fetch` can do. */
  readonly url: string;
  close(): Promise<void>;
}

/** It does not keep the process alive. Throws if the page was not built. */
export async function openConsoleLink(options: ConsoleLinkOptions): Promise<ConsoleLink> {
  const { fetch, server, vocabulary, name, isReadOnly } = options;
  const user = { name: options.user.name, groups: options.user.groups };
  const secret = randomBytes(24).toString("base64url");
  const around = { clock: systemClock, userAgent: "console", env: process.env, isInteractive: false };
  const streams = inProcessStreams(server, {}, around);
  const gateway = await openGateway({
    send: createSender({ fetch, clock: systemClock, userAgent: "console" }),
    streams: { upgrade: streams.upgrade, protocol: async () => vocabulary.word("channel.orch.io") },
    files: loadPageFiles(consolePageFolder()),
    facts: { access: "link", context: "", server: name, namespace: "default", isReadOnly, mayTryAs: true, user },
    secret,
    port: 0,
  });
  gateway.unref();
  const close = async () => {
    await gateway.close();
    streams.close();
  };
  return { url: linkOf(gateway, secret), close };
}
