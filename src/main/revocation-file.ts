/** The file of withdrawn client certificates, read again while the server runs. */

import { createRevocations } from "../authn/revocations.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { readOptionalFlagFile, useFlagFile } from "./read-file.ts";

export interface RevocationFile {
  isRevoked(serial: string): boolean;
  /** Looks at the file at once. Throws when it cannot be used; what was read before stays. */
  reload(): Promise<void>;
  close(): void;
}

export interface RevocationFileOptions {
  /** "": there is none, and nothing is withdrawn. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Another list is in place: connections under way may belong to somebody who is out. */
  onChange(): void;
}

/** A withdrawn certificate is refused after ten seconds at most; this leaves time to read. */
export const pollMs = 5_000;
const flag = "client-certificate-revocations-file";

export async function openRevocationFile(options: RevocationFileOptions): Promise<RevocationFile> {
  const { path, clock, log, onChange } = options;
  const revocations = createRevocations();
  let known = "";
  let stopTimer = () => {};
  let closed = false;
  const reload = async () => {
    const text = (await readOptionalFlagFile(flag, path)) ?? "";
    if (closed || text === known) return;
    useFlagFile(flag, path, () => revocations.replace(text));
    known = text;
    onChange();
  };
  const poll = () => {
    stopTimer = clock.after(pollMs, () => {
      reload()
        // A broken list must not let back in whom the last good one keeps out.
        .catch((cause: unknown) => log.error("the list of withdrawn certificates stays as it was", { cause }))
        .finally(() => {
          if (!closed) poll();
        });
    });
  };
  await reload();
  if (path !== "") poll();
  return {
    isRevoked: (serial) => revocations.isRevoked(serial),
    reload,
    close() {
      closed = true;
      stopTimer();
    },
  };
}
