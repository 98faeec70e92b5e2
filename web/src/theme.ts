// theme.ts: colours of canvases, taken from the style sheet, so that they change with it.

export interface Theme {
  dark: boolean;
  text: string;
  faint: string;
  grid: string;
  panel: string;
  marker: string;
  series: string[];
}

const media = window.matchMedia('(prefers-color-scheme: dark)');
const listeners: (() => void)[] = [];
media.addEventListener('change', () => listeners.forEach((listener) => listener()));

export function on_theme(listener: () => void): void {
  listeners.push(listener);
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string) => style.getPropertyValue(name).trim();
  return {
    dark: media.matches,
    text: colour('--text'),
    faint: colour('--faint'),
    grid: colour('--grid'),
    panel: colour('--panel'),
    marker: colour('--marker'),
    series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => colour(`--s${i}`)),
  };
}
