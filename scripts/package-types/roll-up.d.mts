interface RolledUp {
  readonly files: ReadonlyMap<string, string>;
  readonly entries: Readonly<Record<string, string>>;
  readonly known?: ReadonlyMap<string, { readonly from: string; readonly name: string }>;
}

export declare function rollUp(options: RolledUp): ReadonlyMap<string, string>;
