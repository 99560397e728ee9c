/** The small built-in model answers in the language of the person who writes to it. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { sendAndWait as askSocket } from '../../src/cli/ask.ts';
import { openChat } from '../kit/kit.ts';
import { ask, waitFor } from '../platforms/platform.ts';
import { openWorld } from './harness.ts';

it('answers in German', async () => {
  const { platform, dm } = await openChat({ offline: true, config: { language: 'de' } });
  const said = async (text: string) => (await ask(platform, dm, text)).text.replaceAll(/[`\\]/g, '');
  expect(await said('Hallo')).toMatch(
    /^Hallo! Ich bin das kleine eingebaute Modell: .*\nUm ein Sprachmodell anzuschließen/,
  );
  expect(await said('help')).toContain('„done 2“');
  expect(await said('plan: Farbe kaufen; Wand streichen')).toMatch(/^Der Plan hat 2 Schritte\.\n+1\..? Farbe kaufen/);
  expect(await said('done 1')).toBe('Schritt 1, „Farbe kaufen“, ist erledigt; 1 von 2 noch offen.');
  expect(await said('Wie wird das Wetter auf dem Mars?')).toMatch(
    /^Das kann ich ohne Sprachmodell nicht: .*„help“ zählt sie auf/,
  );
  expect(await said('done 2')).toBe('Schritt 2, „Wand streichen“, ist erledigt; damit ist der ganze Plan erledigt.');
  expect(await said('write a file notizen.md: der Text')).toContain('Ich habe notizen.md geschrieben.');
});

it('answers in Spanish', async () => {
  const { platform, dm } = await openChat({ offline: true, config: { language: 'es' } });
  const said = async (text: string) => (await ask(platform, dm, text)).text.replaceAll(/[`\\]/g, '');
  expect(await said('hola')).toMatch(
    /^¡Hola! Soy el modelo pequeño integrado: .*\nPara conectar un modelo de lenguaje/,
  );
  expect(await said('help')).toContain('«done 2»');
  expect(await said('plan: comprar pintura; pintar la pared')).toMatch(/^El plan tiene 2 pasos\.\n+1\..? comprar/);
  expect(await said('done 1')).toBe('El paso 1, «comprar pintura», está hecho; quedan 1 de 2.');
  expect(await said('¿Qué tiempo hace en Marte?')).toMatch(/^No puedo hacer eso sin un modelo de lenguaje: .*«help»/);
});

it('a task that it cannot do is no task that is done', async () => {
  const { world, platform, dm } = await openChat({ offline: true });
  await platform.command(dm, 'new', 'write a poem');
  await waitFor(platform, dm, { text: "I can't do that without a language model" });
  const listed = (await platform.command(dm, 'tasks')).text;
  expect(listed).toContain('write a poem');
  expect(listed).not.toMatch(/done/);
  // Said once more, it is no more done; and a task that stands is not undone by words nobody understands.
  await ask(platform, dm, 'and a song', { text: "I can't do that without a language model" });
  expect((await platform.command(dm, 'tasks')).text).not.toMatch(/done/);
  await platform.command(dm, 'new');
  await ask(platform, dm, 'make a plan: one; two', { text: '2 steps' });
  await ask(platform, dm, 'and a song', { text: "I can't do that without a language model" });
  expect((await platform.command(dm, 'tasks')).text).toMatch(/open\W+\w+-\w+\W+make a plan/);
  // In a terminal, warnings stand between the lines of the conversation.
  expect(world.logs.filter(({ level }) => Number(level) >= 40)).toEqual([]);
});

it('heads another plan by its own steps, and by the goal where one was given', async () => {
  const { platform, dm } = await openChat({ offline: true });
  const headed = async () => (await platform.command(dm, 'plan')).text.split('\n')[0];
  await ask(platform, dm, 'make a plan: one; two', { text: '2 steps' });
  expect(await headed()).toContain('one, two');
  await ask(platform, dm, 'make a plan: three; four; five', { text: '3 steps' });
  expect(await headed()).toContain('three, four, five');
  await ask(platform, dm, 'make a plan for the move: six; seven', { text: '2 steps' });
  await ask(platform, dm, 'make a plan: eight; nine; ten', { text: '3 steps' });
  expect(await headed()).toContain('the move');
});

it('answers in English where nothing else is known', async () => {
  const { platform: discord } = await openChat({ offline: true, channel: { live: 'off' } }, 'discord');
  expect((await ask(discord, discord.dm('alex'), 'hello')).text).toMatch(/^Hello! I'm the small built-in model/);
  const dm = discord.dm('alex');
  for (const command of ['think', 'model'])
    expect((await discord.command(dm, command)).text).toMatch(/No other model is connected\. .*viber.* init/);
});

it('tells memory that is kept out from memory that is empty, and from what waits to be accepted', async () => {
  const { platform: discord, dm } = await openChat({ offline: true, channel: { live: 'off' } }, 'discord');
  expect((await ask(discord, dm, 'what do you know?')).text).toMatch(/^I remember nothing yet\. Say/);
  await ask(discord, dm, 'remember that I like tea', { text: 'once you accept it' });
  const waits = await ask(discord, dm, 'what do you know?', { text: 'nothing yet' });
  expect(waits.text).toBe(
    'I remember nothing yet: what I asked you about counts once you accept it. To do that, send /memory.',
  );
  const thread = discord.answerPlace(discord.say(discord.room, 'what do you know?', { mention: true }));
  expect((await waitFor(discord, thread)).text).toBe(
    "Where others can read, I don't show what I remember; ask me in a direct message.",
  );
});

it('names the command that makes a job while there is none, and says of one where its result goes', async () => {
  const { world, platform, dm } = await openChat({ offline: true });
  const listed = await platform.command(dm, 'jobs');
  expect(listed.text).toMatch(/There are no scheduled jobs\..*init.*jobs add NAME --at/);
  const job = 'name: Shop\nschedule: daily at 9\nprompt: x\n';
  fs.writeFileSync(path.join(world.home, 'jobs', 'shop.yaml'), job);
  await expect
    .poll(async () => (await platform.command(dm, 'jobs', 'show shop')).text)
    .toContain("Its result isn't sent to anybody");
});

it('tells at the machine that an answer is seen as it is written', async () => {
  const world = await openWorld({ offline: true });
  const said = { chat: 'c', text: '/live' };
  const { text } = await askSocket(path.join(world.home, 'run/gateway.sock'), said, () => undefined);
  expect(text).toMatch(/^Live progress here is \*{0,2}text/);
});
