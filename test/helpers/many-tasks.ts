/** A home with many tasks, which were changed in another order than created, many at the same moment. */
import fs from 'node:fs';
import path from 'node:path';

const DAY_MS = 86_400_000;

export function fillTasks(home: string, count: number): void {
  for (let n = 0; n < count; n += 1) {
    const id = `${20250101 + (n % 28)}-${String(n).padStart(5, '2').replace(/[01]/g, 'x')}${n}`;
    const folder = path.join(home, 'artifacts', id);
    fs.mkdirSync(folder, { recursive: true });
    const at = new Date(Date.UTC(2026, 0, 1) + ((n * 7919) % 300) * DAY_MS).toISOString();
    // biome-ignore format: a row is a line
    const record = {
      ...{ id, viber: 'default', goal: `Goal ${n}`, title: `Task ${n}`, people: [n % 100 === 0 ? 'api:other' : 'api:builder'] },
      ...{ conversations: [`telegram@1:${n}`], runs: 1, state: n % 1000 === 0 ? 'error' : 'completed' },
      ...{ createdAt: at, updatedAt: at },
    };
    fs.writeFileSync(path.join(folder, 'task.json'), JSON.stringify(record));
  }
}
