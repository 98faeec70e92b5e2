// format.ts: numbers and small elements for people.

export function number_text(x: number | null | undefined, digits = 5): string {
  if (x === null || x === undefined || !isFinite(x)) return '–';
  if (x === 0) return '0';
  const size = Math.abs(x);
  const text = size >= 1e6 || size < 1e-4
    ? x.toExponential(Math.max(0, digits - 2)).replace(/\.?0+e/, 'e').replace('e+', 'e')
    : String(Number(x.toPrecision(digits)));
  return text.replace(/-/g, '−');
}

// Seconds with as many places as the run needs: a thousandth of its length, at least.
export function time_text(t: number, length: number): string {
  const places = Math.min(9, Math.max(2, Math.ceil(3 - Math.log10(length || 1))));
  return t.toFixed(places).replace('-', '−');
}

// The next of 1, 2, 5, 10 ... that is not below.
export function nice_step(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5].find((f) => f * power >= rough) ?? 10);
}

type Child = Node | string | null | undefined;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: {[name: string]: string} = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  for (const child of children) if (child) element.append(child);
  return element;
}

const icons: {[name: string]: string} = {
  play: '<path d="M7 4.5v15l12-7.5z" fill="currentColor" stroke="none"/>',
  pause: '<path d="M7 5h3.5v14H7zM13.5 5H17v14h-3.5z" fill="currentColor" stroke="none"/>',
  start: '<path d="M6 5v14M19 5v14l-10-7z"/>',
  loop: '<path d="M4 12a7 7 0 0 1 7-7h7m-3-3 3 3-3 3M20 12a7 7 0 0 1-7 7H6m3 3-3-3 3-3"/>',
  plus: '<path d="M12 5v14M5 12h14"/>',
  close: '<path d="M6 6l12 12M18 6 6 18"/>',
  edit: '<path d="M4 7h10M18 7h2M4 17h2M10 17h10"/><circle cx="16" cy="7" r="2"/><circle cx="8" cy="17" r="2"/>',
  search: '<circle cx="11" cy="11" r="6"/><path d="m20 20-4.5-4.5"/>',
  follow: '<circle cx="12" cy="12" r="3"/><path d="M12 3v4M12 17v4M3 12h4M17 12h4"/>',
  trace: '<path d="M4 18c4 0 4-12 8-12s4 12 8 12"/>',
  reset: '<path d="M4 12a8 8 0 1 0 3-6.2M4 4v4h4"/>',
};

export function icon(name: string): SVGSVGElement {
  const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  svg.innerHTML = icons[name];
  return svg;
}

export function icon_button(name: string, title: string, action: () => void): HTMLButtonElement {
  const button = make('button', {class: 'icon', type: 'button', title, 'aria-label': title}, icon(name));
  button.addEventListener('click', action);
  return button;
}
