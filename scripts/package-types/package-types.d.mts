export declare function packageTypes(root: string, declared: string): ReadonlyMap<string, string>;
export declare function withoutComments(text: string): string;
