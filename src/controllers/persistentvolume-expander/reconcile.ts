/** Whether a bound claim asks for more than its volume has. */

import type { PersistentVolumeClaim } from "../../api/core/v1/persistent-volume-claim.ts";
import { compareQuantities, parseQuantity } from "../../machinery/values/quantity.ts";

export function wantsMore({ spec, status }: PersistentVolumeClaim): boolean {
  const asked = parseQuantity(spec?.resources?.requests?.["storage"] ?? "");
  const has = parseQuantity(status?.capacity?.["storage"] ?? "");
  return status?.phase === "Bound" && asked !== undefined && has !== undefined && compareQuantities(asked, has) > 0;
}
