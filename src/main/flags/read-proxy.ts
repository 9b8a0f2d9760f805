/** The settings of proxied requests from flags. */

import { addressTypesDefault } from "../../actions/proxy/address-types.ts";
import { parseAuthorities } from "../../base/certificate-chain.ts";
import { FlagError } from "../../base/flags/flag.ts";
import type { ApiServerFlags } from "../programs/apiserver.ts";
import type { ProxySettings } from "../server/options.ts";
import { proxyAddresses } from "./proxy-addresses.ts";
import { readOptionalFlagFile, useFlagFile } from "./read-file.ts";

export async function readProxyFlags(flags: ApiServerFlags, ownPort: () => number | undefined): Promise<ProxySettings> {
  const types = flags["orchlet-preferred-address-types"];
  const unknown = types.filter((type) => !addressTypesDefault.includes(type));
  if (unknown.length > 0) {
    const known = addressTypesDefault.join(", ");
    throw new FlagError(`--orchlet-preferred-address-types: ${unknown.join(", ")}: must be one of ${known}`);
  }
  return {
    allows: proxyAddresses({
      local: flags["proxy-local-targets"],
      ownPort,
      advertised: [flags["advertise-address"]].filter((address) => address !== ""),
    }),
    ca: await readBundle("proxy-ca-file", flags["proxy-ca-file"]),
    anyCertificate: flags["proxy-insecure-skip-tls-verify"],
    addressTypes: types,
    nodeAgents: {
      ca: await readBundle("orchlet-certificate-authority", flags["orchlet-certificate-authority"]),
      identity: await readIdentity(flags, "orchlet-client-certificate", "orchlet-client-key"),
      connectTimeoutMs: flags["orchlet-timeout"],
    },
  };
}

/** Authorities in PEM. A file without any would make every connection fail later, with words that do not name it. */
async function readBundle(flag: string, path: string): Promise<string | undefined> {
  const pem = await readOptionalFlagFile(flag, path);
  if (pem !== undefined) useFlagFile(flag, path, () => parseAuthorities(pem));
  return pem;
}

type FileFlag =
  | "orchlet-client-certificate"
  | "orchlet-client-key"
  | "proxy-client-cert-file"
  | "proxy-client-key-file";

/** A client certificate of this server and its key (PEM); undefined: neither flag is set. */
export async function readIdentity(
  flags: ApiServerFlags,
  certificateFlag: FileFlag,
  keyFlag: FileFlag,
): Promise<{ cert: string; key: string } | undefined> {
  const cert = await readOptionalFlagFile(certificateFlag, flags[certificateFlag]);
  const key = await readOptionalFlagFile(keyFlag, flags[keyFlag]);
  if ((cert === undefined) !== (key === undefined)) {
    throw new FlagError(`--${certificateFlag} and --${keyFlag} need each other`);
  }
  return cert === undefined || key === undefined ? undefined : { cert, key };
}
