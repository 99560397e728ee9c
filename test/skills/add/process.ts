/** Takes an offer in a process of its own: `node process.ts HOME ID`. Says how it went. */
import path from 'node:path';
import { Adding } from '../../../src/skills/add/add.ts';

const [, , home = '', id = ''] = process.argv;
const adding = new Adding({
  ...{
    root: path.join(home, 'skills'),
    cache: path.join(home, 'cache'),
    reserved: [],
    allowedOrigins: [],
    registry: '',
  },
});
await adding.take(id, 'alex').then(
  (names) => process.stdout.write(names.join(',')),
  (error: unknown) => process.stdout.write(`refused: ${error instanceof Error ? error.message : error}`),
);
