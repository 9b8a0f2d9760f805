/** The certificates of a server inside another program, made on first use. */

import { parseAuthorities } from "../../base/certificate-chain.ts";
import type { Clock } from "../../base/clock.ts";
import { issueAuthority, issueClient, issueServing, type KeyPair } from "../pki/issue.ts";

export interface LazyPki {
  /** Made on first use: most tests never open a port. */
  made(): { readonly authority: KeyPair; readonly serving: KeyPair; readonly admin: KeyPair };
  authorities(): ReturnType<typeof parseAuthorities>;
}

/** `hosts`: further names and addresses of the serving certificate. */
export function createLazyPki(clock: Clock, hosts: readonly string[]): LazyPki {
  let pairs: ReturnType<LazyPki["made"]> | undefined;
  let authorities: ReturnType<typeof parseAuthorities> = { verify: () => undefined };
  const make = () => {
    const authority = issueAuthority("orch-authority", clock);
    const all = [...new Set(["localhost", "127.0.0.1", "::1", ...hosts])];
    const serving = issueServing(authority, { commonName: "orch-apiserver", hosts: all }, clock);
    const admin = issueClient(authority, { commonName: "admin", organizations: ["system:masters"] }, clock);
    authorities = parseAuthorities(authority.certificate);
    return { authority, serving, admin };
  };
  return {
    made() {
      pairs ??= make();
      return pairs;
    },
    authorities: () => authorities,
  };
}
