export declare const documented: ReadonlySet<string>;
