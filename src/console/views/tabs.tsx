/** Tabs whose addresses are links: each can be opened, shared and gone back to. */

export interface Tab<T extends string> {
  readonly id: T;
  readonly name: string;
  readonly href: string;
  /** A key that leads there; absent: none. */
  readonly key?: string | undefined;
}

interface TabsOptions<T extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<T>[];
  readonly current: T;
}

export const Tabs = <T extends string>({ label, tabs, current }: TabsOptions<T>) => (
  <nav class="tabs" aria-label={label}>
    {tabs.map(({ id, name, href, key }) => (
      <a key={id} href={href} aria-current={id === current ? "page" : undefined}>
        {name} {key !== undefined && <kbd>{key}</kbd>}
      </a>
    ))}
  </nav>
);
