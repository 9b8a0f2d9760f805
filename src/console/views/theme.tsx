/** Dark or light: as the system has it, until the user says otherwise. */

import { useLayoutEffect, useState } from "preact/hooks";

const storedAs = "console-theme";

export function ThemeButton() {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const [theme, setTheme] = useState(
    localStorage.getItem(storedAs) === "dark" ? "dark" : (localStorage.getItem(storedAs) ?? system),
  );
  useLayoutEffect(() => {
    document.documentElement.dataset["theme"] = theme === "dark" ? "dark" : "light";
  }, [theme]);
  const other = theme === "dark" ? "light" : "dark";
  const choose = () => {
    localStorage.setItem(storedAs, other);
    setTheme(other);
  };
  return (
    <button type="button" aria-label={`Use ${other} colours`} onClick={choose}>
      ◐
    </button>
  );
}
