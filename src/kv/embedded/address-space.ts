/** How much of its address space a process may spend on the data file. */

import { readFileSync } from "node:fs";

/**
 * More than data files have in practice. It costs nothing until it is used. LMDB starts with little, and when that is used up it maps
 * the file again at twice the size and keeps the mapping before, so that each of them counts its pages as memory of the process.
 */
const mapBytes = 8 * 1024 ** 3;

const narrow: readonly string[] = ["arm", "ia32", "mips", "mipsel"];

/** Undefined: address space is scarce, and LMDB takes what it needs step by step. LMDB would crash where it cannot get all of it. */
export function mapBytesOf(arch: string, limits: string): number | undefined {
  const isLimited = /^Max address space\s+\d/m.test(limits);
  return isLimited || narrow.includes(arch) ? undefined : mapBytes;
}

/** The limits of this process; "": this system does not tell them. */
export function readLimits(): string {
  try {
    return readFileSync("/proc/self/limits", "utf8");
  } catch {
    return "";
  }
}
