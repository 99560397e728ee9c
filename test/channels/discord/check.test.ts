/** What the doctor says about Discord. */
import { describe, expect, it } from 'vitest';
import { checkDiscord } from '../../../src/channels/discord/adapter.ts';
import { commandBody } from '../../../src/channels/discord/connect/commands.ts';
import { ConfigError } from '../../../src/errors.ts';
import { messagesIn } from '../../../src/messages/messages.ts';
import { startBench } from './harness.ts';

describe('the check', () => {
  it('names what is well', async () => {
    const { discord } = await startBench();
    const findings = await checkDiscord({ token: discord.token, apiRoot: discord.url });
    expect(findings.map(messagesIn('en').said)).toEqual(
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
  interface Option {
    type: number;
    name: string;
    description: string;
    options?: Option[];
  }
  const menuOf = (specs: Parameters<typeof commandBody>[0]): Option[] =>
    JSON.parse(JSON.stringify(commandBody(specs))).options;
  const pathsIn = (menu: Option[]): string[] =>
    menu.flatMap(({ type, name, options = [] }) => (type === 2 ? options.map((each) => `${name} ${each.name}`) : name));
  const specsOf = (length: number) =>
    Array.from({ length }, (_, n) => ({
      name: `cmd${n}`,
      description: 'd'.repeat(30),
      argument: { name: 'Some Thing', description: '' },
    }));

  it.each([1, 20, 24, 25, 26, 40, 60])('leaves none of %i commands out, with 25 entries in a list at most', (count) => {
    const menu = menuOf([{ name: 'Bad Name', description: 'x' }, ...specsOf(count)]);
    for (const list of [menu, ...menu.flatMap(({ options }) => (options ? [options] : []))])
      expect(list.length).toBeLessThanOrEqual(25);
    const paths = pathsIn(menu);
    expect(paths[0]).toBe('task new');
    for (const { name } of specsOf(count)) expect(paths.map((path) => path.split(' ').at(-1))).toContain(name);
    expect(new Set(paths).size).toBe(paths.length);
  });

  it('cuts what is too long, and gives an argument a name that Discord takes', () => {
    const [, option] = menuOf([{ ...specsOf(1)[0], name: 'cmd0', description: 'd'.repeat(300) }]);
    expect(option).toMatchObject({
      name: 'cmd0',
      options: [{ name: 'some_thing', description: 'Some Thing', required: false }],
    });
    expect(option?.description.length).toBeLessThanOrEqual(100);
  });
});
