/** Closes a store while it is still syncing: a separate process, whose exit code tells whether it waited. */
import fs from 'node:fs';
import path from 'node:path';
import { openStore } from '../../src/engine/local/store.ts';
import { SyncSoon } from '../../src/lib/files.ts';

const root = process.argv[2] ?? '';
const soon = new SyncSoon();
const store = openStore({ root, freeBytes: 0 });
const files = Array.from({ length: 5 }, (_, n) => path.join(root, `large-${n}`));
for (const file of files) {
  fs.writeFileSync(file, Buffer.alloc(1_000_000));
  soon.add(file);
}
// Started, and awaited only by the close.
for (let n = 0; n < 5; n++) void store.put('out', `last-${n}`, { n });
await soon.flush();
await store.close();
process.stdout.write('closed');
