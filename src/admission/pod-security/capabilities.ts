/** Capabilities of Linux: those that are added and dropped for containers, and those that containers may add. */

import { type FieldErrors, invalid, noErrors, together } from "../../machinery/status/field-error.ts";
import { type CreateStrategy, setOnContainer } from "./contract.ts";

const anyCapability = "*";

export const createCapabilities: CreateStrategy = ({ spec }) => {
  const { defaultAddCapabilities: added = [], requiredDropCapabilities: dropped = [] } = spec;
  const allowed = new Set([...(spec.allowedCapabilities ?? []), ...added]);
  const isAny = spec.allowedCapabilities?.includes(anyCapability) ?? false;
  return {
    mutateContainer(_pod, container) {
      const own = container.securityContext?.capabilities;
      const ownAdd = new Set(own?.add);
      const ownDrop = new Set(own?.drop);
      const add = new Set([...added.filter((name) => !ownDrop.has(name)), ...ownAdd]);
      const drop = new Set([...dropped, ...ownDrop]);
      // Lists that need no change keep their order.
      if (add.size === ownAdd.size && drop.size === ownDrop.size) return;
      const capabilities = {
        ...(add.size > 0 ? { add: [...add].sort() } : {}),
        ...(drop.size > 0 ? { drop: [...drop].sort() } : {}),
      };
      setOnContainer(container, { capabilities });
    },
    validateContainer(_pod, { securityContext }, path): FieldErrors {
      const field = `${path}.securityContext.capabilities`;
      const capabilities = securityContext?.capabilities;
      if (capabilities === undefined) {
        const isFree = added.length === 0 && dropped.length === 0;
        return isFree ? noErrors : [invalid(field, null, "must have the capabilities that the policy requires")];
      }
      if (isAny) return noErrors;
      const { add = [], drop = [] } = capabilities;
      const drops = new Set(drop);
      return together(
        add
          .filter((name) => !allowed.has(name))
          .map((name) => invalid(`${field}.add`, name, "capability may not be added")),
        dropped
          .filter((name) => !drops.has(name))
          .map((name) => invalid(`${field}.drop`, drop, `must have ${name}, which is required to be dropped`)),
      );
    },
  };
};
