/**
 * Which applies changed nothing, so that the same apply to the same state need not be computed again: controllers apply the same
 * configuration at each reconcile. What an apply gives depends on the state, the configuration, the manager and force alone.
 */

import { hash } from "node:crypto";
import { LruMap } from "../../base/lru-map.ts";
import type { BoundKind } from "../../machinery/schema/catalog.ts";

/** Remembered applies of one kind. */
export const repeatedAppliesMax = 4_096;

interface ApplyIdentity {
  readonly kind: BoundKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly manager: string;
  readonly force: boolean;
  readonly bytes: Buffer;
}

interface RememberedApply {
  /** The version of the object that the apply left as it was. */
  readonly version: string;
  readonly digest: string;
  /** The uid that the configuration names; "": none. */
  readonly uid: string;
}

export class RepeatedApplies {
  /** A definition that changes gives its kind a new binding, and with it the remembered applies are gone. */
  readonly #byKind = new WeakMap<BoundKind, LruMap<string, RememberedApply>>();

  /** The apply of exactly this configuration that changed nothing, at whatever version. */
  find(apply: ApplyIdentity): RememberedApply | undefined {
    const found = this.#byKind.get(apply.kind)?.get(keyOf(apply));
    return found !== undefined && found.digest === digestOf(apply.bytes) ? found : undefined;
  }

  /** Records that the apply leaves this version as it is. */
  remember(apply: ApplyIdentity, version: string, uid: string): void {
    const known = this.#byKind.get(apply.kind) ?? new LruMap<string, RememberedApply>(repeatedAppliesMax);
    this.#byKind.set(apply.kind, known);
    known.set(keyOf(apply), { version, digest: digestOf(apply.bytes), uid });
  }
}

/** A manager may have any characters, so it comes last. */
const keyOf = ({ namespace, name, subresource, force, manager }: ApplyIdentity): string =>
  `${namespace}/${name}/${subresource}/${force} ${manager}`;

/** Two configurations of one digest would be taken for one, so it must withstand an attacker. */
const digestOf = (bytes: Buffer): string => hash("sha256", bytes, "base64");
