/** What platforms show while something is typed or opened: in each person's language, or in the one that is set for everybody. */
import { expect, it } from 'vitest';
import { MENU } from '../../src/messages/menu.ts';
import { LISTED } from '../helpers/commands.ts';
import { discordPlatform } from '../platforms/discord.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import { openPlatforms } from '../platforms/world.ts';

it.each(Object.entries(MENU))('every command of the menus is told in %s, as short as platforms want it', (_, menu) => {
  for (const { name, argument } of LISTED) {
    const text = menu[name];
    expect([name, text?.description.length], name).toEqual([name, expect.any(Number)]);
    expect([name, text?.argument === undefined]).toEqual([name, argument === undefined]);
    for (const said of [text?.description ?? '', text?.argument ?? '']) expect(said.length).toBeLessThanOrEqual(100);
  }
});

it('Telegram’s menu is set once for everybody and once for those who speak each other language', async () => {
  const telegram = await telegramPlatform();
  const world = await openPlatforms({ on: ['telegram'], given: { telegram } });
  const menus = () => telegram.emulator.requests().filter(({ method }) => method === 'setMyCommands');
  await expect.poll(() => menus().length).toBe(3);
  const textOf = (at: number) => JSON.stringify(menus()[at]?.params);
  expect(textOf(0)).toContain('List your tasks');
  expect(textOf(0)).not.toContain('language_code');
  expect(textOf(1)).toContain('Deine Aufgaben zeigen');
  expect(menus()[1]?.params).toMatchObject({ language_code: 'de' });
  expect(textOf(2)).toContain('Ver tus tareas');
  expect(menus()[2]?.params).toMatchObject({ language_code: 'es' });
  await world.restart();
  expect(menus()).toHaveLength(3);
});

it('the language that is set for everybody is that of the menu', async () => {
  const telegram = await telegramPlatform();
  await openPlatforms({ on: ['telegram'], given: { telegram }, config: { language: 'de' } });
  const menus = () => telegram.emulator.requests().filter(({ method }) => method === 'setMyCommands');
  await expect.poll(() => menus().length).toBe(1);
  expect(JSON.stringify(menus()[0]?.params)).toContain('Deine Aufgaben zeigen');
});

it('Discord is given every language by its own names, and is not told again what it has', async () => {
  const discord = await discordPlatform();
  const world = await openPlatforms({ on: ['discord'], given: { discord } });
  await expect.poll(() => discord.emulator.commands().length).toBe(1);
  const [viber] = discord.emulator.commands();
  expect(viber).toMatchObject({
    description: 'Tasks for the viber',
    description_localizations: {
      de: 'Aufgaben für den Viber',
      'es-ES': 'Tareas para el viber',
      'es-419': 'Tareas para el viber',
    },
    options: expect.arrayContaining([
      expect.objectContaining({
        ...{ name: 'tasks', description: 'List your tasks' },
        description_localizations: expect.objectContaining({ de: 'Deine Aufgaben zeigen', 'es-419': 'Ver tus tareas' }),
        options: [
          expect.objectContaining({
            description_localizations: expect.objectContaining({ de: 'all: auch die von anderen' }),
          }),
        ],
      }),
    ]),
  });
  await world.restart();
  expect(discord.emulator.commandsRegistered()).toBe(1);
});

it('Slack’s assistant suggests in the language of whoever opens it', async () => {
  const slack = await slackPlatform();
  slack.emulator.users.alex.locale = 'de-DE';
  const world = await openPlatforms({ on: ['slack'], given: { slack } });
  const { alex } = slack.emulator.users;
  slack.say(slack.dm('alex'), 'hallo');
  const prompts = () => {
    const opened = slack.emulator.openAssistant(alex.id);
    return { at: opened, of: () => slack.emulator.channel(opened.channel).assistants[opened.ts]?.prompts ?? [] };
  };
  await expect.poll(() => slack.answers(slack.dm('alex')).length).toBe(1);
  const german = prompts();
  await expect.poll(() => JSON.stringify(german.of())).toContain('Was kannst du?');
  expect(world.tasks()).toHaveLength(1);
});
