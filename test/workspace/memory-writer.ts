/** A process of its own that changes MEMORY.md: `node memory-writer.ts add|append HOME NAME COUNT`. */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addToMemory } from '../../src/features/memory/store/memory.ts';
import { openHome } from '../../src/workspace/home.ts';

const [, , how = '', root = '', name = '', count = '0'] = process.argv;
const home = await openHome(root);
process.stdout.write('ready\n');
for (let i = 0; i < Number(count); i++) {
  if (how === 'add') await addToMemory(home, 'default', { text: `${name} ${i}`, provenance: name });
  else {
    // As a shell's `>>` or an editor that writes in place: opened, written, closed, with no regard to anybody.
    fs.appendFileSync(path.join(home.viberDir('default'), 'MEMORY.md'), `- ${name} ${i}\n`);
    // It writes now and then.
    await sleep(3);
  }
}
