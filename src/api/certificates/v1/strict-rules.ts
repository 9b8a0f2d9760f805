/** What v1 refuses of a certificate request and v1beta1 accepts: unknown usages, and the signer of old clients. */

import { elided, list, string, struct } from "../../../machinery/schema/build.ts";
import { checker } from "../../../machinery/schema/constraints.ts";
import { invalid, noErrors } from "../../../machinery/status/field-error.ts";
import { keyUsages } from "./request-spec.ts";

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
