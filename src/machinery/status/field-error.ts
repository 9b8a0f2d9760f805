/** What is wrong with one field of an object: a value that is collected, one for each problem. */

export type FieldReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "FieldValueTypeInvalid"
  | "InternalError";

/** `field` is a path as clients print it: `spec.containers[0].name`, `metadata.labels`. */
export interface FieldError {
  readonly reason: FieldReason;
  readonly field: string;
  readonly message: string;
}

export type FieldErrors = readonly FieldError[];

const shownCharsMax = 200;

function show(value: unknown): string {
  const text =
    JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner)) ?? "null";
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

export const required = (field: string, detail = ""): FieldError => ({
  reason: "FieldValueRequired",
  field,
  message: detail ? `Required value: ${detail}` : "Required value",
});
export const invalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueInvalid",
  field,
  message: `Invalid value: ${show(value)}: ${detail}`,
});
export const notSupported = (field: string, value: unknown, allowed: readonly string[]): FieldError => ({
  reason: "FieldValueNotSupported",
  field,
  message: `Unsupported value: ${show(value)}: supported values: ${allowed.map((a) => `"${a}"`).join(", ")}`,
});
export const duplicate = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueDuplicate",
  field,
  message: `Duplicate value: ${show(value)}`,
});
export const forbidden = (field: string, detail: string): FieldError => ({
  reason: "FieldValueForbidden",
  field,
  message: `Forbidden: ${detail}`,
});
export const tooLong = (field: string, _value: unknown, max: number): FieldError => ({
  reason: "FieldValueTooLong",
  field,
  message: `Too long: must have at most ${max} bytes`,
});
export const tooMany = (field: string, count: number, max: number): FieldError => ({
  reason: "FieldValueTooMany",
  field,
  message: `Too many: ${count}: must have at most ${max} items`,
});
export const notFoundValue = (field: string, value: unknown): FieldError => ({
  reason: "FieldValueNotFound",
  field,
  message: `Not found: ${show(value)}`,
});
export const typeInvalid = (field: string, value: unknown, detail: string): FieldError => ({
  reason: "FieldValueTypeInvalid",
  field,
  message: `Invalid value: ${show(value)}: ${detail}`,
});
