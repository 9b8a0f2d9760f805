/** Writes of the server itself: as whom, for what, and which of them skip what every client must pass. */

import type { User } from "../authn/contract.ts";
import type { Vocabulary } from "../vocabulary/vocabulary.ts";
import type { WriteContext } from "./contract/write-context.ts";

/** The server, as admission plugins and the audit record see it. */
export const serverUser: User = {
  name: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: new Map(),
};

interface Purpose {
  /** Who owns the fields that are written, in orch's names; "": nobody. Default: the server. */
  readonly manager?: string;
  readonly skipAdmission?: boolean;
  readonly skipRules?: boolean;
}

/** What the server writes for. `scripts/tidy.ts` holds which file may write for a purpose that skips something. */
const purposes = {
  "bootstrap objects": {},
  "own service": {},
  conditions: {},
  "services of definitions": {},
  "a missing namespace": {},
  "flow control objects": { manager: "api-priority-and-fairness-config-producer-v1" },
  "conditions of flow schemas": { manager: "api-priority-and-fairness-config-consumer-v1" },
  "a disruption budget": {},
  /** The quota is charged within the admission of another write, and must not be judged by itself. */
  "a charged quota": { skipAdmission: true },
  /** The eviction was admitted; the delete is what it asked for. */
  "an eviction": { skipAdmission: true },
  /** The delete of the service was admitted. */
  "endpoints of a service that is gone": { manager: "", skipAdmission: true },
  /** The delete of the definition was admitted, and v1.21 asks nobody about its objects. */
  "objects of a definition that goes": { manager: "", skipAdmission: true },
  /** The binding was admitted, and sets what an update of a pod may not: its node and a condition. */
  "a binding": { manager: "", skipAdmission: true, skipRules: true },
} as const satisfies Readonly<Record<string, Purpose>>;

export type ServerPurpose = keyof typeof purposes;

/** How the server writes for `purpose`. `request`: within a request, whose caller and dry run stay. */
export function serverWrites(purpose: ServerPurpose, vocabulary: Vocabulary, request?: WriteContext): WriteContext {
  const { manager = "orch-apiserver", skipAdmission = false, skipRules = false }: Purpose = purposes[purpose];
  const base = request ?? { user: serverUser, dryRun: false, warn() {} };
  return { ...base, fieldManager: vocabulary.word(manager), skipAdmission, skipRules };
}
