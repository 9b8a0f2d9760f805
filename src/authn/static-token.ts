/** Tokens of a file: `token,user,uid,"group1,group2"` on each line. They never expire; prefer certificates. */

import type { User } from "../machinery/meta/user.ts";
import type { Authentication, AuthenticationOutcome, TokenAuthenticator } from "./contract.ts";
import { parseCsv } from "./csv.ts";
import { createDigester, type Digester } from "./digest.ts";

interface StaticTokenOptions {
  /** The text of the file. */
  readonly csv: string;
  readonly digester?: Digester;
  /** Called for lines that have no effect, without the token. */
  readonly warn?: (message: string) => void;
}

/** Throws an Error when the file is malformed; its message never contains a token. */
export function createStaticToken(options: StaticTokenOptions): TokenAuthenticator {
  const { csv, digester = createDigester(), warn = () => {} } = options;
  const users = new Map<string, Authentication>();
  parseCsv(csv).forEach((record, index) => {
    const [token = "", name = "", uid = "", groups] = record;
    if (record.length < 3) throw new Error(`record ${index + 1} must have at least 3 columns: token, user name, uid`);
    if (token === "") {
      warn(`record ${index + 1} of the token file has an empty token and is skipped`);
      return;
    }
    const digest = digester.digest(token);
    if (users.has(digest)) warn(`record ${index + 1} of the token file repeats a token; the last one counts`);
    const user: User = { name, uid, groups: groups === undefined ? [] : groups.split(","), extra: new Map() };
    users.set(digest, { user, by: "static-token" });
  });
  return {
    name: "static-token",
    authenticateToken(token, _audiences, from): AuthenticationOutcome {
      return users.get(digester.digest(token, from?.connection)) ?? "rejected";
    },
  };
}
