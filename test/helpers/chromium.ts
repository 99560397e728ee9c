/** Locates Chromium on this machine; `CHROMIUM` names another one. */
import path from 'node:path';

/** Where `npm run test:setup` puts one without root. */
export const OWN_CHROMIUM = path.join(import.meta.dirname, '../../node_modules/.cache/chromium/chromium');

export const CHROMIUM_FILES: readonly string[] = [
  ...(process.env.CHROMIUM ? [process.env.CHROMIUM] : []),
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
  OWN_CHROMIUM,
];
