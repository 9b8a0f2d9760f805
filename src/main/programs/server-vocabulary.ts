/** Which names a controller manager uses: those of the flag, or those that its server speaks. */

import { type Clock, systemClock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { openTransport } from "../../client/config/transport.ts";
import type { Fetch } from "../../client/contract.ts";
import { vocabularyOfGroupList } from "../../client/discovery/speaks.ts";
import { vocabularyOf } from "../../vocabulary/by-name.ts";
import { orch } from "../../vocabulary/orch.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { askServer } from "./ask-server.ts";
import { readAccess, type ServerFlags } from "./server-access.ts";

interface VocabularyFlags extends ServerFlags {
  readonly vocabulary: "auto" | Vocabulary["name"];
}

interface Surroundings {
  readonly log: Log;
  readonly clock?: Clock;
  /** Ends the question to a server that does not answer. Default: nothing does. */
  readonly signal?: AbortSignal | undefined;
}

export async function chooseVocabulary(flags: VocabularyFlags, around: Surroundings): Promise<Vocabulary> {
  if (flags.vocabulary !== "auto") return vocabularyOf(flags.vocabulary);
  const { clock = systemClock } = around;
  const access = readAccess(flags);
  const userAgent = "orch-controller-manager";
  const transport = openTransport(access, {
    clock,
    env: process.env,
    isInteractive: false,
    userAgent,
    requestTimeoutMs: 0,
  });
  try {
    return await readVocabulary(transport.fetch, access.server, { ...around, clock });
  } finally {
    transport.close();
  }
}

export async function readVocabulary(
  fetch: Fetch,
  server: string,
  { log, clock = systemClock, signal = new AbortController().signal }: Surroundings,
): Promise<Vocabulary> {
  const waits = (cause: unknown) => log.warn("the server does not answer yet", { server, cause });
  const response = await askServer("/apis", { fetch, clock, signal, waits });
  // A server that refuses to tell is asked with our own names, and refuses those requests too, in words that reach the log.
  return response.ok ? vocabularyOfGroupList(await response.json()) : orch;
}
