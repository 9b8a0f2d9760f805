/** The usage of a claim: one claim and its storage, in total and by storage class. */

import type { Environment } from "../../machinery/schema/environment.ts";
import { type Quantity, quantityOf, wholeValue } from "../../machinery/values/quantity.ts";
import type { PersistentVolumeClaim } from "../core/v1/persistent-volume-claim.ts";
import { attributesScope } from "../core/v1/pod/scheduling.ts";
import { storageClassOf } from "../core/v1/volume/storage-columns.ts";
import { oneOf } from "./amounts.ts";
import type { Meter } from "./meter.ts";
import { isSelected } from "./pod-meter.ts";

const claims = "persistentvolumeclaims";
const storage = "requests.storage";
const plain = new Set([`count/${claims}`, claims, storage]);

export function createClaimMeter(environment: Environment): Meter<PersistentVolumeClaim> {
  // "gold.storageclass.storage.orch.io/requests.storage"
  const infix = environment.vocabulary.word(".storageclass.storage.orch.io/");
  return {
    onUpdate: true,
    counts: (name) => plain.has(name) || name.endsWith(infix + claims) || name.endsWith(infix + storage),
    usage(claim) {
      const asked = claim.spec?.resources?.requests?.["storage"];
      const amount = asked === undefined ? undefined : whole(quantityOf(asked));
      const name = storageClassOf(claim, environment);
      const prefixes = name === "" ? [""] : ["", name + infix];
      const usage = new Map([[`count/${claims}`, oneOf]]);
      for (const prefix of prefixes) {
        usage.set(prefix + claims, oneOf);
        if (amount !== undefined) usage.set(prefix + storage, amount);
      }
      return usage;
    },
    isInScope: ({ scopeName, operator, values = [] }, { spec }) =>
      scopeName === attributesScope && isSelected(spec?.volumeAttributesClassName ?? "", operator, values),
  };
}

/** Quotas of storage are in whole bytes. */
function whole(amount: Quantity): Quantity {
  const rounded = wholeValue(amount);
  return rounded * 1_000_000_000n === amount.nano ? amount : quantityOf(String(rounded));
}
