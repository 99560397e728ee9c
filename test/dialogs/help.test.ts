/** What can be asked for, in the words that can be typed there, and what becomes of words that are nearly a command. */
import { describe, expect, it as test } from 'vitest';
import { COMMANDS } from '../helpers/commands.ts';
import { ask } from '../platforms/platform.ts';
import { openThree } from './three.ts';

describe('help', () => {
  test('is seven lines with buttons; with "all" it names each command as it is typed there', async () => {
    const { telegram, discord, slack } = await openThree();
    for (const [platform, prefix] of [
      [telegram, '/'],
      [discord, '/viber '],
      [slack, '/viber '],
    ] as const) {
      const seen = await platform.command(platform.dm('alex'), 'help');
      expect(seen.text.split('\n').filter(Boolean)).toHaveLength(7);
      const whole = await platform.command(platform.dm('alex'), 'help', 'all');
      const plain = whole.text.replaceAll(/[*_`\\]/g, '');
      for (const { name, hidden } of COMMANDS.all)
        if (!hidden && name !== 'help')
          expect(plain, `${platform.name} ${name}`).toMatch(new RegExp(`${prefix}${name}\\b`));
      if (prefix !== '/') expect(plain).not.toMatch(/(?<!\w)\/(?!viber )/);
      if (platform !== slack) expect(seen.buttons).toContain('My tasks');
    }
  });
});

describe('help for a member', () => {
  test('offers nothing that they are refused', async () => {
    const { telegram } = await openThree({ on: ['telegram'] });
    const seen = await telegram.command(telegram.dm('sam'), 'help', 'all', 'sam');
    expect(seen.text).toContain('/play');
    expect(seen.text).not.toMatch(/\/(jobs|board)/);
  });
});

describe('a mistyped command', () => {
  test('is answered with the one that is meant, to that person alone, and begins nothing', async () => {
    const { world, telegram, discord, slack } = await openThree();
    const typed = await ask(telegram, telegram.dm('alex'), '/stpo');
    expect(typed.text).toBe("I don't know /stpo. Did you mean /stop?");
    const [goal, slash] = [
      await discord.command(discord.room, 'task', 'stpo'),
      await slack.command(slack.room, 'stpo'),
    ];
    for (const seen of [goal, slash]) expect(seen.text).toBe("I don't know /viber stpo. Did you mean /viber stop?");
    expect([...discord.threads(), ...slack.threads()]).toEqual([]);
    expect(world.llm.requests()).toEqual([]);
  });

  test('with a slash of its own is the command', async () => {
    const { world, discord, slack } = await openThree({ on: ['discord', 'slack'] });
    const [onDiscord, onSlack] = [
      await discord.command(discord.room, 'task', '/status'),
      await slack.command(slack.room, '/status'),
    ];
    for (const seen of [onDiscord, onSlack]) expect(seen.text).toContain('This conversation has no task');
    expect(world.llm.requests()).toEqual([]);
  });

  test('that is written as words is the command, where platforms have a way of their own for it, too', async () => {
    const { world, ...platforms } = await openThree();
    for (const platform of [platforms.telegram, platforms.discord, platforms.slack]) {
      const seen = await ask(platform, platform.dm('alex'), '/status');
      expect(seen.text).toContain('This conversation has no task');
      expect(seen.text).toMatch(new RegExp(`address of this chat: .?${platform.name}:\\w+`));
    }
    expect(world.llm.requests()).toEqual([]);
  });

  test('is none behind the word that begins a goal', async () => {
    const { slack } = await openThree({ on: ['slack'] });
    const thread = await slack.begin('task memory leak in X: find it');
    expect(slack.threads()).toHaveLength(1);
    expect(thread.thread).toBeDefined();
  });
});
