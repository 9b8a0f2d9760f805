/** Relations between a service's addresses and IP families, and between them and what they were before. */

import { pick } from "../../../../machinery/schema/build.ts";
import { checker, on } from "../../../../machinery/schema/constraints.ts";
import type { Environment } from "../../../../machinery/schema/environment.ts";
import type { FieldError } from "../../../../machinery/status/field-error.ts";
import { addTo, invalid, required } from "../../../../machinery/status/field-error.ts";
import { parseOddIp } from "../../../address-forms.ts";
import { has } from "../../../features.ts";
import { isHeadless } from "./preparation.ts";
import { families, isClusterIp, ServiceSpec } from "./spec.ts";

export const familyOf = (ip: string): "IPv4" | "IPv6" => (parseOddIp(ip)?.version === 6 ? "IPv6" : "IPv4");

/** A service of another name has none of them, which is checked with its type. */
export function validateAddresses(spec: ServiceSpec, environment: Pick<Environment, "level" | "gates">): FieldError[] {
  if (spec.type === "ExternalName") return [];
  const errors = validateFirst(spec);
  const { clusterIPs = [] } = spec;
  if (!isHeadless(spec) && !clusterIPs.every((ip) => isClusterIp(ip, environment))) return errors;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2) {
    errors.push(invalid("clusterIPs", clusterIPs, "may hold no more than one address for each IP family"));
  }
  if (!isHeadless(spec)) addTo(errors, validateFit(spec));
  return errors;
}

/** Checks addresses against their families; an unknown family has already been refused. */
function validateFit({ clusterIPs = [], ipFamilies = [] }: ServiceSpec): FieldError[] {
  return clusterIPs.flatMap((ip, index) => {
    const family = ipFamilies[index];
    const fits = family === undefined || !families.includes(family) || family === familyOf(ip);
    return fits ? [] : [invalid(`clusterIPs[${index}]`, ip, `expected an ${family} value as ipFamilies says`)];
  });
}

function validateFirst({ clusterIP = "", clusterIPs = [] }: ServiceSpec): FieldError[] {
  if (clusterIP === "") {
    return clusterIPs.length === 0
      ? []
      : [invalid("clusterIPs", clusterIPs, "must be empty when `clusterIP` is not specified")];
  }
  if (clusterIPs.length === 0) return [required("clusterIPs")];
  return clusterIPs[0] === clusterIP ? [] : [invalid("clusterIPs", clusterIPs, "first value must match `clusterIP`")];
}

const AddressFields = pick(ServiceSpec, ["ipFamilyPolicy", "clusterIPs", "ipFamilies"]);
const checkAddresses = checker(AddressFields, [on(AddressFields, validateAddresses)]);

/**
 * A second address or family may be added and removed; the first is immutable, unless the service had or will have none. Since
 * 1.23 the change does not matter where addresses and families do not fit each other.
 */
export function validateAddressChange(spec: ServiceSpec, before: ServiceSpec, environment: Environment): FieldError[] {
  if (spec.type === "ExternalName" || before.type === "ExternalName") return [];
  if (has(environment, "unfitAddresses") && checkAddresses(spec, "", environment).length > 0) return [];
  const errors: FieldError[] = [];
  if (!isHeadless(spec) || !isHeadless(before)) {
    addTo(errors, validateListChange("clusterIPs", spec, before));
  }
  if (!isHeadless(spec) && !isHeadless(before)) addTo(errors, validateListChange("ipFamilies", spec, before));
  return errors;
}

/** Paths are those of v1.21, which names the first family for each one that changed, and an address for a policy. */
function validateListChange(field: "clusterIPs" | "ipFamilies", spec: ServiceSpec, before: ServiceSpec): FieldError[] {
  const [now, then] = [spec[field] ?? [], before[field] ?? []];
  const at = (index: number) => `spec.${field}[${field === "clusterIPs" ? index : 0}]`;
  if (now.length === then.length) {
    return then.flatMap((value, index) =>
      value === now[index] ? [] : [invalid(at(index), now, "may not change once set")],
    );
  }
  const errors: FieldError[] = [];
  const isShorter = now.length < then.length;
  if (isShorter && !spec.clusterIPs?.length) errors.push(invalid(at(0), now, "the first value can not be unset"));
  if (now.length > 0 && then.length > 0 && now[0] !== then[0]) {
    errors.push(invalid(at(0), now, "may not change once set"));
  }
  if (isShorter && now.length === 1 && spec.ipFamilyPolicy !== "SingleStack") {
    const problem = "`ipFamilyPolicy` must be set to 'SingleStack' when the second value is given up";
    errors.push(invalid("spec.clusterIPs[0]", now, problem));
  }
  return errors;
}
