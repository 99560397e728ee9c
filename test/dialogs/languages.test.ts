/** Who is answered in which language: by what their platform says of them, or by the owner's setting. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it as test } from 'vitest';
import { press } from '../kit/kit.ts';
import { ask, type Place, type Platform, waitFor } from '../platforms/platform.ts';
import { openThree } from './three.ts';

const NOTHING = /Es gibt nichts anzuhalten/;

/** Alex uses all three platforms in German, Sam in English. */
async function openGerman(config: Record<string, unknown> = {}) {
  const opened = await openThree({ config });
  const { telegram, discord, slack } = opened;
  telegram.emulator.addUser({ id: 1001, first_name: 'Alex', language_code: 'de-AT' });
  discord.emulator.setLocale(discord.identity('alex').slice('discord:'.length), 'de');
  slack.emulator.users.alex.locale = 'de-DE';
  return opened;
}

/** Asks until it is known what Slack says of a person, which it is asked once they have written. */
async function stopIn(platform: Platform, place: Place, wanted: RegExp, by: 'alex' | 'sam' = 'alex'): Promise<void> {
  await expect.poll(async () => (await platform.command(place, 'stop', '', by)).text).toMatch(wanted);
}

test('each person is answered in the language of their platform, in groups too', async () => {
  const { telegram, discord, slack } = await openGerman();
  for (const platform of [telegram, discord, slack]) {
    await stopIn(platform, platform.dm('alex'), NOTHING);
    await stopIn(platform, platform.room, NOTHING);
    await stopIn(platform, platform.room, /You may not use/, 'sam');
  }
});

test('what Discord says with a command holds for the words that follow, and after a restart', async () => {
  const { world, discord } = await openGerman();
  const dm = discord.dm('alex');
  await stopIn(discord, dm, NOTHING);
  world.llm.script([
    { fault: 'empty-text' },
    { fault: 'empty-text' },
    { fault: 'empty-text' },
    { fault: 'empty-text' },
  ]);
  const failed = await ask(discord, dm, 'hallo', { text: /eine leere Antwort gegeben: Frag bitte nochmal/ });
  expect(failed.buttons).toEqual(['Nochmal']);
  await world.restart();
  world.llm.script([
    { fault: 'empty-text' },
    { fault: 'empty-text' },
    { fault: 'empty-text' },
    { fault: 'empty-text' },
  ]);
  const after = discord.answers(dm).length;
  discord.say(dm, 'und jetzt');
  await waitFor(discord, dm, { after, text: /eine leere Antwort gegeben: Frag bitte nochmal/ });
});

test('the owner’s setting is for everybody; a language nobody has translated is English', async () => {
  const fixed = await openGerman({ language: 'de' });
  for (const platform of [fixed.telegram, fixed.discord, fixed.slack])
    await stopIn(platform, platform.room, /darfst du hier nicht/, 'sam');
  const { telegram } = await openGerman();
  telegram.emulator.addUser({ id: 1001, first_name: 'Alex', language_code: 'fr' });
  await stopIn(telegram, telegram.dm('alex'), /There's nothing to stop/);
});

test('what is wrong with the file of a job, and with what was asked of it, is told in the asker’s language', async () => {
  const { world, telegram } = await openGerman();
  const dm = telegram.dm('alex');
  await stopIn(telegram, dm, NOTHING);
  const folder = path.join(world.home, 'jobs');
  fs.mkdirSync(folder, { recursive: true });
  fs.writeFileSync(path.join(folder, 'kaputt.yaml'), 'name: Kaputt\nschedul: x\nschedule: "25am"\nprompt: 7\n');
  const jobs = async (args = '') => (await telegram.command(dm, 'jobs', args)).text.replaceAll('\\', '');
  await expect
    .poll(() => jobs())
    .toContain('kaputt.yaml, Zeile 4, prompt: hier gehört hin, was zu tun ist; da steht 7');
  const told = await jobs();
  expect(told).toContain('Zeile 2, schedul: diesen Schlüssel gibt es nicht; meintest du schedule?');
  expect(told).toContain('Zeile 3, schedule: „25am“ verstehe ich nicht als Zeit');
  expect(told).not.toMatch(/expected|found/);
  expect(await jobs('resume kaputt')).toBe('Der Auftrag kaputt ist nicht pausiert.');
});

test('when a job is due, and what is more to say of it, is told in the asker’s language before it is made', async () => {
  const { world, telegram } = await openGerman({ jobs: { timezone: 'Europe/Berlin' } });
  const dm = telegram.dm('alex');
  await stopIn(telegram, dm, NOTHING);
  const job = { name: 'Post', schedule: 'every day at 9', prompt: 'Lies die Post' };
  world.llm.script(({ toolResults }) =>
    toolResults.length > 0 ? { text: 'Gut.' } : { toolCalls: [{ name: 'create_scheduled_job', arguments: job }] },
  );
  const { text, buttons } = await ask(telegram, dm, 'jeden Tag die Post', { text: 'Lies die Post' });
  expect(buttons).toEqual(['Ja', 'Andere Zeit', 'Nein']);
  expect(text).toContain('Das tun, jeden Tag um 09:00 (Zeit in Berlin), bis du es beendest: Lies die Post?');
  expect(text).toContain('das Ergebnis geht an dieses Gespräch. Die nächsten Zeiten (Europe/Berlin):');
  expect(text).toMatch(/\p{L}+, \d+\. \p{L}+\.? \d{4} um 09:00\n/u);
  expect(text).not.toMatch(/next times|goes to|every day at 0/);
});

test('a question, the answer to a press and a file that a platform refuses are told of in the asker’s language', async () => {
  const { world, telegram, discord, slack } = await openGerman();
  const report = { title: 'report.csv', type: 'text/csv', content: 'a,b' };
  world.llm.script((request) => {
    if (request.toolResults.length > 0) return { text: 'Hier, bitte.' };
    const isFile = request.lastUser.includes('Tabelle');
    return {
      toolCalls: isFile
        ? [{ name: 'create_artifact', arguments: report }]
        : [{ name: 'ask_user', arguments: { question: 'Rot?', options: ['ja', 'nein'], recommended: 0 } }],
    };
  });
  for (const platform of [telegram, discord, slack]) {
    const dm = platform.dm('alex');
    await stopIn(platform, dm, NOTHING);
    const asked = await ask(platform, dm, 'Farbe wählen', { text: 'Rot?' });
    expect(asked.text).toContain('Höre ich 30 Minuten lang nichts, mache ich so weiter: ja');
    expect(asked.buttons).toEqual(['ja (empfohlen)', 'nein']);
    await platform.press(dm, 'nein');
    await waitFor(platform, dm, { text: 'Notiert: nein' });
    platform.withholdFiles();
    const place = platform.answerPlace(platform.say(platform.room, 'eine Tabelle bitte', { mention: true }));
    await waitFor(platform, place, { text: /nicht anhängen: \W*report\.csv/ });
  }
});

test('what "always for this task" covers is told in the asker’s language, also for a consent kept before', async () => {
  const { world, telegram, discord, slack } = await openGerman();
  const notes = { path: 'workspace/notes.md', content: 'Milch' };
  world.llm.script(({ toolResults }) =>
    toolResults.length > 0 ? { text: 'Notiert.' } : { toolCalls: [{ name: 'write_file', arguments: notes }] },
  );
  for (const platform of [telegram, discord, slack]) {
    const dm = platform.dm('alex');
    await stopIn(platform, dm, NOTHING);
    await platform.command(dm, 'new');
    await ask(platform, dm, 'Merk dir Milch', { text: /notes\.md/ });
    await press(platform, dm, 'In dieser Aufgabe immer', 'Notiert.', { stale: true });
    const status = await platform.command(dm, 'status');
    expect(status.text).toContain('Dateien im Arbeitsordner');
    expect(status.text).not.toMatch(/workspace files|write file/);
    expect(status.buttons).toContain('Wieder fragen: Dateien im Arbeitsordner');
  }
  const kept = world.tasks().map((task) => world.read(`artifacts/${task}/task.json`));
  expect(
    kept.filter(
      (record) => record.includes('"kind":"workspace files"') || record.includes('"kind": "workspace files"'),
    ),
  ).toHaveLength(3);
});
