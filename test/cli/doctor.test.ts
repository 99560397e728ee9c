/** The doctor on emulated platforms and models: what is well, what is wrong and where, and that it leaves everything as it was. */

import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { checkGateways } from '../../src/cli/doctor/checks.ts';
import { run } from '../../src/cli/doctor/doctor.ts';
import type { Config } from '../../src/config.ts';
import { messagesIn } from '../../src/messages/messages.ts';
import { type DiscordOptions, startDiscord } from '../emulators/discord.ts';
import { startLlm } from '../emulators/llm.ts';
import { BRAVE_KEY, startSearch, TAVILY_KEY } from '../emulators/search.ts';
import { type SlackOptions, startSlack } from '../emulators/slack.ts';
import { startTelegram, type TelegramOptions } from '../emulators/telegram.ts';
import { printed } from '../helpers/cli.ts';
import { isSandboxed } from '../helpers/sandbox.ts';
import { tempFolder, tree } from '../helpers/temp.ts';
import { startProgram } from '../helpers/viber.ts';

interface Report {
  code: number;
  lines: string[];
}

async function doctor(home: string, config: object | string, env: NodeJS.ProcessEnv = {}): Promise<Report> {
  const file = path.join(tempFolder(), 'config.yaml');
  fs.writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config), { mode: 0o600 });
  const { code, lines } = await printed(run, home, { config: file, env });
  return { code, lines: lines.map((line) => line.replaceAll(file, 'FILE').replaceAll(home, 'HOME')) };
}

async function telegram(options?: TelegramOptions) {
  const platform = await startTelegram(options);
  onTestFinished(() => platform.close());
  const settings = { token: platform.token, apiRoot: platform.url, access: { chats: ['*'] } };
  return { platform, settings };
}

async function discord(options?: DiscordOptions) {
  const platform = await startDiscord(options);
  onTestFinished(() => platform.close());
  const own = { token: platform.token, apiRoot: platform.url, cdnRoot: platform.cdn };
  return { platform, settings: { ...own, guilds: [platform.guildId] } };
}

async function slack(options?: SlackOptions) {
  const platform = await startSlack(options);
  onTestFinished(() => platform.close());
  const own = { botToken: platform.botToken, appToken: platform.appToken, apiRoot: platform.url };
  return { platform, settings: { ...own, access: { chats: [platform.general] } } };
}

async function llm() {
  const model = await startLlm();
  onTestFinished(() => model.close());
  const providers = { local: { baseURL: model.url, apiKey: 'key-of-the-model' } };
  return { model, settings: { model: 'local/m', providers } };
}

const NO_SANDBOX =
  /^! sandbox {8}(install the package bubblewrap|bubblewrap is there|there is none).*a person is asked/;
const offline = { model: 'offline/viber', limits: { freeBytes: 0 } };
const wrongLines = ({ lines }: Report) => lines.filter((line) => line.startsWith('✗'));

describe('all is well', () => {
  it('one line each, exit code 0, and nothing is changed or said', async () => {
    const home = tempFolder();
    const { platform, settings } = await telegram();
    const { settings: model } = await llm();
    const before = tree(home);
    const report = await doctor(home, { ...model, limits: { freeBytes: 0 }, channels: { telegram: settings } });
    expect(report.lines).toEqual([
      '✓ configuration  FILE',
      '✓ home           HOME can be written',
      expect.stringMatching(/^✓ home {11}\d+ [MG]B free$/),
      '✓ model          local/m answers',
      '✓ telegram       @viber_test_bot answers',
      '✓ telegram       answers in direct messages: people listed under people or access.allow, and those let in with a code; in groups: every group it was added to (when it is mentioned)',
      expect.stringMatching(
        /^! telegram {7}channels\.telegram\.access\.chats holds "\*": .* can use the model at your expense/,
      ),
      '✓ skills         all 4 can be used',
      expect.stringMatching(isSandboxed ? /^✓ sandbox {8}bubblewrap works/ : NO_SANDBOX),
    ]);
    expect(report.code).toBe(0);
    expect(tree(home)).toEqual(before);
    expect(platform.requests().map(({ method }) => method)).toEqual(['getMe']);
  });

  it('names files that shape a viber and are longer than what is used of them', async () => {
    const home = tempFolder();
    for (const [name, length] of [
      ['workspace/SOUL.md', 20_000],
      ['workspace/AGENTS.md', 20_001],
      ['vibers/dev/user.md', 30_000],
      ['TOOLS.md', 90_000],
    ] as const) {
      fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      fs.writeFileSync(path.join(home, name), `<!-- ${'c'.repeat(5_000)} -->${'x'.repeat(length)}`);
    }
    const { lines } = await doctor(home, offline);
    const why = 'is longer than the 20,000 characters that are used of it';
    expect(lines.filter((line) => line.includes(why)).map((line) => /(\S+\.md) is/i.exec(line)?.[1])).toEqual([
      ...['TOOLS.md', 'workspace/AGENTS.md', 'vibers/dev/user.md'],
    ]);
  });

  it('as JSON for programs', async () => {
    const { code, lines } = await printed(run, tempFolder(), { json: true });
    expect(lines).toHaveLength(1);
    const { ok, checks }: { ok: boolean; checks: { name: string }[] } = JSON.parse(lines.join());
    expect(ok).toBe(code === 0);
    expect(checks[0]).toEqual({ name: 'configuration', ok: true, state: 'ok', detail: 'defaults and environment' });
    expect(checks.map(({ name }) => name)).toEqual([
      ...['configuration', 'home', 'home', 'model', 'model', 'skills', 'sandbox'],
    ]);
  });
});

describe('what is wrong is named', () => {
  it('a configuration that cannot be used: every key, exit code 2', async () => {
    const report = await doctor(tempFolder(), 'http: { port: x }\nchannels: { slack: { mode: socket }, discord: {} }');
    expect(report.code).toBe(2);
    expect(report.lines.every((line) => line.startsWith('✗ configuration'))).toBe(true);
    expect(report.lines.join('\n')).toMatch(
      /SLACK_APP_TOKEN[\s\S]*SLACK_BOT_TOKEN|SLACK_BOT_TOKEN[\s\S]*SLACK_APP_TOKEN/,
    );
    expect(report.lines.join('\n')).toContain('DISCORD_BOT_TOKEN');
    expect(report.lines.join('\n')).toContain('http.port');
  });

  it('what is odd in it is a note, also beside what is wrong', async () => {
    const wrong = await doctor(tempFolder(), { ...offline, http: { prot: 1, port: 'many' } });
    expect(wrong.lines.filter((line) => line.startsWith('✗'))).toEqual([expect.stringContaining('http.port')]);
    expect(wrong.lines).toContainEqual(
      expect.stringMatching(
        /^! configuration {2}http\.prot: unknown key, ignored; did you mean port\? \(line \d+, column \d+\)$/,
      ),
    );
    const report = await doctor(tempFolder(), { ...offline, colour: 'red' });
    expect(report.lines).toContainEqual(
      expect.stringMatching(/^! configuration {2}colour: unknown key, ignored \(line \d+, column \d+\)$/),
    );
    expect(report.code).toBe(0);
  });

  it('a token: the setting and exit code 2; the token itself is not shown', async () => {
    const { settings } = await telegram();
    const token = '999999999:AAWrongTokenWrongTokenWrongToken12345';
    const report = await doctor(tempFolder(), { ...offline, channels: { telegram: { ...settings, token } } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ telegram {7}channels\.telegram\.token: /)]);
    expect(report.code).toBe(2);
    expect(report.lines.join('\n')).not.toContain('AAWrong');
  });

  it('a platform that cannot be reached: exit code 1, and the rest is looked at all the same', async () => {
    const { platform, settings } = await telegram();
    await platform.outage('refuse');
    const report = await doctor(tempFolder(), { ...offline, channels: { telegram: settings } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ telegram /)]);
    expect(report.lines).toContain('✓ model          offline/viber answers');
    expect(report.lines).toContainEqual(
      expect.stringMatching(/^! model {10}offline\/viber is the small built-in model.* init connects a real one$/),
    );
    expect(report.code).toBe(1);
  });

  it('a model, and a fallback by itself', async () => {
    const { model, settings } = await llm();
    const lost = { baseURL: 'http://127.0.0.1:9/v1', apiKey: 'k' };
    const fallback = ['lost/other', 'offline/viber'];
    const config = { ...settings, limits: { freeBytes: 0 }, fallback, smallModel: 'local/small' };
    const report = await doctor(tempFolder(), { ...config, providers: { ...settings.providers, lost } });
    expect(report.lines).toContain('✓ model          local/m answers');
    expect(report.lines).toContain('✓ smallModel     local/small answers');
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ fallback {7}lost\/other doesn't answer: ./)]);
    expect(report.lines).toContain('✓ fallback       offline/viber answers');
    expect(report.code).toBe(1);
    model.down();
    expect(wrongLines(await doctor(tempFolder(), { ...settings, limits: { freeBytes: 0 } }))).toEqual([
      expect.stringMatching(/^✗ model {10}local\/m doesn't answer: ./),
    ]);
    await model.up();
    const bare = model.url.replace(/\/v1$/, '');
    const providers = { local: { baseURL: `${bare}/`, apiKey: 'key-of-the-model' } };
    const unversioned = await doctor(tempFolder(), { ...settings, providers, limits: { freeBytes: 0 } });
    expect(wrongLines(unversioned)).toEqual([
      `✗ model          providers.local.baseURL: local/m doesn't answer at ${bare}, but at ${bare}/v1: /v1 is missing, set ${bare}/v1`,
    ]);
    const whole = { local: { baseURL: `${model.url}/chat/completions`, apiKey: 'key-of-the-model' } };
    const copied = await doctor(tempFolder(), { ...settings, providers: whole, limits: { freeBytes: 0 } });
    expect(wrongLines(copied)).toEqual([
      `✗ model          providers.local.baseURL: local/m doesn't answer at ${model.url}/chat/completions, but at ${model.url}: set ${model.url}`,
    ]);
    const nobody = await doctor(tempFolder(), { model: 'nobody/knows', limits: { freeBytes: 0 } });
    expect(wrongLines(nobody)).toEqual([expect.stringMatching(/^✗ model {10}.*nobody/)]);
    expect(nobody.code).toBe(2);
  });
});

describe('searching and prices', () => {
  const limits = { freeBytes: 0 };
  const about = ({ lines }: Report, name: string) => lines.filter((line) => line.slice(2).startsWith(name));

  it('the search that is set is tried, and what is wrong with it is named', async () => {
    const point = await startSearch();
    const look = async (search: object, env: NodeJS.ProcessEnv = {}) =>
      about(await doctor(tempFolder(), { ...offline, search }, env), 'search')[0];
    expect(await look({})).toBeUndefined();
    expect(await look({ by: 'off', url: point.url })).toBeUndefined();
    expect(point.queries).toEqual([]);
    expect(await look({ url: point.url })).toBe('✓ search         SearXNG finds pages');
    expect(await look({ by: 'brave', url: point.url, apiKey: BRAVE_KEY })).toBe('✓ search         Brave finds pages');
    expect(await look({ by: 'tavily', url: point.url }, { TAVILY_API_KEY: TAVILY_KEY })).toContain('✓ search');
    expect(await look({ by: 'brave', url: point.url, apiKey: 'wrong' })).toMatch(
      /^✗ search {9}Brave did not accept the key/,
    );
    expect(await look({ by: 'brave' })).toMatch(/^✗ search {9}search\.apiKey: There is no key for Brave/);
    expect(await look({ by: 'searxng', url: 'http://127.0.0.1:9' })).toMatch(/^✗ search {9}SearXNG cannot be reached/);
    expect(await look({ by: 'provider' })).toMatch(/^✗ search {9}search\.model: offline\/viber can't search the web/);
    point.mode = 'no-json';
    expect(await look({ url: point.url })).toContain('add json to search.formats');
    expect(new Set(point.queries.map(({ query }) => query))).toEqual(new Set(['Wikipedia']));
  });

  it('by the provider of a model', async () => {
    const point = await startSearch();
    const providers = { anthropic: { baseURL: `${point.url}/v1`, apiKey: 'k' } };
    const report = await doctor(tempFolder(), {
      ...offline,
      providers,
      search: { model: 'anthropic/claude-haiku-4-5' },
    });
    expect(about(report, 'search')).toEqual(['✓ search         anthropic/claude-haiku-4-5 finds pages']);
  });

  it('a model or a voice that somebody is charged for and whose price is not known is a note', async () => {
    const { settings } = await llm();
    const models = ['openai/gpt-of-tomorrow', 'anthropic/claude-haiku-4-5', 'local/other'];
    const voice = { reply: 'same', speech: 'openai/tts-of-tomorrow' };
    const report = await doctor(tempFolder(), { ...settings, limits, models, voice });
    expect(about(report, 'prices')).toEqual([
      expect.stringMatching(
        /^! prices {9}no price is known for openai\/gpt-of-tomorrow: .*set prices\.openai\/gpt-of-tomorrow$/,
      ),
      expect.stringContaining('openai/tts-of-tomorrow'),
    ]);
    const limited = await doctor(tempFolder(), { ...settings, limits: { ...limits, costPerDay: 5 } });
    expect(about(limited, 'prices')).toEqual([expect.stringContaining('no price is known for local/m')]);
    const priced = { prices: { 'local/m': { input: 1, output: 1 } } };
    const known = await doctor(tempFolder(), { ...settings, ...priced, limits: { ...limits, costPerDay: 5 } });
    expect(about(known, 'prices')).toEqual([]);
  });
});

describe('skills and servers of tools', () => {
  const put = (home: string, name: string, text: string) => {
    fs.mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    fs.writeFileSync(path.join(home, name), text);
  };
  const about = ({ lines }: Report, name: string) => lines.filter((line) => line.slice(2).startsWith(name));

  it('broken skills with the reason, what is missing with the fix, of every viber', async () => {
    const home = tempFolder();
    const needs = 'metadata: {openviber: {requires: {bins: [no-such-program-x], env: [TEA_KEY, POT]}}}';
    put(home, 'skills/tea/SKILL.md', `---\nname: tea\ndescription: Makes tea.\n${needs}\n---\nBoil water.\n`);
    put(home, 'skills/half/SKILL.md', '---\nname: half\n');
    put(home, 'vibers/dev/skills/odd.skill.md', '---\nname: "o\\e[2J\\nd"\ndescription: Odd.\n---\nRead.\n');
    put(home, 'workspace/skills/mine.skill.md', '---\nname: mine\ndescription: Mine.\n---\nRead me.\n');
    const before = tree(home);
    const env = { tea: { TEA_KEY: 'key-of-the-tea' }, gone: { KEY: 'key-of-nobody' } };
    const report = await doctor(home, { ...offline, skills: { env } });
    expect(report.code).toBe(1);
    expect(about(report, 'skills')).toEqual([
      '✓ skills         5 of 6 can be used',
      '! skills         skills.env.gone: there is no skill of this name',
      expect.stringMatching(
        /^! skills {9}tea can't be used: install no-such-program-x.*; set skills\.env\.tea\.POT in /,
      ),
      expect.stringMatching(/^✗ skills {9}vibers\/dev\/skills\/odd\.skill\.md: name: "o\ufffd\[2J d" isn't kebab-case/),
      expect.stringMatching(/^✗ skills {9}skills\/half\/SKILL\.md: .*half-written/),
    ]);
    expect(tree(home)).toEqual(before);
  });

  it('each viber with its model, once there are several, and what is wrong with one', async () => {
    const home = tempFolder();
    const { settings } = await llm();
    expect((await doctor(home, settings)).lines.join('\n')).not.toMatch(/ viber {10}/);
    const put = (name: string, text: string) => {
      fs.mkdirSync(path.join(home, 'agents'), { recursive: true });
      fs.writeFileSync(path.join(home, 'agents', name), text);
    };
    put('writer.yaml', 'model: local/other\n');
    put('plain.yaml', 'maxSteps: 5\n');
    put('lost.yaml', 'model: nowhere/m\n');
    put('odd.yaml', 'modell: local/m\n');
    const { code, lines } = await doctor(home, settings);
    const said = lines.filter((line) => /^. viber /.test(line));
    expect(code).toBe(2);
    expect(said).toContain('✓ viber          default: local/m');
    expect(said).toContain('✓ viber          plain: local/m');
    expect(said).toContain('✓ viber          writer: local/other answers');
    expect(said.join('\n')).toMatch(/^✗ viber {10}lost: .*"nowhere" is not built in/m);
    expect(said.join('\n')).toMatch(/^✗ viber {10}odd: .*modell/m);
    expect(said).toHaveLength(5);
  });

  it('jobs whose files are broken, and names in them that mean nothing here', async () => {
    const home = tempFolder();
    const job = 'schedule: 0 9 * * *\nprompt: x\n';
    const put = (name: string, text: string) => fs.writeFileSync(path.join(home, 'jobs', name), text);
    fs.mkdirSync(path.join(home, 'jobs'));
    put('well.yaml', `name: Well\n${job}`);
    const config = { model: 'offline/viber' };
    expect((await doctor(home, { ...config, model: 'openai/x' })).lines).toContain('✓ jobs           1 job can run');
    expect((await doctor(home, config)).lines).toContainEqual(
      expect.stringMatching(/^! jobs {11}1 job can run, but offline\/viber, .* init connects a real one$/),
    );
    put('broken.yaml', 'name: Broken\nschedule: 25am\nprompt: x\n');
    put('story.yaml', `name: Story\n${job}viber: writr\n`);
    put('news.yaml', `name: News\n${job}skills: [wether]\n`);
    put('off.disabled.yaml', `name: Off\n${job}viber: nobody\n`);
    const before = tree(home);
    const { code, lines } = await doctor(home, config);
    expect(code).toBe(1);
    const said = lines.filter((line) => / jobs /.test(line));
    expect(said).toHaveLength(3);
    expect(said[0]).toMatch(/^✗ jobs {11}broken\.yaml line 2: schedule: /);
    expect(said).toContain("! jobs           news: There is no skill wether; I'll run it without.");
    expect(said).toContain("✗ jobs           story: There is no viber writr, so I won't run it until there is one.");
    expect(tree(home)).toEqual(before);
  });

  it('jobs whose results can be sent nowhere', async () => {
    const home = tempFolder();
    fs.mkdirSync(path.join(home, 'jobs'));
    const job = 'name: Well\nschedule: 0 9 * * *\nprompt: x\ndeliver: [nowhere:1, slack:C1]\n';
    fs.writeFileSync(path.join(home, 'jobs', 'well.yaml'), job);
    const { code, lines } = await doctor(home, { model: 'offline/viber' });
    expect(code).toBe(1);
    expect(lines.filter((line) => / jobs /.test(line))).toEqual([
      '✗ jobs           well: Nothing can be sent to nowhere:1: the channels are telegram, discord, slack.',
      expect.stringMatching(
        /^✗ jobs {11}well: Nothing can be sent to slack:C1: slack isn't on\. .*viber.* init connects it\.$/,
      ),
    ]);
  });

  it('each server: how many tools, which wait for consent, which are not there, or why it is away', async () => {
    const server = { command: process.execPath, args: [path.join(import.meta.dirname, '../fixtures/mcp/server.mjs')] };
    const report = await doctor(tempFolder(), {
      ...offline,
      mcp: {
        docs: server,
        trusted: { ...server, trusted: true, tools: ['echo', 'env', 'nothing'] },
        away: { url: 'http://127.0.0.1:9/mcp' },
      },
    });
    expect(about(report, 'mcp')).toEqual([
      '✓ mcp            docs has 7 tools; each waits for consent',
      '! mcp            docs: I leave out the tool "later", because it only runs in the background, as an MCP task',
      '! mcp            docs: I leave out the tool "shapeless", because its arguments have no names',
      '✓ mcp            trusted has 2 tools; 1 of them waits for consent',
      '! mcp            mcp.trusted.tools: trusted offers no tool "nothing"',
      expect.stringMatching(/^✗ mcp {12}The server away \(mcp\.away\) is not there: ./),
    ]);
    expect(report.code).toBe(1);
  });
});

describe('Discord', () => {
  it('well: the token, the intent, the permissions of each server', async () => {
    const { platform, settings } = await discord();
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: settings } });
    expect(wrongLines(report)).toEqual([]);
    expect(report.code).toBe(0);
    expect(report.lines.filter((line) => line.startsWith('✓ discord')).join('\n')).toMatch(
      /answers\n.*text of messages\n[\s\S]*permissions/,
    );
    // Nobody sees that it was asked: no session, no message, no command.
    expect(platform.gateway().connections).toBe(0);
    expect(platform.requests().filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it('a wrong token names the setting', async () => {
    const { settings } = await discord();
    const token = 'MTAwMDAwMDAwMDAw.Wrong1.WrongTokenWrongTokenWrong';
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: { ...settings, token } } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ discord {8}channels\.discord\.token: /)]);
    expect(report.code).toBe(2);
    expect(report.lines.join('\n')).not.toContain('WrongToken');
  });

  it('a missing intent names the page and the switch', async () => {
    const { settings } = await discord({ messageContent: false });
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: settings } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ discord .*"Message Content Intent"/)]);
    expect(report.code).toBe(2);
  });

  it('a missing permission names the server, the permission and the way to give it', async () => {
    const answers: Record<string, unknown> = {
      '/applications/@me': { id: '7', flags: 1 << 19 },
      '/users/@me': { id: '7', username: 'viber' },
      '/gateway/bot': { url: 'wss://x', shards: 1, session_start_limit: { total: 1000, remaining: 1 } },
      '/users/@me/guilds': [
        { id: '1', name: 'Ours', permissions: String((1n << 10n) | (1n << 11n) | (1n << 15n) | (1n << 16n) | 64n) },
        { id: '2', name: 'Theirs', permissions: '8' },
      ],
    };
    const server = createServer((request, response) => {
      const answer = answers[(request.url ?? '').replace(/^\/api\/v10/, '')];
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const address = server.address();
    const apiRoot = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/api`;
    const settings = { token: 'a.b.c', apiRoot, guilds: ['1'] };
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: settings } });
    expect(wrongLines(report)).toEqual([
      expect.stringMatching(
        /^✗ discord .*in Ours .*"Create Public Threads", "Send Messages in Threads".*permissions=\d+$/,
      ),
    ]);
    expect(report.code).toBe(2);
  });

  it("a server or channel of the configuration that the bot isn't in", async () => {
    const { platform, settings } = await discord();
    const access = { chats: ['*', platform.rooms.general, '175928847299117063'] };
    const guilds = [platform.guildId, '197038439483310086'];
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: { ...settings, guilds, access } } });
    expect(wrongLines(report)).toEqual([
      expect.stringMatching(/^✗ discord {8}channels\.discord\.guilds: .*197038439483310086.*https:/),
      expect.stringMatching(/^✗ discord {8}channels\.discord\.access\.chats: .*175928847299117063/),
    ]);
    expect(report.code).toBe(2);
  });

  it('a platform that is away is no setting', async () => {
    const { platform, settings } = await discord();
    await platform.outage('refuse');
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: settings } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ discord /)]);
    expect(report.code).toBe(1);
  });

  it('with no server and no channel listed it says where it answers', async () => {
    const { settings } = await discord();
    const report = await doctor(tempFolder(), { ...offline, channels: { discord: { ...settings, guilds: [] } } });
    const note =
      '! discord        channels.discord.guilds and channels.discord.access.chats are empty: it answers in direct messages only';
    expect(report.lines).toContain(note);
  });
});

describe('Slack', () => {
  it('well: both tokens and every scope', async () => {
    const { platform, settings } = await slack();
    const report = await doctor(tempFolder(), { ...offline, channels: { slack: settings } });
    expect(wrongLines(report)).toEqual([]);
    expect(report.code).toBe(0);
    expect(report.lines.filter((line) => line.startsWith('✓ slack')).join('\n')).toMatch(
      /answers[\s\S]*scope[\s\S]*Socket Mode/,
    );
    expect(platform.requests().filter(({ method }) => /^chat\./.test(method))).toEqual([]);
  });

  it('over HTTP no app token is asked for', async () => {
    const { platform, settings } = await slack();
    const { appToken: _none, ...rest } = settings;
    const channels = { slack: { ...rest, signingSecret: platform.signingSecret } };
    const report = await doctor(tempFolder(), { ...offline, channels });
    expect(wrongLines(report)).toEqual([]);
    expect(platform.requests().map(({ method }) => method)).not.toContain('apps.connections.open');
  });

  it('names each wrong token', async () => {
    const { settings } = await slack();
    const tokens = { botToken: 'xoxb-wrong-wrong-wrong-1', appToken: 'xapp-wrong-wrong-wrong-2' };
    const report = await doctor(tempFolder(), { ...offline, channels: { slack: { ...settings, ...tokens } } });
    expect(wrongLines(report)).toEqual([
      expect.stringMatching(/^✗ slack {10}channels\.slack\.botToken: .*invalid_auth/),
      expect.stringMatching(/^✗ slack {10}channels\.slack\.appToken: .*connections:write/),
    ]);
    expect(report.code).toBe(2);
    expect(report.lines.join('\n')).not.toContain('wrong-wrong');
  });

  it('names a channel of the configuration that the app is not in', async () => {
    const { platform, settings } = await slack();
    const access = { chats: ['*', platform.general, 'C0NOWHERE'] };
    const report = await doctor(tempFolder(), { ...offline, channels: { slack: { ...settings, access } } });
    expect(wrongLines(report)).toEqual([
      expect.stringMatching(/^✗ slack {10}channels\.slack\.access\.chats: .*C0NOWHERE/),
    ]);
    expect(report.code).toBe(2);
  });

  it('names each missing scope', async () => {
    const { SLACK_SCOPES } = await import('../../src/channels/slack/adapter.ts');
    const scopes = SLACK_SCOPES.filter((scope) => scope !== 'files:write' && scope !== 'commands');
    const { settings } = await slack({ scopes });
    const report = await doctor(tempFolder(), { ...offline, channels: { slack: settings } });
    expect(wrongLines(report)).toEqual([expect.stringMatching(/botToken: .*scopes commands, files:write/)]);
    expect(report.code).toBe(2);
  });
});

describe('beside a running gateway', () => {
  it('all three platforms are asked, and none of them loses its connection', async () => {
    const home = tempFolder();
    const [ofTelegram, ofDiscord, ofSlack] = await Promise.all([telegram(), discord(), slack()]);
    const channels = { telegram: ofTelegram.settings, discord: ofDiscord.settings, slack: ofSlack.settings };
    const config = { ...offline, channels, http: { port: 0 } };
    const file = path.join(home, 'config.json');
    fs.writeFileSync(file, JSON.stringify(config), { mode: 0o600 });
    await startProgram(home);
    const report = await doctor(home, config);
    expect(wrongLines(report)).toEqual([]);
    expect(report.code).toBe(0);
    for (const name of ['telegram', 'discord', 'slack'])
      expect(
        report.lines.some((line) => line.startsWith(`✓ ${name} `)),
        name,
      ).toBe(true);
    expect(ofDiscord.platform.gateway()).toMatchObject({ connected: true, connections: 1, identifies: 1 });
    expect(ofTelegram.platform.counters().updates.conflicts).toBe(0);
  });
});

describe('the home', () => {
  it('that is not there yet is not made', async () => {
    const home = path.join(tempFolder(), 'new', 'home');
    const report = await doctor(home, offline);
    expect(report.lines[1]).toBe("✓ home           HOME doesn't exist yet; it is created at the start");
    expect(report.code).toBe(0);
    expect(fs.existsSync(home)).toBe(false);
  });

  it('that cannot be one', async () => {
    const home = path.join(tempFolder(), 'file');
    fs.writeFileSync(home, '');
    const report = await doctor(home, offline);
    expect(wrongLines(report)).toEqual([expect.stringMatching(/^✗ home {11}can't write HOME: .*--home/)]);
    expect(report.code).toBe(1);
  });

  it('on a disk without room', async () => {
    const report = await doctor(tempFolder(), { ...offline, limits: { freeBytes: Number.MAX_SAFE_INTEGER } });
    expect(wrongLines(report)).toEqual([
      expect.stringMatching(/[MG]B free, less than limits\.freeBytes .*no new message/),
    ]);
    expect(report.code).toBe(1);
  });

  it('that others can look into is a note', async () => {
    const home = tempFolder();
    fs.mkdirSync(path.join(home, 'spool'), { mode: 0o755 });
    const report = await doctor(home, offline);
    expect(report.lines).toContain('! home           others can look into HOME/spool: chmod 700 it');
    expect(report.code).toBe(0);
  });
});

describe('doors that stand open', () => {
  it('are named with what they let in, and the list is shown as it takes effect', async () => {
    const { platform, settings } = await discord();
    const { settings: group } = await telegram();
    const access = { dm: 'open', groups: 'mention', chats: ['77'], memory: 'group' };
    const guilds = [platform.guildId, { id: '5', groups: 'all' }, { id: '6', groups: 'off' }];
    const report = await doctor(tempFolder(), {
      ...offline,
      channels: {
        discord: { ...settings, guilds, access },
        telegram: { ...group, access: { groups: 'all', chats: ['-5'] } },
      },
    });
    const lines = report.lines.filter((line) => /^[✓!] (discord|telegram)/.test(line)).map((line) => line.slice(17));
    expect(lines).toContain(
      `answers in direct messages: everybody; in groups: all of server ${platform.guildId} (when it is mentioned), all of server 5 (every message), all of server 6 (never), in 77 (when it is mentioned)`,
    );
    const open = lines.filter((line) => line.includes('channels.')).join('\n');
    expect(open).toMatch(
      /channels\.discord\.access\.dm is open: everybody on discord can use the model at your expense/,
    );
    expect(open).toContain(`guilds lists server ${platform.guildId}: everybody who mentions it`);
    expect(open).toContain('guilds lists server 5: everybody who writes in any of its channels');
    expect(open).not.toContain('lists server 6:');
    expect(open).toContain('people on no list see no memory and no workspace files');
    expect(open).toMatch(/channels\.discord\.access\.memory is group/);
    expect(open).toContain('channels.telegram.access.groups is all: every message in -5 is answered');
  });
});

describe('settings that let nobody in', () => {
  it('are notes', async () => {
    const { settings } = await telegram();
    const channels = { telegram: { ...settings, access: { dm: 'allowlist' } } };
    const report = await doctor(tempFolder(), { ...offline, channels });
    expect(report.lines.filter((line) => /^! (?!model)/.test(line))).toEqual([
      expect.stringMatching(/^! telegram {7}channels\.telegram\.access\.allow is empty/),
      '! telegram       channels.telegram.access.chats is empty: it answers in direct messages only',
      ...(isSandboxed ? [] : [expect.stringMatching(NO_SANDBOX)]),
    ]);
    expect(report.code).toBe(0);
    const people = [{ name: 'alex', ids: ['telegram:1'] }];
    const listed = await doctor(tempFolder(), { ...offline, channels, people });
    expect(listed.lines.filter((line) => /^! (?!model)/.test(line))).toHaveLength(isSandboxed ? 1 : 2);
  });
});

it('a folder in which no file can be made is no folder for temporary files, for root neither', async () => {
  vi.stubEnv('TMPDIR', '/proc');
  onTestFinished(() => void vi.unstubAllEnvs());
  const home = fs.mkdtempSync('/var/tmp/viber-doctor-');
  onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
  const { text } = await printed(run, home);
  expect(text).toContain("✗ home           TMPDIR: can't use the folder for temporary files, /proc: ");
});

it('several gateways on one home: says in words what each of them does', () => {
  const about = { folder: '/run/a', startedAt: '', pid: 7 };
  const running = [{ ...about, roles: ['ingress', 'deliver'], port: 6009 }, about];
  const findings = checkGateways(running, { engine: { kind: 'redis' } } as Config);
  expect(findings.map(({ detail }) => messagesIn('en').said(detail))).toEqual([
    'process 7 on port 6009 receives messages, sends the answers; its lock and socket are in /run/a',
    'process 7 receives messages, answers them, sends the answers; its lock and socket are in /run/a',
  ]);
});

it('a folder for temporary files that is not there is named', async () => {
  vi.stubEnv('TMPDIR', path.join(tempFolder(), 'gone'));
  onTestFinished(() => void vi.unstubAllEnvs());
  const named = process.env.TMPDIR ?? '';
  fs.mkdirSync(named);
  const home = path.join(named, '..', 'home');
  const config = path.join(named, '..', 'config.yaml');
  fs.writeFileSync(config, '{}', { mode: 0o600 });
  fs.rmdirSync(named);
  const { code, text } = await printed(run, home, { config });
  expect(code).toBe(1);
  expect(text).toContain(`TMPDIR: can't use the folder for temporary files, ${named}`);
});
