/** The annotation with which the owner of a pod, service or node accepts any certificate of its HTTPS server. */

import type { ApiObject } from "../../machinery/schema/kind.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";

export const anyCertificateAnnotation = "proxy.orch.io/insecure-skip-tls-verify";

export function acceptsAnyCertificate({ metadata }: ApiObject, vocabulary: Vocabulary): boolean {
  return metadata.annotations?.[vocabulary.word(anyCertificateAnnotation)] === "true";
}
