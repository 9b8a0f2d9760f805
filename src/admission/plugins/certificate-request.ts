/** What the plugins for certificate requests look at. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import { isBuiltin } from "../context.ts";
import type { AdmissionRequest } from "../contract.ts";

export function isCertificateRequest({ kind }: AdmissionRequest, vocabulary: Vocabulary): boolean {
  return (
    isBuiltin({ kind }) &&
    kind.resource === "certificatesigningrequests" &&
    kind.group === vocabulary.group("certificates.orch.io")
  );
}

export function signerOf(request: ApiObject | undefined): string {
  const { signerName = "" } = (request?.spec ?? {}) as { signerName?: string }; // validated by the declaration
  return signerName;
}
