/** The certificates and authorities that flags name, as last read; a reload reads them again. */

import { sharedAuthorityProblem } from "../../authn/shared-authority.ts";
import { type CertificateAuthorities, parseAuthorities } from "../../base/certificate-chain.ts";
import type { Clock } from "../../base/clock.ts";
import type { Log } from "../../base/log.ts";
import type { ServingCertificate } from "../../http/contract/listener.ts";
import { FlagFileError, readOptionalFlagFile, useFlagFile } from "../flags/read-file.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import { readServingCertificate } from "./serving-certificate.ts";
import { apiServerHosts } from "./serving-hosts.ts";

export interface Certificates {
  readonly serving: ServingCertificate;
  /** Undefined: there is no authority of client certificates. */
  readonly client: CertificateAuthorities | undefined;
  readonly frontProxy: CertificateAuthorities | undefined;
  /** PEM of the two; undefined: not given. */
  readonly clientPem: string | undefined;
  readonly frontProxyPem: string | undefined;
  reload(): Promise<void>;
}

export async function readCertificates(
  flags: ApiServerFlags,
  ownAuthority: string,
  parts: { readonly clock: Clock; readonly log: Log },
): Promise<Certificates> {
  const read = async () => {
    const clientFile = flags["client-ca-file"];
    const proxyFile = flags["requestheader-client-ca-file"];
    const [serving, clientPem, proxyPem] = await Promise.all([
      readServingCertificate(flags, { ...parts, hosts: apiServerHosts(flags) }),
      readOptionalFlagFile("client-ca-file", clientFile),
      readOptionalFlagFile("requestheader-client-ca-file", proxyFile),
    ]);
    // Checked separately, since our own authority must not hide that the file contains none.
    if (clientPem !== undefined) useFlagFile("client-ca-file", clientFile, () => parseAuthorities(clientPem));
    const frontProxy =
      proxyPem === undefined
        ? undefined
        : useFlagFile("requestheader-client-ca-file", proxyFile, () => parseAuthorities(proxyPem));
    const clientBundle = [clientPem, ownAuthority].filter(Boolean).join("\n");
    if (clientBundle && proxyPem) {
      const allowedNames = flags["requestheader-allowed-names"];
      const problem = sharedAuthorityProblem({ clientCa: clientBundle, proxyCa: proxyPem, allowedNames });
      // Any client could then claim to be any user: neither a start nor a reload may allow that.
      if (problem !== undefined) throw new FlagFileError(problem);
    }
    return {
      serving,
      client: clientBundle === "" ? undefined : parseAuthorities(clientBundle),
      frontProxy,
      clientPem: clientBundle || undefined,
      frontProxyPem: proxyPem,
    };
  };
  let current = await read();
  return {
    get serving() {
      return current.serving;
    },
    get client() {
      return current.client;
    },
    get frontProxy() {
      return current.frontProxy;
    },
    get clientPem() {
      return current.clientPem;
    },
    get frontProxyPem() {
      return current.frontProxyPem;
    },
    async reload() {
      current = await read();
    },
  };
}
