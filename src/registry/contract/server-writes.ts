/** Writes of the server itself: their user, their purpose, and which of them skip checks that apply to every client. */

import type { User } from "../../machinery/meta/user.ts";
import type { Vocabulary } from "../../vocabulary/vocabulary.ts";
import type { WriteContext } from "./write-context.ts";

/** The server, as admission plugins and the audit record see it. */
export const serverUser: User = {
  name: "system:apiserver",
  uid: "",
  groups: ["system:masters", "system:authenticated"],
  extra: new Map(),
};

interface Purpose {
  /** The manager of the written fields, in orch's names; "": none. Default: the server. */
  readonly manager?: string;
  readonly skipAdmission?: boolean;
  readonly skipRules?: boolean;
}

/** The purposes of server writes. `scripts/tidy/safety.ts` lists which file may use a purpose that skips something. */
const purposes = {
  "bootstrap objects": {},
  workspaces: {},
  "own service": {},
  conditions: {},
  "services of definitions": {},
  "a missing namespace": {},
  "addresses of services": {},
  "flow control objects": { manager: "api-priority-and-fairness-config-producer-v1" },
  "conditions of flow schemas": { manager: "api-priority-and-fairness-config-consumer-v1" },
  "a disruption budget": {},
  "the use of a token": {},
  "storage versions": {},
  /** The quota is charged within the admission of another write, and must not be admitted separately. */
  "a charged quota": { skipAdmission: true },
  /** The eviction was admitted; it requested the delete. */
  "an eviction": { skipAdmission: true },
  /** Writes the condition by which the pod says so. */
  "the mark of an eviction": { manager: "", skipAdmission: true },
  /** The delete of the service was admitted. */
  "endpoints of a deleted service": { manager: "", skipAdmission: true },
  /** The delete of the definition was admitted, and v1.21 skips admission for its objects. */
  "objects of a deleted definition": { manager: "", skipAdmission: true },
  /** The binding was admitted, and sets fields that an update of a pod may not set: its node and a condition. */
  "a binding": { manager: "", skipAdmission: true, skipRules: true },
} as const satisfies Readonly<Record<string, Purpose>>;

export type ServerPurpose = keyof typeof purposes;

const managerDefault = "orch-apiserver";

/** The managers of what the server itself writes. */
export const serverManagers = (vocabulary: Vocabulary): ReadonlySet<string> =>
  new Set(Object.values<Purpose>(purposes).map(({ manager = managerDefault }) => vocabulary.word(manager)));

/** How the server writes for `purpose`. `request`: within a request, whose caller and dry run stay. */
export function serverWrites(purpose: ServerPurpose, vocabulary: Vocabulary, request?: WriteContext): WriteContext {
  const { manager = managerDefault, skipAdmission = false, skipRules = false }: Purpose = purposes[purpose];
  const base = request ?? { user: serverUser, dryRun: false, warn() {} };
  return { ...base, fieldManager: vocabulary.word(manager), skipAdmission, skipRules };
}
