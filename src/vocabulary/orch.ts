/** The product's own vocabulary: declarations are written in it, so nothing is renamed. */

import type { Vocabulary } from "./vocabulary.ts";

export const orch: Vocabulary = {
  name: "orch",
  isNeutral: true,
  group: (neutral: string) => neutral,
  word: (neutral) => neutral,
  field: (neutral) => neutral,
  metric: (neutral) => neutral,
  extensionPrefix: "x-orch-",
  rulesExtension: "x-orch-rules",
  protobufMediaType: "application/vnd.orch.protobuf",
  encryptedPrefix: "orch:enc:",
  definitionPrefix: "io.orch.",
  tool: "ctl",
};
