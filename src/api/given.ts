/** Members that may be undefined, as members that may be absent: what conversions write. */

export type Given<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

/** `value` without the members that are undefined. */
export function given<T extends object>(value: T): Given<T> {
  // What is left has no undefined member, which is what Given says.
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as Given<T>;
}
