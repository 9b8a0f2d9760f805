import type { BuildOptions } from "esbuild";

export declare function moduleFormOptions(root: string, browser: boolean): BuildOptions;
export declare function markPure(text: string): string;
