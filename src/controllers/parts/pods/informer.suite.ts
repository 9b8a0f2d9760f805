/** An informer of objects that a test gives, which counts how many are decoded. */

import { silentLog } from "../../../base/log.ts";
import type { AnyObject, CachedObject } from "../../../client/contract.ts";
import { StoreInformer } from "../../../client/informer/informer.ts";
import { labelMap } from "../../../machinery/selectors/label-selector.ts";

export interface CountingInformer<T extends AnyObject> {
  readonly informer: StoreInformer<T>;
  put(object: T): void;
  remove(object: T): void;
  /** How many objects `work` decodes. */
  decodedBy(work: () => unknown): number;
}

export function countingInformer<T extends AnyObject>(resource: string, kind: string): CountingInformer<T> {
  const address = { group: "", version: "v1", resource, kind, namespaced: true };
  const informer = new StoreInformer<T>(address, silentLog);
  let [decoded, revision] = [0, 0n];
  const heldOf = (object: T): CachedObject<T> => {
    revision++;
    const { namespace = "", name = "", labels } = object.metadata;
    const count = () => {
      decoded++;
      return object;
    };
    return { namespace, name, revision, labels: labelMap(labels), object: count };
  };
  return {
    informer,
    put: (object) => informer.changed("MODIFIED", heldOf(object)),
    remove: (object) => informer.changed("DELETED", heldOf(object)),
    decodedBy(work) {
      const before = decoded;
      work();
      return decoded - before;
    },
  };
}
