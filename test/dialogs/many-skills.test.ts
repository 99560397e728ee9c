/** Two thousand skills in a chat: every name reaches the model, the prompt is bounded and stays the same, the rest is found and read. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { LlmRequest } from '../emulators/llm.ts';
import { ownTime } from '../helpers/own-time.ts';
import { calls, openChat } from '../kit/kit.ts';
import { ask } from '../platforms/platform.ts';

const COUNT = 2000;
const name = (n: number): string => `skill-${String(n).padStart(4, '0')}`;
const BODY = 'Step by step.\n'.repeat(40);

function putSkills(home: string): void {
  for (let n = 0; n < COUNT; n++) {
    const folder = path.join(home, 'skills', name(n));
    fs.mkdirSync(folder, { recursive: true });
    const about =
      n === 1234
        ? 'Tunes harpsichords after a long winter.'
        : `Answers question ${n} in every detail. Use it when somebody asks.`;
    fs.writeFileSync(path.join(folder, 'SKILL.md'), `---\nname: ${name(n)}\ndescription: ${about}\n---\n${BODY}`);
  }
}

it('two thousand skills are named, a few described, the others found by words', async () => {
  const { world, platform, dm } = await openChat({ prepare: putSkills });
  await ask(platform, dm, 'what is the answer to question 77?', { text: 'question 77' });
  const first = world.llm.requests().at(-1);
  for (let n = 0; n < COUNT; n++) expect(first?.system).toContain(name(n));
  expect(first?.system).toContain(`- ${name(77)}: Answers question 77 in every detail. Use it when somebody asks.`);
  expect(first?.system).not.toContain('harpsichords');
  expect(first?.tools).toContain('find_skill');
  expect(world.llm.stats().bytes.largest).toBeLessThan(60_000);

  world.llm.script(
    calls(
      { name: 'find_skill', arguments: { words: 'tune a harpsichord in winter' } },
      { name: 'read_skill', arguments: { name: name(1234) } },
    ),
  );
  const done = await ask(platform, dm, 'my harpsichord is out of tune', { text: 'I was told' });
  expect(done.text).toContain('Step by step');
  const last = world.llm.requests().at(-1);
  expect(last?.toolResults[0]).toContain(`"name":"${name(1234)}","description":"Tunes harpsichords`);
  // Another subject in the same conversation: what stands before it is the same, and a provider's cache holds.
  const stable = (request: LlmRequest | undefined) => /<skills>[\s\S]*<\/skills>/.exec(request?.system ?? '')?.[0];
  expect(stable(last)).toBe(stable(first));
  expect(stable(first)?.length).toBeGreaterThan(COUNT * 10);

  world.llm.script(() => ({ text: 'Well.' }));
  await ask(platform, dm, 'thanks', { text: 'Well.' });
  const started = ownTime();
  for (let n = 0; n < 5; n++) await ask(platform, dm, `and number ${n}?`, { text: 'Well.' });
  expect(ownTime() - started).toBeLessThan(5000);
});
