/** The file of revoked client certificates, read again while the server runs. */

import { createRevocations } from "../../authn/revocations.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import { readOptionalFlagFile, useFlagFile } from "../flags/read-file.ts";

export interface RevocationFile {
  isRevoked(serial: string): boolean;
  /** Reads the file at once. Throws when it cannot be used; the previous list stays in place. */
  reload(): Promise<void>;
  close(): void;
}

interface RevocationFileOptions {
  /** "": there is none, and no certificate is revoked. */
  readonly path: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Called after a new list is in place: open connections may belong to a user whose certificate is now revoked. */
  onChange(): void;
}

/** A revoked certificate is refused after at most ten seconds; this leaves time to read the file. */
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
        // A broken list must not readmit users whom the last valid list keeps out.
        .catch((cause: unknown) =>
          log.error("the file of revoked certificates cannot be used; the previous list stays in effect", { cause }),
        )
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
