/** How devices are selected and configured, in classes and in claims. */

import { encodeJson } from "../../../machinery/json/json.ts";
import { isObject } from "../../../machinery/json/json-value.ts";
import { json, list, optional, type Static, string, struct } from "../../../machinery/schema/build.ts";
import { type FieldErrors, invalid, noErrors, required, tooLong } from "../../../machinery/status/field-error.ts";
import { validateDriverName } from "../../core/v1/volume/source-rules.ts";

export const selectorsMax = 32;
export const configurationsMax = 32;
export const expressionBytesMax = 10 * 1024;
const parametersBytesMax = 10 * 1024;

/** `selector-expressions.ts` compiles the expression. */
const CELDeviceSelector = struct("resource.v1.CELDeviceSelector", {
  expression: string()
    .at(1)
    .max(expressionBytesMax)
    .doc(
      "An expression in CEL about the variable device, with driver, attributes and capacity, that is true or false.",
    ),
});

const DeviceSelector = struct("resource.v1.DeviceSelector", {
  cel: optional(CELDeviceSelector).at(1).required().doc("The expression that must be true for a device. Required."),
});

export type DeviceSelector = Static<typeof DeviceSelector>;

export const driverName = () => string().required().checked(validateDriverName);

const OpaqueDeviceConfiguration = struct("resource.v1.OpaqueDeviceConfiguration", {
  driver: driverName().at(1).doc("The driver that understands the parameters."),
  parameters: json()
    .at(2)
    .checked(validateParameters)
    .evenEmpty()
    .doc("An object that only the driver reads, of at most 10 KiB; by convention with kind and apiVersion."),
});

/** The member of each configuration, in a message of its own in protobuf. */
export const opaqueField = () =>
  optional(OpaqueDeviceConfiguration)
    .at(1, "deviceConfiguration")
    .required()
    .doc("Parameters for one driver. Required.");

export const DeviceClassConfiguration = struct(
  "resource.v1.DeviceClassConfiguration",
  { opaque: opaqueField() },
  { inline: { deviceConfiguration: 1 } },
);
export type DeviceClassConfiguration = Static<typeof DeviceClassConfiguration>;

export const selectorList = () => list(DeviceSelector, { topology: "atomic" }).max(selectorsMax);

/** A JSON object of bounded size. */
export function validateParameters(value: unknown, path: string): FieldErrors {
  if (value === undefined || value === null || value === "") return [required(path)];
  if (!isObject(value)) return [invalid(path, value, "must be a JSON object")];
  return encodeJson(value).length > parametersBytesMax ? [tooLong(path, value, parametersBytesMax)] : noErrors;
}
