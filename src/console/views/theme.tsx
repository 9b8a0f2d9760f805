/** Dark or light: as the system has it, until the user says otherwise. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";

const storedAs = "console-theme";

const darkQuery = "(prefers-color-scheme: dark)";
type Theme = "dark" | "light";
const systemTheme = (): Theme => (matchMedia(darkQuery).matches ? "dark" : "light");
const themeOf = (stored: string | null): Theme | undefined =>
  stored === "dark" || stored === "light" ? stored : undefined;

export function ThemeButton() {
  const [system, setSystem] = useState(systemTheme);
  const [chosen, setChosen] = useState(() => themeOf(localStorage.getItem(storedAs)));
  const theme = chosen ?? system;
  useEffect(() => {
    const query = matchMedia(darkQuery);
    const follow = () => setSystem(systemTheme());
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme;
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  const choose = () => {
    // Back to what the system has: from then on it is followed again.
    if (other === system) localStorage.removeItem(storedAs);
    else localStorage.setItem(storedAs, other);
    setChosen(other === system ? undefined : other);
  };
  return (
    <button type="button" aria-label={`Use ${other} colours`} onClick={choose}>
      ◐
    </button>
  );
}
