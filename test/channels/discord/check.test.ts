/** What the doctor says about Discord. */
import { describe, expect, it } from 'vitest';
import { checkDiscord } from '../../../src/channels/discord/adapter.ts';
import { commandBody } from '../../../src/channels/discord/connect/commands.ts';
import { ConfigError } from '../../../src/errors.ts';
import { startBench } from './harness.ts';

describe('the check', () => {
  it('names what is well', async () => {
    const { discord } = await startBench();
    const findings = await checkDiscord({ token: discord.token, apiRoot: discord.url });
    expect(findings).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^@\S+ answers$/),
        'it may read the text of messages',
        expect.stringContaining('starts are left'),
      ]),
    );
  });

  it('names the wrong token', async () => {
    const { discord } = await startBench();
    await expect(checkDiscord({ token: 'NzAw.wrong.token', apiRoot: discord.url })).rejects.toMatchObject({
      problems: [{ path: 'channels.discord.token' }],
    });
  });

  it('names every problem at once', async () => {
    const { discord } = await startBench({}, { messageContent: false, identifiesLeft: 0 });
    const error = await checkDiscord({ token: discord.token, apiRoot: discord.url }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(ConfigError);
    expect(String(error)).toMatch(/Message Content Intent[\s\S]*starts for today/);
  });
});

describe('the command', () => {
  it('has at most 25 subcommands, each within the limits', () => {
    const specs = Array.from({ length: 40 }, (_, n) => ({
      name: `cmd${n}`,
      description: 'd'.repeat(300),
      argument: { name: 'Some Thing', description: '' },
    }));
    const body = JSON.parse(JSON.stringify(commandBody([{ name: 'Bad Name', description: 'x' }, ...specs])));
    expect(body.options).toHaveLength(25);
    expect(body.options[0].name).toBe('task');
    expect(body.options[1]).toMatchObject({
      name: 'cmd0',
      options: [{ name: 'some_thing', description: 'Some Thing', required: false }],
    });
    expect(body.options[1].description.length).toBeLessThanOrEqual(100);
  });
});
