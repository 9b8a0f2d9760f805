/** An error of one field of an object, as a value; one for each problem. */

export type FieldReason =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueDuplicate"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTypeInvalid"
  | "FieldValueTooMany"
  | "FieldValueNotFound"
  | "InternalError";

/** `field` is a path as clients print it: `spec.containers[0].name`, `metadata.labels`. */
export interface FieldError {
  readonly reason: FieldReason;
  readonly field: string;
  readonly message: string;
}

export type FieldErrors = readonly FieldError[];

/** No errors. One shared list: most checks return it, and a new list for each would cost more than the check. */
export const noErrors: FieldErrors = Object.freeze([]);

/** All of them, in order. */
export function together(...parts: readonly FieldErrors[]): FieldErrors {
  let all: FieldError[] | undefined;
  for (const errors of parts) {
    if (errors.length === 0) continue;
    all ??= [];
    for (const error of errors) all.push(error);
  }
  return all ?? noErrors;
}

/** Joins two lists of errors, most of which are empty. */
export function both(first: FieldErrors, second: FieldErrors): FieldErrors {
  if (second.length === 0) return first;
  return first.length === 0 ? second : [...first, ...second];
}

/** Appends errors. As arguments of `push`, the errors of an object with very many would overflow the stack. */
export function addTo(errors: FieldError[], more: FieldErrors): void {
  for (const error of more) errors.push(error);
}

/** The search in one list or schema stops after this many: it is refused in any case, and no more are reported (`problemsToldMax`). */
export const problemsFoundMax = 1_000;

/** The errors of all items, in order, up to `problemsFoundMax` and those of one item. */
export function ofEach<T>(
  items: readonly T[] | null | undefined,
  check: (item: T, index: number) => FieldErrors,
): FieldErrors {
  if (!items) return noErrors;
  let all: FieldError[] | undefined;
  for (let index = 0; index < items.length; index++) {
    const errors = check(items[index] as T, index); // index is within bounds
    if (errors.length === 0) continue;
    all ??= [];
    for (const error of errors) all.push(error);
    if (all.length >= problemsFoundMax) break;
  }
  return all ?? noErrors;
}

const shownCharsMax = 200;

function show(value: unknown): string {
  const text = beginning(value, shownCharsMax + 1);
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…` : text;
}

/**
 * JSON of a value, of which only the first `chars` characters need to be correct: an object may have as many errors as it has
 * parts, and each may show the whole.
 */
function beginning(value: unknown, chars: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, chars));
  if (typeof value === "bigint") return `"${value}"`;
  if (typeof value !== "object" || value === null || value instanceof Number) return JSON.stringify(value) ?? "null";
  if (Array.isArray(value)) {
    let text = "[";
    for (let at = 0; at < value.length && text.length < chars; at++) {
      text += `${at === 0 ? "" : ","}${beginning(value[at], chars - text.length)}`;
    }
    return `${text}]`;
  }
  let text = "{";
  for (const key in value) {
    if (text.length >= chars) break;
    const member = (value as Record<string, unknown>)[key]; // an object
    if (member === undefined) continue;
    text += `${text === "{" ? "" : ","}${JSON.stringify(key)}:${beginning(member, chars - text.length)}`;
  }
  return `${text}}`;
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

/** One error for each problem. */
export function each(problems: readonly string[], path: string, value: unknown): FieldErrors {
  return problems.length === 0 ? noErrors : problems.map((problem) => invalid(path, value, problem));
}
