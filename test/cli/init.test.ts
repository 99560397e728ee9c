// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax of the configuration
/** The wizard as a newcomer meets it: a terminal, a bot's token, and an answer in the chat. The platforms are emulated. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { text as bodyOf } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startDiscord } from '../emulators/discord.ts';
import { type Llm, type LlmOptions, startLlm } from '../emulators/llm.ts';
import { lmStudio } from '../emulators/local-models.ts';
import { startTelegram } from '../emulators/telegram.ts';
import { PROGRAM } from '../helpers/program.ts';
import { KEYS, openTerminal, type Terminal } from '../helpers/pty.ts';
import { hasPython } from '../helpers/python.ts';
import { tempFolder } from '../helpers/temp.ts';
import { viber } from '../helpers/viber.ts';
import { discordPlatform } from '../platforms/discord.ts';
import { type Platform, waitFor } from '../platforms/platform.ts';
import { slackPlatform } from '../platforms/slack.ts';
import { telegramPlatform } from '../platforms/telegram.ts';

const { enter, down, up, interrupt } = KEYS;
const root = path.join(import.meta.dirname, '..', '..');
const kim = { by: 'kim' } as const;
const KEY = 'sk-the-right-key-0001';

async function emulated<T extends { close(): Promise<void> }>(opening: Promise<T>): Promise<T> {
  const one = await opening;
  onTestFinished(() => one.close());
  return one;
}

const model = (options: LlmOptions = {}): Promise<Llm> => emulated(startLlm({ apiKey: KEY, ...options }));
const text = (file: string) => fs.readFileSync(file, 'utf8');
const mode = (file: string) => fs.statSync(file).mode & 0o777;

function wizard(home: string, env: Record<string, string> = {}, columns = 80): Terminal {
  // Nothing of the machine's own: no keys, and no Ollama.
  const own = { HOME: home, OPENVIBER_HOME: home, OLLAMA_HOST: '127.0.0.1:9', ...env };
  return openTerminal([process.execPath, path.join(root, PROGRAM), 'init'], { columns, env: own, cwd: home });
}

/** The model at an address of one's own, in the list before the last. */
async function customModel(terminal: Terminal, llm: Llm, key = KEY): Promise<void> {
  await terminal.sees('Which model answers?');
  await terminal.press(up, up, enter);
  await terminal.sees('Its address');
  await terminal.press(llm.url, enter);
  await terminal.sees('Paste its key');
  await terminal.press(key, enter);
}

async function nameModel(terminal: Terminal): Promise<void> {
  await terminal.sees(/The name of the model|Which of its models\?/);
  await terminal.press('m', enter);
}

/** Words that may be on two lines. */
const folded = (words: string) => new RegExp(words.replaceAll(' ', '[\\s│]+'));
const WRITE = {
  telegram: folded('Now write to'),
  discord: folded('on Discord;'),
  slack: folded('on Slack;'),
} as const;

/** The person writes to the bot and lets themselves in with one key; resolves once the answer is in the chat. */
async function meets(terminal: Terminal, platform: Platform & { name: keyof typeof WRITE }): Promise<void> {
  await terminal.sees(WRITE[platform.name]);
  platform.say(platform.dm('kim'), 'what can you do for me', kim);
  await terminal.sees(folded('what can you do for me'));
  await terminal.sees('Is that you?');
  await terminal.press(enter);
  await terminal.sees(folded('Answered. Look into the chat'));
  await waitFor(platform, platform.dm('kim'), { text: /what can you do for me$/ });
}

type Known = Platform & { name: keyof typeof WRITE };

describe.skipIf(!hasPython)('a newcomer', () => {
  it('has an answer on Telegram by the wizard alone, on a terminal of 40 columns', async () => {
    const [llm, telegram] = await Promise.all([model(), emulated(telegramPlatform())]);
    const home = tempFolder();
    const terminal = wizard(home, { TELEGRAM_API_ROOT: telegram.emulator.url }, 40);
    await customModel(terminal, llm);
    await nameModel(terminal);
    await terminal.sees('custom/test-model answers');
    await terminal.sees('Where do you want to write');
    await terminal.press(enter);
    await terminal.sees('https://t.me/BotFather');
    await terminal.press(telegram.emulator.token, enter);
    await terminal.sees('@viber_test_bot answers');
    await terminal.sees('https://t.me/viber_test_bot');
    await meets(terminal, telegram as Known);
    await terminal.sees('How should it keep running');
    await terminal.press(up, enter);
    await terminal.sees('Start it with');
    expect(await terminal.ended()).toBe(0);
    const config = text(path.join(home, 'config.yaml'));
    expect(config).toMatch(/token: \$\{TELEGRAM_BOT_TOKEN\}/);
    expect(config + terminal.raw()).not.toContain(telegram.emulator.token);
    expect(config + terminal.raw()).not.toContain(KEY);
    expect([mode(path.join(home, 'config.yaml')), mode(path.join(home, '.env'))]).toEqual([0o600, 0o600]);
    expect(text(path.join(home, '.env'))).toContain(`TELEGRAM_BOT_TOKEN=${telegram.emulator.token}`);
    // What is not to be copied or scanned fits the screen.
    const wide = terminal
      .shown()
      .split(/\r?\n/)
      .filter((line) => line.length > 40 && !/https?:|--home|[▪█_]/.test(line));
    expect(wide).toEqual([]);
  });

  it('is asked whether a folder with projects may be used', async () => {
    const llm = await model();
    const [user, home] = [tempFolder(), tempFolder()];
    for (const name of ['code/shop/.git', 'git/blog/.git', 'src/empty'])
      fs.mkdirSync(path.join(user, name), { recursive: true });
    const terminal = wizard(home, { HOME: user });
    await customModel(terminal, llm);
    await nameModel(terminal);
    await terminal.sees('Where do you want to write');
    await terminal.press(up, enter);
    await terminal.sees('May I read and change the projects');
    await terminal.sees('~/git (1 project)');
    expect(terminal.shown()).not.toContain('~/src');
    await terminal.press(down, enter);
    expect(await terminal.ended()).toBe(0);
    expect(text(path.join(home, 'config.yaml'))).toMatch(/projects:\s+roots:\s+- ~\/code/);
  });

  it('has an answer on Discord: the bot that is in no server yet gets its link first', async () => {
    const [llm, discord] = await Promise.all([model(), emulated(discordPlatform())]);
    const { url, cdn, token } = discord.emulator;
    const terminal = wizard(tempFolder(), { DISCORD_API_ROOT: url, DISCORD_CDN_ROOT: cdn });
    await customModel(terminal, llm);
    await nameModel(terminal);
    await terminal.sees('Where do you want to write');
    await terminal.press(down, enter);
    await terminal.sees('Message Content Intent');
    discord.emulator.removeGuild(discord.emulator.guildId);
    await terminal.press(token, enter);
    await terminal.sees("The bot isn't in a server yet");
    await terminal.sees('permissions=309237746752');
    discord.emulator.addGuild('Mine');
    await terminal.sees('Check again');
    await terminal.press(enter);
    await terminal.sees('@');
    await meets(terminal, discord as Known);
    await terminal.sees('How should it keep running');
    await terminal.press(up, enter);
    expect(await terminal.ended()).toBe(0);
  });

  it('has an answer on Slack, by a link with the manifest', async () => {
    const [llm, slack] = await Promise.all([model(), emulated(slackPlatform())]);
    const { url, botToken, appToken } = slack.emulator;
    const terminal = wizard(tempFolder(), { SLACK_API_ROOT: url });
    await customModel(terminal, llm);
    await nameModel(terminal);
    await terminal.sees('Where do you want to write');
    await terminal.press(down, down, enter);
    await terminal.sees('https://api.slack.com/apps?new_app=1&manifest_json=');
    await terminal.sees('Paste the bot token');
    await terminal.press(botToken, enter);
    await terminal.sees('Paste the app token');
    await terminal.press(appToken, enter);
    await meets(terminal, slack as Known);
    await terminal.sees('How should it keep running');
    await terminal.press(up, enter);
    expect(await terminal.ended()).toBe(0);
  });
});

it.skipIf(!hasPython)('says so while it waits when another program takes the messages of the bot', async () => {
  const [llm, telegram] = await Promise.all([model(), emulated(telegramPlatform())]);
  const terminal = wizard(tempFolder(), { TELEGRAM_API_ROOT: telegram.emulator.url });
  await customModel(terminal, llm);
  await nameModel(terminal);
  await terminal.sees('Where do you want to write');
  await terminal.press(enter);
  await terminal.sees('https://t.me/BotFather');
  await terminal.press(telegram.emulator.token, enter);
  await terminal.sees(WRITE.telegram);
  const other = new AbortController();
  const polls = async () => {
    const url = `${telegram.emulator.url}/bot${telegram.emulator.token}/getUpdates?timeout=1`;
    while (!other.signal.aborted) await fetch(url, { signal: other.signal }).catch(() => undefined);
  };
  const polling = polls();
  await terminal.sees(folded('another program polls with this token'));
  other.abort();
  await polling;
  telegram.say(telegram.dm('kim'), 'are you there', kim);
  await terminal.sees('Is that you?');
  await terminal.press(interrupt);
});

/** Ollama: its list of models, and the emulated model behind it. `gemma` takes no tools, as Ollama says it. */
async function ollama(llm: Llm, names = ['llama3:8b']): Promise<string> {
  const server = createServer(async (request, response) => {
    if (request.url === '/api/tags')
      return void response.end(JSON.stringify({ models: names.map((name) => ({ name })) }));
    if (request.url === '/api/ps') {
      const models = names.map((name) => ({ name, model: name, size_vram: 0, context_length: 4_096 }));
      return void response.end(JSON.stringify({ models }));
    }
    const body = await bodyOf(request);
    const headers = { 'content-type': 'application/json' };
    const { model, tools } = JSON.parse(body);
    if (model.startsWith('gemma') && tools) {
      const message = `registry.ollama.ai/library/${model} does not support tools`;
      return void response.writeHead(400, headers).end(JSON.stringify({ error: { message, type: 'api_error' } }));
    }
    const answer = await fetch(new URL(request.url ?? '', llm.url), { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

it.skipIf(!hasPython)('offers Ollama while it is off, and takes the built-in model without asking it', async () => {
  const home = tempFolder();
  const terminal = wizard(home);
  await terminal.sees('Which model answers?');
  await terminal.press(up, up, up);
  await terminal.sees('not running');
  await terminal.press(enter);
  await terminal.sees(folded("Ollama isn't running on this machine"));
  await terminal.sees('Which model answers?');
  await terminal.press(up, enter);
  await terminal.sees('Where do you want to write');
  expect(terminal.shown()).not.toMatch(/Asking the model|offline\/viber answers/);
  await terminal.press(interrupt);
  expect(await terminal.ended()).toBe(0);
  expect(text(path.join(home, 'config.yaml'))).toContain('model: offline/viber');
});

it.skipIf(!hasPython)('finds Ollama on this machine and lists its models', async () => {
  const llm = await emulated(startLlm());
  const home = tempFolder();
  const host = await ollama(llm);
  const terminal = wizard(home, { OLLAMA_HOST: host });
  await terminal.sees('Ollama on this machine');
  await terminal.sees('confirm');
  await terminal.press(enter);
  await terminal.sees('llama3:8b');
  await terminal.sees('confirm');
  await terminal.press(enter);
  await terminal.sees('ollama/llama3:8b answers');
  await terminal.sees('Ollama gives llama3:8b 4,096 tokens');
  await terminal.sees('OLLAMA_CONTEXT_LENGTH=32768');
  await terminal.sees('Where do you want to write');
  await terminal.press(up, enter);
  await terminal.sees('Talk to it here');
  expect(await terminal.ended()).toBe(0);
  expect(text(path.join(home, 'config.yaml'))).toContain(`baseURL: http://${host}/v1`);
});

it.skipIf(!hasPython)('finds LM Studio at its usual port, and needs no address', async ({ skip }) => {
  const llm = await emulated(startLlm());
  const server = createServer(async (request, response) => {
    const listed = lmStudio[request.url ?? ''];
    if (listed) return void response.end(JSON.stringify(listed.body));
    const headers = { 'content-type': 'application/json' };
    const body = await bodyOf(request);
    const answer = await fetch(new URL(request.url ?? '', llm.url), { method: 'POST', headers, body });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    response.end(await answer.text());
  });
  server.listen(1234, '127.0.0.1');
  const isOurs = await once(server, 'listening').then(
    () => true,
    () => false,
  );
  if (!isOurs) skip('another program has the port 1234');
  onTestFinished(() => void server.close());
  const home = tempFolder();
  const terminal = wizard(home);
  await terminal.sees('LM Studio on this machine');
  await terminal.sees('confirm');
  await terminal.press(enter);
  await terminal.sees('qwen2-vl-7b-instruct');
  await terminal.sees('confirm');
  await terminal.press(enter);
  await terminal.sees('lmstudio/qwen2-vl-7b-instruct answers');
  await terminal.sees('Where do you want to write');
  await terminal.press(up, enter);
  await terminal.sees('Talk to it here');
  expect(await terminal.ended()).toBe(0);
  const config = text(path.join(home, 'config.yaml'));
  expect(config).toContain('model: lmstudio/qwen2-vl-7b-instruct');
  expect(config).not.toContain('baseURL');
});

it.skipIf(!hasPython)(
  'says of a model of Ollama that takes no tools that I cannot work with it, before anybody writes to it',
  async () => {
    const terminal = wizard(tempFolder(), {
      OLLAMA_HOST: await ollama(await emulated(startLlm()), ['gemma:2b', 'llama3:8b']),
    });
    await terminal.sees('Ollama on this machine');
    await terminal.sees('confirm');
    await terminal.press(enter);
    await terminal.sees('gemma:2b');
    await terminal.sees('confirm');
    await terminal.press(enter);
    await terminal.sees("The model ollama/gemma:2b can't use tools");
    await terminal.sees('What now?');
    expect(terminal.shown()).not.toContain('Check the address');
    await terminal.press(enter);
    await terminal.sees('Ollama on this machine');
    await terminal.press(enter);
    await terminal.sees('Which of its models?');
    await terminal.press(down, enter);
    await terminal.sees('ollama/llama3:8b answers');
    await terminal.press(interrupt);
    expect(await terminal.ended()).toBe(0);
  },
);

it.skipIf(!hasPython)('takes the key of every provider it knows by name', async () => {
  const [llm, home] = [await model(), tempFolder()];
  const own = `providers:\n  groq: { baseURL: "${llm.url}" }\n`;
  fs.writeFileSync(path.join(home, 'config.yaml'), own, { mode: 0o600 });
  const terminal = wizard(home);
  await terminal.sees('Which model answers?');
  for (const name of ['OpenRouter', 'DeepSeek', 'Groq', 'Mistral', 'xAI (Grok)', 'Moonshot']) await terminal.sees(name);
  await terminal.press(down, down, down, down, down, enter);
  await terminal.sees('https://console.groq.com/keys');
  await terminal.press(KEY, enter);
  await terminal.sees('groq/openai/gpt-oss-120b answers');
  await terminal.press(interrupt);
  expect(await terminal.ended()).toBe(0);
  expect(text(path.join(home, '.env'))).toContain(`GROQ_API_KEY=${KEY}`);
  expect(text(path.join(home, 'config.yaml'))).toContain('model: groq/openai/gpt-oss-120b');
});

describe.skipIf(!hasPython)('an address of a model', () => {
  it('is asked for again when it is none, and found where it lacks http:// and /v1', async () => {
    const llm = await model();
    const home = tempFolder();
    const terminal = wizard(home);
    await terminal.sees('Which model answers?');
    await terminal.press(up, up, enter);
    await terminal.sees('Its address');
    await terminal.press('ftp://foo', enter);
    await terminal.sees(folded('An address begins with http:// or https://'));
    await terminal.press('\x15', llm.url.replace('http://', '').replace(/\/v1$/, ''), enter);
    await terminal.sees('Paste its key');
    await terminal.press(KEY, enter);
    await terminal.sees('Which of its models?');
    await terminal.press(enter);
    await terminal.sees('custom/test-model answers');
    await terminal.press(interrupt);
    expect(await terminal.ended()).toBe(0);
    expect(text(path.join(home, 'config.yaml'))).toContain(`baseURL: ${llm.url}\n`);
  });
});

it.skipIf(!hasPython)('Ctrl-C while a model is asked ends it as at a question', async () => {
  const llm = await model();
  llm.script(() => ({ text: 'late', delayMs: 8_000 }));
  const home = tempFolder();
  const terminal = wizard(home);
  await customModel(terminal, llm);
  await nameModel(terminal);
  await llm.waitFor(() => true);
  await terminal.press(interrupt);
  await terminal.sees(folded('Nothing was saved'));
  expect(await terminal.ended()).toBe(0);
});

describe.skipIf(!hasPython)('what goes wrong', () => {
  it('is named with what mends it: a rejected key, a wrong token; left in the middle it goes on where it was', async () => {
    const [llm, telegram] = await Promise.all([model(), emulated(telegramPlatform())]);
    const home = tempFolder();
    const env = { TELEGRAM_API_ROOT: telegram.emulator.url };
    fs.writeFileSync(path.join(home, 'config.yaml'), '# mine\nhistory: {} # keep this\n', { mode: 0o600 });
    const first = wizard(home, env);
    await customModel(first, llm, 'sk-not-the-right-key');
    await nameModel(first);
    await first.sees('The key was refused');
    expect(text(path.join(home, 'config.yaml'))).toBe('# mine\nhistory: {} # keep this\n');
    await first.press(enter);
    await customModel(first, llm);
    await nameModel(first);
    await first.sees('custom/test-model answers');
    await first.sees('Where do you want to write');
    await first.press(enter);
    await first.sees('Paste the token');
    await first.press('999999999:AAWrongTokenWrongTokenWrongToken12345', enter);
    await first.sees('Fix it here');
    await first.press(interrupt);
    await first.sees('Your progress is saved');
    expect(await first.ended()).toBe(0);
    const config = text(path.join(home, 'config.yaml'));
    expect(config).toMatch(/^# mine\nhistory: \{\} # keep this\nmodel: custom\/test-model\n/);
    expect(config).not.toContain('telegram');

    const second = wizard(home, env);
    await second.sees('Model: custom/test-model');
    await second.sees('It is already set up.');
    await second.press(enter);
    await second.sees('Where do you want to write');
    await second.press(enter);
    await second.sees('Paste the token');
    await second.press(` TELEGRAM_BOT_TOKEN="${telegram.emulator.token}" `, enter);
    await second.sees('Now write to');
    await second.press(interrupt);
    await second.sees('Your progress is saved');
    expect(await second.ended()).toBe(0);

    const third = wizard(home, env);
    await third.sees('Chat: Telegram');
    await third.sees('It is already set up.');
    await third.press(enter);
    await third.sees('Continue with Telegram');
    await third.press(enter);
    await meets(third, telegram as Known);
  });

  it('somebody else who writes first is not let in, and may not ask again', async () => {
    const [llm, telegram] = await Promise.all([model(), emulated(telegramPlatform())]);
    const home = tempFolder();
    fs.writeFileSync(
      path.join(home, 'config.yaml'),
      `model: custom/m\nproviders: { custom: { baseURL: "${llm.url}", apiKey: ${KEY} } }\n`,
    );
    const terminal = wizard(home, {
      TELEGRAM_API_ROOT: telegram.emulator.url,
      TELEGRAM_BOT_TOKEN: telegram.emulator.token,
    });
    await terminal.sees('Chat: Telegram');
    await terminal.sees('It is already set up.');
    await terminal.press(enter);
    await terminal.sees('Continue with Telegram');
    await terminal.press(enter);
    await terminal.sees('Now write to');
    telegram.say(telegram.dm('sam'), 'let me \u001b[2J in', { by: 'sam' });
    await terminal.sees('Is that you?');
    expect(terminal.raw()).not.toContain('\u001b[2J in');
    await terminal.press('n');
    await terminal.sees('Not let in');
    telegram.say(telegram.dm('kim'), 'it is me', kim);
    await terminal.sees('it is me');
    await terminal.sees('Is that you?');
    await terminal.press('y');
    await terminal.sees('Answered');
    expect(JSON.parse(text(path.join(home, 'access/paired.json')))).toMatchObject([
      { role: 'owner', identity: telegram.identity('kim') },
    ]);
  });
});

describe.skipIf(!hasPython)('a configuration that is half filled', () => {
  const TELEGRAM = '{ token: "${MY_BOT}" }';
  const start = async (config: string, env: Record<string, string> = {}) => {
    const [telegram, slack] = await Promise.all([emulated(telegramPlatform()), emulated(slackPlatform())]);
    const home = tempFolder();
    fs.writeFileSync(path.join(home, 'config.yaml'), config, { mode: 0o600 });
    const roots = { TELEGRAM_API_ROOT: telegram.emulator.url, SLACK_API_ROOT: slack.emulator.url };
    return { telegram, slack, home, terminal: wizard(home, { ...roots, ...env }) };
  };

  it.each([
    ['a section without its token', '{}', 'TELEGRAM_BOT_TOKEN'],
    ['a variable that is not set', TELEGRAM, 'MY_BOT'],
  ])('is asked for what is missing alone: %s', async (_what, section, variable) => {
    const config = `# mine\nmodel: offline/viber\nchannels:\n  telegram: ${section}\n`;
    const { telegram, home, terminal } = await start(config);
    await terminal.sees('channels.telegram.token is missing');
    await terminal.press(telegram.emulator.token, enter);
    await terminal.sees('@viber_test_bot answers');
    await terminal.sees('Chat: Telegram');
    await terminal.press(interrupt);
    expect(await terminal.ended()).toBe(0);
    expect(text(path.join(home, 'config.yaml'))).toBe(config);
    expect(text(path.join(home, '.env'))).toBe(`${variable}=${telegram.emulator.token}\n`);
    expect(terminal.raw()).not.toContain(telegram.emulator.token);
  });

  it('is asked for each thing once, the second token of a channel alone, and what is wrong is named all the same', async () => {
    const config =
      'model: offline/viber\nchannels:\n  telegram: { token: "${MY_BOT}" }\n  slack: { botToken: "${SLACK}" }\nhttp: { port: "${PORT}", token: "${MY_BOT}" }\nlimits: { runs: many }\n';
    const { telegram, home, terminal } = await start(config, { SLACK: 'xoxb-there' });
    await terminal.sees('channels.telegram.token is missing');
    await terminal.press(telegram.emulator.token, enter);
    await terminal.sees('http.port is missing');
    await terminal.press('7001', enter);
    await terminal.sees('channels.slack.appToken is missing');
    await terminal.press('xapp-given', enter);
    await terminal.sees('Fix that');
    expect(await terminal.ended()).toBe(2);
    expect(text(path.join(home, '.env')).split('\n').sort()).toEqual(
      ['', 'PORT=7001', 'SLACK_APP_TOKEN=xapp-given', `MY_BOT=${telegram.emulator.token}`].sort(),
    );
    expect(terminal.raw()).not.toContain('botToken is missing');
  });

  it('with a token that is not taken it is asked for again, with where it is', async () => {
    const { telegram, terminal } = await start(`model: offline/viber\nchannels: { telegram: {} }\n`);
    await terminal.sees('channels.telegram.token is missing');
    await terminal.press('999999999:AAWrongTokenWrongTokenWrongToken12345', enter);
    await terminal.sees('https://t.me/BotFather and send');
    await terminal.press(telegram.emulator.token, enter);
    await terminal.sees('@viber_test_bot answers');
    await terminal.sees('Chat: Telegram');
    await terminal.press(interrupt);
    expect(await terminal.ended()).toBe(0);
  });

  it('is asked for the key of its model, which stays the one that was chosen', async () => {
    const llm = await model();
    const config = `model: mine/m\nproviders:\n  mine: { baseURL: "${llm.url}", apiKey: "\${MY_KEY}" }\n`;
    const { home, terminal } = await start(config);
    await terminal.sees('providers.mine.apiKey is missing');
    await terminal.press(KEY, enter);
    await terminal.sees('Model: mine/m');
    await terminal.press(interrupt);
    expect(await terminal.ended()).toBe(0);
    expect(text(path.join(home, '.env'))).toBe(`MY_KEY=${KEY}\n`);
    const known = await start('model: anthropic/claude-x\n');
    await known.terminal.sees('Its key is missing');
    await known.terminal.sees('Paste the key for anthropic');
    await known.terminal.press(interrupt);
    expect(await known.terminal.ended()).toBe(0);
    expect(text(path.join(known.home, 'config.yaml'))).toBe('model: anthropic/claude-x\n');
  });
});

describe.skipIf(!hasPython)('by options', () => {
  const run = (home: string, args: string[], env: Record<string, string>) => viber(home, ['init', ...args], { env });

  it('with nothing to set writes the configuration file that it names', async () => {
    const home = tempFolder();
    const { code, out } = await run(home, ['--yes'], {});
    expect([code, out]).toEqual([0, expect.stringContaining(path.join(home, 'config.yaml'))]);
    expect(out).toMatch(/Start it with: .* start --home /);
    const file = path.join(home, 'config.yaml');
    expect(fs.readFileSync(file, 'utf8')).toMatch(/^# yaml-language-server: .*\n# What is left out has a default/);
    fs.writeFileSync(file, '# mine\n');
    await run(home, ['--yes'], {});
    expect(fs.readFileSync(file, 'utf8')).toBe('# mine\n');
  });

  it('leaves a read-only configuration as it is, and says so in one sentence', async () => {
    const llm = await model();
    const home = tempFolder();
    const file = path.join(home, 'config.yaml');
    fs.writeFileSync(file, '# mine\n', { mode: 0o444 });
    const args = ['--model', 'custom/m', '--base-url', llm.url, '--model-key-env', 'KEY', '--yes'];
    const { code, err } = await run(home, args, { KEY });
    expect([code, err]).toEqual([1, `${file} is read-only. To let this command change it, run: chmod u+w ${file}\n`]);
    expect([text(file), mode(file), fs.existsSync(path.join(home, '.env'))]).toEqual(['# mine\n', 0o444, false]);
    const terminal = wizard(home);
    await terminal.sees(folded('is read-only'));
    expect(await terminal.ended()).toBe(1);
  });

  it.skipIf(process.getuid?.() !== 0)(
    'names the file that its user may not write, and a home that is another’s',
    async ({ skip }) => {
      const home = fs.mkdtempSync(path.join('/var/tmp', 'viber-init-'));
      onTestFinished(() => fs.rmSync(home, { recursive: true, force: true }));
      fs.chmodSync(home, 0o755);
      const nobody = ['--reuid', '65534', '--regid', '65534', '--clear-groups', process.execPath];
      // A checkout may be in a folder that other users can't open.
      const mayRead = await promisify(execFile)('setpriv', [...nobody, '--check', path.join(root, PROGRAM)]).then(
        () => true,
        () => false,
      );
      if (!mayRead) skip('other users cannot open this checkout');
      const args = [...nobody, path.join(root, PROGRAM), 'init', '--home', home, '--yes'];
      const env = { PATH: process.env.PATH ?? '', HOME: home };
      const { code, stderr } = await promisify(execFile)('setpriv', args, { env }).catch((error) => error);
      expect([code, stderr]).toEqual([1, expect.stringMatching(new RegExp(`^I can't write ${home}[^\n]*\\.\\n$`))]);
      fs.writeFileSync(path.join(home, '.env'), '', { mode: 0o600 });
      const said = new RegExp(
        `^You may not open ${home}/[^\n]+\\. Run this as the user it belongs to, .* --home\\.\n$`,
      );
      for (const mode of [0o700, 0o755]) {
        fs.chmodSync(home, mode);
        for (const command of ['status', 'trace', 'update', 'start']) {
          const foreign = [...nobody, path.join(root, PROGRAM), command, '--home', home];
          const refused = await promisify(execFile)('setpriv', foreign, { env }).catch((error) => error);
          expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(said)]);
        }
      }
    },
  );

  it('where nobody is reached it blames the network, not the token', async () => {
    const home = tempFolder();
    const root = 'http://nobody-is-called-this.invalid';
    const env = { BOT: '123456:AAbbccddeeff0011223344556677889900aa', TELEGRAM_API_ROOT: root };
    const { code, out } = await run(home, ['--telegram-token-env', 'BOT', '--yes'], env);
    expect(code).toBe(1);
    expect(out).toContain('check its network and DNS');
    expect(out).not.toMatch(/BotFather|mended/);
  });

  it('sets up what works, writes nothing of what does not, and says which', async () => {
    const [llm, telegram] = await Promise.all([model(), emulated(startTelegram())]);
    const discord = await emulated(startDiscord());
    const home = tempFolder();
    const env = { MY_KEY: KEY, BOT: telegram.token, LOST: 'x'.repeat(60), TELEGRAM_API_ROOT: telegram.url };
    const args = [
      '--model',
      'mine/m',
      '--base-url',
      llm.url,
      '--model-key-env',
      'MY_KEY',
      '--telegram-token-env',
      'BOT',
    ];
    const all = [...args, '--discord-token-env', 'LOST', '--owner', 'telegram:1001', '--yes'];
    const result = await run(home, all, { ...env, DISCORD_API_ROOT: discord.url });
    expect(result.code).toBe(2);
    expect(result.out).toMatch(/✓ model +mine\/m answers[\s\S]*@viber_test_bot answers[\s\S]*✗ discord/);
    expect(result.out).toContain('https://t.me/viber_test_bot');
    const config = text(path.join(home, 'config.yaml'));
    expect(config).toMatch(/model: mine\/m[\s\S]*role: owner[\s\S]*telegram:1001/);
    expect(config).not.toMatch(/discord/);
    expect(result.out + config).not.toContain(KEY);
    expect(text(path.join(home, '.env'))).toBe(`MINE_API_KEY=${KEY}\nTELEGRAM_BOT_TOKEN=${telegram.token}\n`);
    // Again with nothing new: nothing changes.
    const again = await run(home, [...args, '--owner', 'telegram:1001', '--yes', '--json'], env);
    expect(again).toMatchObject({ code: 0, err: '' });
    expect(JSON.parse(again.out)).toMatchObject({ ok: true, links: { telegram: 'https://t.me/viber_test_bot' } });
    expect(text(path.join(home, 'config.yaml'))).toBe(config);
  });

  it('names the variable that is not set, and never takes a secret for its name', async () => {
    const home = tempFolder();
    const result = await run(home, ['--telegram-token-env', 'NOT_SET'], {});
    expect(result).toMatchObject({ code: 1, err: expect.stringContaining("the variable NOT_SET isn't set") });
    expect(fs.existsSync(path.join(home, '.env'))).toBe(false);
  });
});
