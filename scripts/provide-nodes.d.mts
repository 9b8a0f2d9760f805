export declare function provideNodes(
  root: string,
  options: {
    readonly log: (line: string) => void;
  },
): readonly { readonly version: number; readonly path: string }[];
