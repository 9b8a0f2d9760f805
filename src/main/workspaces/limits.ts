/** What workspaces may use of their server. */

/** Workspaces that are open at once; idle ones close first. */
export const openWorkspacesMax = 256;
/** When so many are open, the one that was used least recently closes before another opens, unless it is in use. */
export const idleWorkspacesMax = 128;
/** How long a workspace stays open without a request, a watch, or work of its controllers. */
export const workspaceIdleMs = 60_000;
/** How often workspaces are looked at that may have become idle. */
export const workspaceLookMs = 5_000;
/** How many bytes of JSON the objects of one resource of all workspaces may have together, to be listed at once. */
export const acrossBytesMax = 512 * 1024 * 1024;
/** How long they stay in memory without a list or a watch. */
export const acrossIdleMs = 60_000;
/** What one workspace may use, unless its object says less. */
export const workspaceObjectsMax = 100_000;
export const workspaceBytesMax = 512 * 1024 * 1024;
/** A namespace that is deleted may have so many bytes of JSON although no byte is left. */
export const emptiedNamespaceBytesMax = 4_096;
export const workspaceDefinitionsMax = 500;
export const workspaceRequestsMax = 200;
/** How long nothing leads to what workspaces begin with, before it is removed: another server may be about to use it. */
export const unusedBaseMs = 600_000;
/** Objects of a workspace that is deleted that are removed at once. */
export const workspaceDeletionSlice = 100;
