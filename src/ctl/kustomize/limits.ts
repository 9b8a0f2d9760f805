/** The limits of a kustomization: what it reads, and how deep it goes. */

import { manifestBytesMax } from "../input/manifests.ts";

/** The maximum size of one file. */
export const fileBytesMax = manifestBytesMax;
/** The maximum size of all files of a build. */
export const allFilesBytesMax = 256 * 1024 * 1024;
/** How many files a build reads, those of its bases and components included. */
export const filesMax = 20_000;
/** How many kustomizations may be nested in each other. */
export const kustomizationDepthMax = 50;
/** How deep a document may be nested; the parser is recursive. */
export const nestingMax = 250;
/** Uses of anchors in one file. */
export const aliasesMax = 10_000;
/** Keys that merges ("<<") may bring in. */
export const mergedKeysMax = 100_000;
/** Values of one file after aliases are expanded. */
export const nodesMax = 3_000_000;
