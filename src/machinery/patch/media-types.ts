/** The media types of patches: a client names one of them in Content-Type. */

export const patchMediaTypes = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
} as const;

/**
 * The types of patches.
 * @example
 * const type: PatchType = "strategic";
 */
export type PatchType = keyof typeof patchMediaTypes;
