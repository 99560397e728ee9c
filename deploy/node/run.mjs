/** Runs the program from its sources, as if they had been named. */
import './new-enough.mjs';
import { fileURLToPath } from 'node:url';

const main = new URL('../../src/main.ts', import.meta.url);
process.argv[1] = fileURLToPath(main);
await import(main.href);
