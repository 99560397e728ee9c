/** Names a browser and its system by its User-Agent header. Browsers also name those that they descend from, so the order decides. */

const BROWSERS: readonly [mark: RegExp, name: string][] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const SYSTEMS: readonly [mark: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac(intosh| OS X)\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];
const MAX_UNKNOWN = 60;

/** Returns, for example, `Firefox, Linux`; the beginning of a header that names no known browser. */
export function browserName(agent: string): string {
  const nameIn = (table: typeof BROWSERS) => table.find(([mark]) => mark.test(agent))?.[1];
  const browser = nameIn(BROWSERS);
  const system = nameIn(SYSTEMS);
  if (browser === undefined) return agent.slice(0, MAX_UNKNOWN);
  return system === undefined ? browser : `${browser}, ${system}`;
}
