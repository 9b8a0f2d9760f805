/** Walks over the containers of a pod. */

import { type FieldErrors, ofEach } from "../../../../machinery/status/field-error.ts";
import type { Container, EphemeralContainer } from "./container.ts";
import type { PodSpec } from "./spec.ts";

type Kind = "containers" | "initContainers" | "ephemeralContainers";

/** In the order in which problems of all kinds of containers are reported. */
export const allKinds: readonly Kind[] = ["containers", "initContainers", "ephemeralContainers"];

/** The errors of the containers of these kinds; `at` is relative to the spec: "initContainers[1]". */
export function eachContainer<K extends Kind>(
  spec: PodSpec,
  kinds: readonly K[],
  check: (
    container: K extends "ephemeralContainers" ? Container | EphemeralContainer : Container,
    at: string,
  ) => FieldErrors,
): FieldErrors {
  return ofEach(kinds, (kind) =>
    // Which type a kind has is said above, and the compiler cannot tell which kind is at hand.
    ofEach(spec[kind] as Parameters<typeof check>[0][] | undefined, (container, index) =>
      check(container, `${kind}[${index}]`),
    ),
  );
}

/** Those that a pod starts with. */
export const startedKinds: readonly ("containers" | "initContainers")[] = ["containers", "initContainers"];
