/** A home with all that a page of the Board can show, some of it too wide for its window. */
import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { ALEX, STRANGER } from '../../dialogs/harness.ts';
import { put as write } from '../../helpers/temp.ts';
import type { RealBoard } from './real.ts';

const LONG = 'x'.repeat(400);
const ADDRESS = `https://example.org/${'a-very-long-path/'.repeat(30)}end?query=${'q'.repeat(300)}`;
/** All that may be too wide. */
const WIDE = [
  `# A heading ${LONG}`,
  `Words ${LONG} and \`code ${LONG}\` and ${ADDRESS}`,
  `| ${Array.from({ length: 14 }, (_, n) => `column ${n}`).join(' | ')} |`,
  `|${'---|'.repeat(14)}`,
  `| ${Array.from({ length: 14 }, (_, n) => `${n} ${'cell '.repeat(8)}`).join(' | ')} |`,
  '',
  `- a list ${LONG}\n  - within ${LONG}\n    - within ${LONG}\n`,
  `> quoted ${LONG}\n> > twice ${LONG}\n`,
  `\`\`\`ts\nconst line = '${LONG}${LONG}';\n\`\`\``,
].join('\n');

export function furnish(home: string): void {
  const at = new Date().toISOString();
  for (const [id, name] of [
    ['morning', 'Morning'],
    ['long', `Name ${'long '.repeat(30)}`],
  ])
    write(home, `jobs/${id}.yaml`, `name: ${name}\nschedule: "0 9 * * 1-5"\nprompt: "${LONG}"\n`);
  write(home, 'jobs/broken.yaml', `name: [\n${LONG}`);
  write(home, 'workspace/MEMORY.md', `# Memory\n\n## ${LONG}\n- ${LONG}\n- Likes tea ${ADDRESS}\n`);
  write(home, `workspace/memory/${at.slice(0, 10)}.md`, `# Today\n\n- ${LONG}\n`);
  for (const [id, text] of [
    ['aaaaaaaaaaa1', `Alex ${LONG}`],
    ['aaaaaaaaaaa2', 'Alex drinks tea'],
  ])
    write(
      home,
      `workspace/memory/suggestions/${id}.json`,
      JSON.stringify({ id, text, provenance: `the task ${LONG}`, createdAt: at }),
    );
  write(home, 'skills/wide/SKILL.md', `---\nname: wide\ndescription: ${LONG}\n---\n\n${WIDE}\n`);
  write(home, 'vibers/dev/SOUL.md', 'Short.\n');
  write(home, 'playbooks/trip.yaml', `name: trip\ndescription: ${LONG}\nsteps:\n  - title: ${LONG}\n`);
}

/** A home in which everything has happened that a page can show. */
export async function live({ world }: RealBoard): Promise<void> {
  world.llm.script((request) => {
    const last = JSON.stringify(request.messages.at(-1));
    if (last.includes('asked'))
      return {
        toolCalls: [
          { name: 'ask_user', arguments: { question: WIDE.slice(0, 1_500), options: [LONG.slice(0, 60), 'No'] } },
        ],
      };
    if (last.includes('fails')) return { fault: 'unauthorized' };
    if (last.includes('writes') && !request.messages.some(({ role }) => role === 'tool'))
      return { toolCalls: [{ name: 'write_file', arguments: { path: `${'long-'.repeat(30)}.md`, content: WIDE } }] };
    return {
      text: `${WIDE}\n\n\`\`\`plan\n# Current Task\n\n## Goal\n${LONG}\n\n## Plan\n- [x] Done ${LONG}\n- [ ] Open ${ADDRESS}\n\`\`\``,
    };
  });
  await world.ask(`A first one that writes ${LONG}`);
  await world.ask('/new A task that fails');
  world.telegram.say(ALEX, '/new Something is asked');
  await expect.poll(() => fs.readdirSync(path.join(world.home, 'artifacts')).length).toBe(3);
  world.telegram.say(STRANGER, 'Let me in');
  await expect.poll(() => world.telegram.chat(STRANGER).messages.length).toBeGreaterThan(1);
}
