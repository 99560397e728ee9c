/** Where a Chromium may be on this machine; `CHROMIUM` names another. */
export const CHROMIUM_FILES: readonly string[] = [
  ...(process.env.CHROMIUM ? [process.env.CHROMIUM] : []),
  ...['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'],
];
