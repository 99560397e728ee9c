/** Ends a store while its disk thread still syncs: a process of its own, whose exit code tells whether it waited. */
import fs from 'node:fs';
import path from 'node:path';
import { openDisk } from '../../src/engine/local/disk.ts';
import { openStore } from '../../src/engine/local/store.ts';

const root = process.argv[2] ?? '';
const disk = openDisk(path.join(root, 'tmp'), (error) => {
  throw error;
});
const begun = Promise.withResolvers<void>();
let puts = 0;
const store = openStore({
  ...{ root, freeBytes: 0 },
  disk: {
    commit(batch, alone) {
      if (batch.sync.length > 0) begun.resolve();
      return disk.commit(batch, alone && puts === 0);
    },
    close: disk.close,
  },
});
// The thread is up once it has answered.
for (; puts < 5; puts++) await Promise.all(['a', 'b'].map((name) => store.put('out', `${name}${puts}`, {})));
const files = Array.from({ length: 5 }, (_, n) => path.join(root, `large-${n}`));
for (const file of files) {
  fs.writeFileSync(file, Buffer.alloc(1_000_000));
  store.syncSoon(file);
}
await begun.promise;
for (const end = Date.now() + 300; Date.now() < end; );
await store.close();
process.stdout.write('closed');
