/** Several vibers on three platforms: who answers, what each is told, and that nothing of one reaches another, also over a kill. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { LlmRequest } from '../emulators/llm.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { NAMES, openPlatforms, type PlatformName, type PlatformWorld } from '../platforms/world.ts';

const WHO = ['default', 'dev'] as const;
type Who = (typeof WHO)[number];

/** Words that stand only in what belongs to one of them. */
const marks = (who: Who) => ({ soul: `soul-of-${who}-x`, memory: `memory-of-${who}-x`, secret: `said-to-${who}-x` });

function write(home: string, file: string, text: string): void {
  fs.mkdirSync(path.dirname(path.join(home, file)), { recursive: true });
  fs.writeFileSync(path.join(home, file), text);
}

const folderOf = (who: Who) => (who === 'default' ? 'workspace' : `vibers/${who}`);

function prepare(home: string): void {
  for (const who of WHO) {
    write(home, `${folderOf(who)}/SOUL.md`, `You are calm. ${marks(who).soul}`);
    write(home, `${folderOf(who)}/MEMORY.md`, `# Memory\n\n- ${marks(who).memory}\n`);
    write(home, `${folderOf(who)}/memory/2026-11-20.md`, `# 2026-11-20\n\n- day-of-${who}-x\n`);
  }
  // What only the usual one has does not fill a gap of the other.
  write(home, 'workspace/USER.md', 'user-of-default-x');
  write(home, 'workspace/skills/tidy/SKILL.md', '---\nname: tidy\ndescription: skill-of-default-x\n---\nTidy up.\n');
  write(home, 'agents/dev.yaml', 'description: Writes and mends programs\nprompt: prompt-of-dev-x\n');
}

/** Which of the two a request is of. */
const whose = ({ system }: LlmRequest): Who => (system.includes('You are the viber "dev"') ? 'dev' : 'default');

/** Everything in a request that belongs to the other one. */
function strays(request: LlmRequest): string[] {
  const other = whose(request) === 'dev' ? 'default' : 'dev';
  const text = JSON.stringify(request.body);
  return [
    ...Object.values(marks(other)),
    `day-of-${other}-x`,
    `file-of-${other}-x`,
    `prompt-of-${other}-x`,
    `user-of-${other}-x`,
    `skill-of-${other}-x`,
  ].filter((mark) => text.includes(mark));
}

const people = (world: PlatformWorld, name: PlatformName): [Platform, Place] => [
  world.platforms[name],
  world.platforms[name].dm('alex'),
];

/** Chooses another one and waits until it is said. */
async function use(platform: Platform, place: Place, who: string): Promise<string> {
  const after = platform.answers(place).length;
  await platform.command(place, 'use', who);
  return (await waitFor(platform, place, { after, text: /You're talking to|viber|owner/ })).text;
}

describe('two vibers on three platforms', () => {
  it('keep apart while both work and people swap between them, also over a kill', async () => {
    const world = await openPlatforms({
      ...{ prepare, process: true, linked: false },
      channel: { live: 'off', injection: 'followup' },
      config: { memory: { index: 'off' } },
    });
    // Each writes a file of its own first, and takes its time with what is slow.
    world.llm.script((request) => {
      const who = whose(request);
      const [, round = ''] = /round (\w+)/.exec(request.lastUser) ?? [];
      if (request.toolResults.length === 0 && !request.lastUser.includes('quick'))
        return {
          toolCalls: [
            {
              name: 'create_artifact',
              arguments: { title: `${who}-${round}.txt`, type: 'text/plain', content: `file-of-${who}-x` },
            },
          ],
          delayMs: 150,
        };
      return { text: `${who} answers round ${round}`, delayMs: request.lastUser.includes('slow') ? 1_500 : 150 };
    });
    const said = (who: Who, round: string, how = '') => `${marks(who).secret} ${how} round ${round}`;
    await Promise.all(
      NAMES.map(async (name) => {
        const [platform, place] = people(world, name);
        const begin = async (words: string) => {
          platform.say(place, `${words} on ${name}`);
          await world.llm.waitFor(({ lastUser }) => lastUser.includes(`${words} on ${name}`));
        };
        await begin(said('default', 'a', 'slow'));
        // While the one is at work the other is chosen, and begins.
        expect(await use(platform, place, 'dev')).toContain('dev');
        await begin(said('dev', 'b', 'slow'));
        expect(await use(platform, place, 'default')).toContain('default');
        await begin(said('default', 'c'));
        await waitFor(platform, place, { text: 'dev answers round b' });
        await waitFor(platform, place, { text: 'default answers round c' });
        expect(await use(platform, place, 'dev')).toContain('We go on with');
        await begin(said('dev', 'd', 'slow'));
      }),
    );
    await world.kill();
    await Promise.all(
      NAMES.map(async (name) => {
        const [platform, place] = people(world, name);
        await waitFor(platform, place, { text: 'dev answers round d' });
        // What was chosen holds over the restart, and each goes on in its own task.
        await ask(platform, place, said('dev', 'e', 'quick'), { text: 'dev answers round e' });
        await use(platform, place, 'default');
        await ask(platform, place, said('default', 'f', 'quick'), { text: 'default answers round f' });
      }),
    );
    const requests = world.llm.requests();
    expect(requests.flatMap((request) => strays(request).map((mark) => `${whose(request)} was told ${mark}`))).toEqual(
      [],
    );
    for (const who of WHO) {
      const own = requests.filter((request) => whose(request) === who);
      expect(own.length).toBeGreaterThan(9);
      expect(own.every(({ system }) => system.includes(marks(who).soul) && system.includes(marks(who).memory))).toBe(
        true,
      );
      // The last words of each stand after the first ones: it is one conversation.
      const last = own.filter(({ lastUser }) => lastUser.includes(who === 'dev' ? 'round e' : 'round f'));
      expect(last).toHaveLength(3);
      for (const request of last)
        expect(JSON.stringify(request.messages)).toContain(who === 'dev' ? 'round b' : 'round a');
    }
    // Two tasks for each platform's person, and no file of the one among those of the other.
    const tasks = world.tasks().map((id) => JSON.parse(world.read(`artifacts/${id}/task.json`)));
    expect(tasks.map(({ viber }) => viber).sort()).toEqual(['default', 'default', 'default', 'dev', 'dev', 'dev']);
    for (const { id, viber } of tasks) {
      const files = fs
        .readdirSync(path.join(world.home, 'artifacts', id))
        .map((name) => world.read(`artifacts/${id}/${name}`));
      expect(files.join('\n')).not.toContain(`file-of-${viber === 'dev' ? 'default' : 'dev'}-x`);
    }
  });
});
