/** Ends with a sentence on a Node that can't read TypeScript, which would only name an error of its own. Runs on old ones. */
const [major] = process.versions.node.split('.').map(Number);
if (major < 24) {
  process.stderr.write(
    `viber needs Node 24 or newer and this is ${process.version}: run npm ci here without --omit=optional, which brings one on Linux and Windows, or install one from https://nodejs.org, and try again.\n`,
  );
  process.exit(1);
}
