/** What v1 refuses of a certificate request and v1beta1 accepts: unknown usages, and the signer of old clients. */

import { elided, list, string, struct } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { invalid, noErrors } from "../../../machinery/status/field-error.ts";

const keyUsages = [
  ...["signing", "digital signature", "content commitment", "key encipherment", "key agreement", "data encipherment"],
  ...["cert sign", "crl sign", "encipher only", "decipher only", "any", "server auth", "client auth", "code signing"],
  ...["email protection", "s/mime", "ipsec end system", "ipsec tunnel", "ipsec user", "timestamping", "ocsp signing"],
  ...["microsoft sgc", "netscape sgc"],
];

export const checkStrictly = checker<object>(
  struct("", {
    usages: elided(list(string().oneOf(keyUsages))).unique(),
    signerName: string().checked((name, path, { vocabulary }) =>
      name === vocabulary.word("orch.io/legacy-unknown")
        ? [invalid(path, name, "the legacy signerName is not allowed via this API version")]
        : noErrors,
    ),
  }),
);
