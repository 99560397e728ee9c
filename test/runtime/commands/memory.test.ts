/** /memory: who may look, who may change, and one plain sentence for every press, also the second and the late one. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { addToMemory, readMemory } from '../../../src/features/memory/store/memory.ts';
import { readRecords } from '../../../src/features/memory/store/record.ts';
import { MemorySearch } from '../../../src/features/memory/store/search.ts';
import { addSuggestion, listSuggestions } from '../../../src/features/memory/store/suggestions.ts';
import { addSecret } from '../../../src/log.ts';
import type { ButtonAction } from '../../../src/runtime/contract/buttons.ts';
import { commandWorld, direct } from './fixtures.ts';

const OWNER = direct('telegram:1001');
const AT_SLACK = direct('slack:T1:U1');
const MEMBER = direct('telegram:1002');
const GUEST = direct('telegram:9');
const TEXT = '# Memory\n\n## User Preferences\n- likes tea\n- likes green tea\n\n## Project Context\n- uses pnpm\n';

async function open() {
  const world = await commandWorld();
  const { home } = world;
  const file = path.join(home.viberDir('default'), 'MEMORY.md');
  const write = (text: string) => {
    fs.writeFileSync(file, text);
    fs.utimesSync(file, 1, 1);
  };
  write(TEXT);
  const give = (text: string, section?: string) =>
    addSuggestion(home, 'default', { text, section, provenance: 'telegram:9 in task t1', run: 'r1' });
  const text = async (words: string, spot = OWNER) => (await world.say(spot, words)).text;
  return { ...world, write, give, text, read: () => fs.readFileSync(file, 'utf8') };
}

/** What a button says, as a person could type it. */
function typed(action: ButtonAction | undefined): string {
  if (!action || !('command' in action)) throw new Error('there is no such button');
  return `/${action.command} ${action.args}`;
}

describe('/memory', () => {
  it('finds by words what waits as well, with its buttons for owners', async () => {
    const { say, give } = await open();
    await give('drinks oolong tea');
    await give('has a dog');
    const found = await say(OWNER, '/memory tea');
    expect(found.text).toContain('likes green tea');
    expect(found.text).toContain('May I remember this? `drinks oolong tea`');
    expect(found.text).not.toContain('dog');
    expect(found.buttons).toHaveLength(1);
    expect((await say(OWNER, '/memory oolong')).text).toMatch(/^> May I remember this\?/);
    expect((await say(MEMBER, '/memory oolong')).text).toContain('1 waiting for an owner');
  });

  it('calls what waits by the same number in every answer, until nothing waits', async () => {
    const { say, give } = await open();
    for (const fact of ['drinks tea', 'has a dog', 'plays chess']) await give(fact);
    const shown = async (words = '/memory') => {
      const { text, buttons = [] } = await say(OWNER, words);
      const numbers = [...text.matchAll(/^> (\d+)\. May I remember this\? `([^`]+)`/gm)].map(
        ([, n, fact]) => `${n} ${fact}`,
      );
      return { numbers, labels: buttons.map(([accept]) => accept?.label), buttons };
    };
    const first = await shown();
    expect(first.numbers).toEqual(['1 drinks tea', '2 has a dog', '3 plays chess']);
    await say(OWNER, typed(first.buttons[0]?.[0]));
    expect(await shown()).toMatchObject({
      numbers: ['2 has a dog', '3 plays chess'],
      labels: ['Accept 2', 'Accept 3'],
    });
    await say(OWNER, typed(first.buttons[2]?.[2]));
    await give('likes rain');
    expect((await shown()).numbers).toEqual(['2 has a dog', '4 likes rain']);
    for (const [accept] of (await shown()).buttons) await say(OWNER, typed(accept));
    for (const fact of ['sails', 'skis']) await give(fact);
    expect((await shown()).numbers).toEqual(['1 sails', '2 skis']);
  });

  it('shows what there is, and to owners what waits with its buttons', async () => {
    const { say, give, text } = await open();
    await give('- ships on Fridays\n- never on Mondays', 'Project Context');
    const shown = await say(OWNER, '/memory');
    expect(shown.text).toContain('- uses pnpm');
    expect(shown.text).toContain(
      '> May I remember this? (`Project Context`)\n> - `ships on Fridays`\n> - `never on Mondays`',
    );
    expect(shown.buttons?.map((row) => row.map(({ label }) => label))).toEqual([['Accept', 'Edit', 'Reject']]);
    const member = await say(MEMBER, '/memory');
    expect(member.text).toContain('uses pnpm');
    expect(member.text).toContain('1 waiting for an owner');
    expect(member.text).not.toContain('Fridays');
    expect(member.buttons ?? []).toEqual([]);
    expect(await text('/memory', GUEST)).toMatch(/may not/);
  });

  it('looks for words in MEMORY.md and the logs', async () => {
    const { text, home } = await open();
    fs.writeFileSync(
      path.join(home.viberDir('default'), 'memory/2026-01-05.md'),
      '# 2026-01-05\n- 10:00 Mail: sent tea\n',
    );
    expect(await text('/memory search TEA')).toBe('- likes tea\n- likes green tea\n- 2026-01-05: 10:00 Mail: sent tea');
    expect(await text('/memory green tea', MEMBER)).toContain('likes green tea');
    expect(await text('/memory edit distance')).toMatch(/^Nothing in my memory/);
  });

  it('asks the index where there is one', async () => {
    const { text } = await open();
    const asked: unknown[] = [];
    vi.spyOn(MemorySearch.prototype, 'searchMemory').mockImplementation(async (...given) => {
      asked.push(given);
      return [
        { content: '## Mail\n- sent tea', source_file: 'memory/2026-01-05.md', metadata: { line: 1 }, score: 1 },
        { content: '- likes tea', source_file: 'MEMORY.md', metadata: { line: 3 }, score: 0.5 },
      ];
    });
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await text('/memory search what about tea')).toBe('- 2026-01-05: sent tea\n- likes tea');
    expect(asked).toEqual([['default', 'what about tea', 8]]);
  });

  it.each(['add x', 'forget tea', 'undo', 'accept 0123456789ab', 'edit 0123456789ab y', 'reject x'])(
    'lets owners alone /memory %s',
    async (words) => {
      const { text, read } = await open();
      for (const spot of [MEMBER, GUEST]) expect(await text(`/memory ${words}`, spot)).toMatch(/Only an owner|may not/);
      expect(read()).toBe(TEXT);
    },
  );
});

describe('a suggestion', () => {
  it('is shown as it will be written: its marks mean nothing and nothing in it is hidden', async () => {
    const { say, give, read } = await open();
    const { id } = await give('[the wiki](https://evil.example) `code` ~~not~~ \u{e0041}x\u00ad');
    const { text } = await say(OWNER, '/memory');
    // Letters that nobody sees are neither shown nor written.
    expect(text).toContain('`` [the wiki](https://evil.example) `code` ~~not~~ x ``');
    await say(OWNER, `/memory accept ${id}`);
    expect(read()).toContain('- [the wiki](https://evil.example) `code` ~~not~~ x\n');
    const long = await give(Array.from({ length: 50 }, (_, i) => `- ${i} ${'x'.repeat(900)}`).join('\n'));
    expect(long.text.length).toBeLessThan(2_100);
  });

  it('accepted is written exactly as shown under its heading, with who said it and who let it in', async () => {
    const { say, give, home, read } = await open();
    const { id, text } = await give('Kim likes **short** reports <now>', 'User Preferences');
    const { buttons } = await say(OWNER, '/memory');
    expect((await say(AT_SLACK, typed(buttons?.[0]?.[0]))).text).toBe(`I'll remember: \`${text}\``);
    expect(read()).toBe(TEXT.replace('green tea\n', `green tea\n- ${text}\n`));
    expect(readRecords(home, 'default')).toMatchObject([
      {
        ...{ op: 'add', section: 'User Preferences', bullets: [text], provenance: 'telegram:9 in task t1' },
        ...{ suggestion: id, by: 'person:alex', name: 'Name of U1' },
      },
    ]);
    expect(readRecords(home, 'default')[0]?.at).toMatch(/^\d{4}-/);
  });

  it('is decided once: the second, the late and the strange press get one plain sentence', async () => {
    const { text, give, read, home } = await open();
    const [one, two] = [await give('one fact'), await give('two facts')];
    expect(await text(`/memory accept ${one.id}`)).toBe("I'll remember: `one fact`");
    expect(await text(`/memory accept ${one.id}`)).toBe(
      'You have accepted this already; /memory shows what I remember.',
    );
    expect(await text(`/memory reject ${one.id}`)).toMatch(/^You have accepted/);
    expect(await text(`/memory reject ${two.id}`)).toBe("I won't remember: `two facts`");
    expect(await text(`/memory edit ${two.id} three`)).toMatch(/^You have rejected/);
    for (const gone of ['0123456789ab', 'nobody/0123456789ab', '../x', 'default/../x'])
      expect(await text(`/memory accept ${gone}`), gone).toMatch(/^This suggestion is gone/);
    expect(read()).not.toContain('two facts');
    expect(await listSuggestions(home, 'default')).toEqual([]);
  });

  it('pressed by many at once is accepted by one', async () => {
    const { text, give, read } = await open();
    const { id } = await give('one fact');
    const answers = await Promise.all([OWNER, AT_SLACK, OWNER].map((spot) => text(`/memory accept ${id}`, spot)));
    expect(answers.filter((answer) => answer.startsWith("I'll remember"))).toHaveLength(1);
    expect(read().match(/one fact/g)).toHaveLength(1);
  });

  it('can be reworded, and then stands as the owner wrote it', async () => {
    const { say, text, give, read, home } = await open();
    const { id } = await give('Kim likes reports', 'Project Context');
    const asked = await say(AT_SLACK, `/memory edit ${id}`);
    expect(asked.text).toContain('your next message here takes its place');
    expect(asked.text).toContain('Kim likes reports');
    expect(asked.buttons?.flat().map(({ label }) => label)).toEqual(['Accept', 'Reject']);
    expect(await listSuggestions(home, 'default')).toHaveLength(1);
    expect(await text(`/memory edit ${id} # Kim likes\n## short reports`)).toMatch(/^I'll remember:/);
    expect(read()).toBe(`${TEXT}- Kim likes\n- short reports\n`);
    expect(readRecords(home, 'default')).toMatchObject([{ provenance: 'telegram:9 in task t1, reworded' }]);
  });

  it('of another viber is accepted into that one', async () => {
    const { text, home, read } = await open();
    const given = { text: 'dev fact', provenance: 'task t' };
    const { id } = await addSuggestion(home, 'dev', given);
    expect(await text(`/memory accept ${id}`)).toMatch(/^This suggestion is gone/);
    expect(await text(`/memory accept dev/${id}`)).toBe("I'll remember: `dev fact`");
    expect(await readMemory(home, 'dev')).toContain('- dev fact');
    expect(read()).toBe(TEXT);
  });
});

describe('changes by hand of an owner', () => {
  it('adds under a heading that is named, and says when it is known', async () => {
    const { text, read } = await open();
    expect(await text('/memory add project context: deploys on Fridays')).toBe(
      "I'll remember:\n- `deploys on Fridays`",
    );
    expect(read()).toBe(`${TEXT}- deploys on Fridays\n`);
    expect(await text('/memory add Project Context: deploys on Fridays')).toBe('I remember this already.');
    expect(await text('/memory add note: this is no heading')).toContain('note: this is no heading');
    expect(await text('/memory add')).toMatch(/^Tell me what/);
    expect(await text(`/memory add ${'x'.repeat(2001)}`)).toMatch(/too long/);
  });

  it('forgets the one line that fits, asks when several do, and takes it back', async () => {
    const { say, text, read } = await open();
    expect(await text('/memory forget pnpm')).toBe('Forgotten: `uses pnpm`');
    expect(read()).not.toContain('pnpm');
    expect(await text('/memory undo')).toContain('uses pnpm');
    expect(read()).toBe(TEXT);
    const several = await say(OWNER, '/memory forget TEA');
    expect(several.text).toContain('- **1** `likes tea` (User Preferences)\n- **2** `likes green tea`');
    expect(several.buttons?.flat().map(({ label }) => label)).toEqual(['1', '2']);
    expect(read()).toBe(TEXT);
    // What stands in the file may have moved since it was listed.
    await text('/memory forget 1');
    expect(await text(typed(several.buttons?.flat()[1]))).toBe('Forgotten: `likes green tea`');
    expect(await text(typed(several.buttons?.flat()[0]))).toMatch(/isn't in my memory any more/);
    expect(await text('/memory forget unicorns')).toMatch(/^Nothing in my memory/);
    expect(await text('/memory forget')).toContain('**1** `uses pnpm`');
  });

  it('takes back what the button stood under, and nothing else', async () => {
    const { say, text, read } = await open();
    const one = await say(OWNER, '/memory add user preferences: likes cake');
    const two = await say(OWNER, '/memory forget pnpm');
    expect(await text(typed(one.buttons?.[0]?.[0]))).toMatch(/isn't the last one any more/);
    expect(await text(typed(two.buttons?.[0]?.[0]))).toMatch(/^Undone/);
    expect(await text(typed(two.buttons?.[0]?.[0]))).toMatch(/isn't the last one any more/);
    expect(await text(typed(one.buttons?.[0]?.[0]))).toMatch(/^Undone/);
    expect(read().trim().split('\n').filter(Boolean)).toEqual(TEXT.split('\n').filter(Boolean));
  });

  it('does not take back what was edited by hand, and says so', async () => {
    const { text, write, read } = await open();
    await text('/memory add likes cake');
    write(read().replace('likes cake', 'likes pie'));
    expect(await text('/memory undo')).toMatch(/edited by hand since then.*likes cake/s);
    expect(read()).toContain('likes pie');
    // What was edited counts as undone, and no change is before it.
    expect(await text('/memory undo', AT_SLACK)).toMatch(/^There is no change of mine to undo/);
  });

  it('touches one viber only', async () => {
    const { text, home } = await open();
    await addToMemory(home, 'dev', { text: 'dev likes tea', provenance: 'x' });
    expect(await text('/memory dev')).toMatch(/^Nothing/);
    expect(await text('/memory forget dev')).toMatch(/^Nothing/);
    expect(await text('/memory undo')).toMatch(/no change of mine/);
    expect(await readMemory(home, 'dev')).toContain('dev likes tea');
  });
});

it('no secret of the configuration gets into the memory, whoever says it', async () => {
  addSecret('s3cr3t-of-the-provider');
  const { text, give, read, home } = await open();
  const said = await text('/memory add the key is s3cr3t-of-the-provider, keep it');
  expect(said).toContain('keep it');
  const { id } = await give('the key is old');
  await text(`/memory edit ${id} the key is s3cr3t-of-the-provider now`);
  expect(read()).toContain('keep it');
  expect(read()).toMatch(/the key is .* now/);
  const records = JSON.stringify(readRecords(home, 'default'));
  for (const place of [read(), records, said]) expect(place).not.toContain('s3cr3t-of-the-provider');
});
