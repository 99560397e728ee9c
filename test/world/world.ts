/**
 * `npm run world`: what a stranger does, from a bare Debian with git, npm and Debian's Node, without a display, to the end. The
 * commands are those of the README and of docs/; Telegram and the model are emulated on the loopback interface. Prints each step with
 * its time, and ends at the first that fails. Needs root, debootstrap, bubblewrap and the network (packages of Debian and npm).
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { startLlm } from '../emulators/llm.ts';
import { copyOldHome } from '../helpers/old-homes.ts';
import { ask } from '../platforms/platform.ts';
import { telegramPlatform } from '../platforms/telegram.ts';
import { copyRoot, KEPT, keptDebian, network, PATH, whyNoRoot } from './debian.ts';
import { mustRunInside } from './inside.ts';
import { type Machine, openMachine } from './machine.ts';

const REPOSITORY = path.join(import.meta.dirname, '../..');
const USER = 1000;
const HOME = path.join('/home', 'me');
const CHECKOUT = `${HOME}/openviber`;
const MODEL_KEY = 'sk-test-model-key-123';
const out = (line: string) => process.stdout.write(`${line}\n`);

interface Step {
  name: string;
  seconds: number;
  said: string;
}
const steps: Step[] = [];
const closing: (() => unknown)[] = [];

/** Runs a step, and remembers its time and what it says of itself. */
async function step(name: string, run: () => Promise<string>): Promise<void> {
  const begun = performance.now();
  const said = await run();
  const seconds = (performance.now() - begun) / 1000;
  steps.push({ name, seconds, said });
  out(`${name.padEnd(34)} ${seconds.toFixed(1).padStart(7)} s  ${said}`);
}

function check(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const readme = () => fs.readFileSync(path.join(REPOSITORY, 'README.md'), 'utf8');

/** The lines of the README that install and start it, in their order. */
function readmeCommands(): string[] {
  const [, block = ''] = /```sh needs network\n([\s\S]*?)```/.exec(readme()) ?? [];
  return block.trim().split('\n');
}

async function world(): Promise<void> {
  const telegram = await telegramPlatform();
  const llm = await startLlm({ apiKey: MODEL_KEY });
  closing.push(
    () => telegram.close(),
    () => llm.close(),
  );
  fs.mkdirSync(KEPT, { recursive: true });
  const folder = fs.mkdtempSync(path.join(KEPT, 'world-'));
  closing.unshift(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));

  const [clone = '', enter = '', install = '', talk = '', init = '', test = ''] = readmeCommands();
  check(
    [clone, enter, install, talk, init, test].join('; ') ===
      'git clone REPOSITORY openviber; cd openviber; npm ci; npm start; ./viber init; npm test',
    'the README begins in another way than is known here',
  );
  const { env: reach, shown } = network();
  const variables = {
    ...{ PATH, HOME, USER: 'me', LANG: 'C.UTF-8', npm_config_cache: `${HOME}/.npm`, ...reach },
    TELEGRAM_API_ROOT: telegram.emulator.url,
  };
  const token = `TELEGRAM_BOT_TOKEN=${telegram.emulator.token}`;
  let machine: Machine;
  const dm = telegram.dm('alex');
  /** Says something in the chat and waits for the model's answer to it. */
  const answers = async (words: string) => {
    llm.script(() => ({ text: `The answer to: ${words}` }));
    await ask(telegram, dm, words, { text: `The answer to: ${words}` });
  };
  const viber = (words: string, more: object = {}) => machine.shell(`./viber ${words}`, { folder: CHECKOUT, ...more });

  await step('a bare Debian', async () => {
    const root = await copyRoot(await keptDebian(['git', 'npm', 'nodejs']), path.join(folder, 'one'));
    await mustRunInside({ root, env: { PATH } }, [
      'useradd',
      '--uid',
      `${USER}`,
      '--user-group',
      '--create-home',
      'me',
    ]);
    const [cache, source] = [path.join(KEPT, 'npm'), path.join(folder, 'source')];
    execFileSync('git', ['-c', 'safe.directory=*', 'clone', '--quiet', '--bare', REPOSITORY, source]);
    for (const at of [cache, path.join(root, HOME, '.npm')]) fs.mkdirSync(at, { recursive: true });
    execFileSync('chown', ['-R', `${USER}:${USER}`, source, cache, path.join(root, HOME)]);
    machine = openMachine({
      ...{ root, env: variables, user: USER, shown },
      volumes: { '/srv': source, [`${HOME}/.npm`]: cache },
    });
    closing.unshift(() => machine.close());
    return (
      await machine.shell('. /etc/os-release; echo "$PRETTY_NAME, node $(node --version), npm $(npm --version)"')
    ).trim();
  });
  await step(clone, async () => {
    await machine.shell(clone.replace('REPOSITORY', '/srv'), { folder: HOME });
    return (await machine.shell('git log -1 --format=%h', { folder: CHECKOUT })).trim();
  });
  await step(install, async () => {
    // Debian's npm reads no alias among overrides; the README says what to do there.
    const isOld = Number.parseInt(await machine.shell('npm --version'), 10) < 10;
    const newer = 'npx npm@11 ci';
    check(!isOld || readme().includes(`\`${newer}\``), 'the README says nothing of an old npm');
    await machine.shell(isOld ? newer.replace('npx', 'npx --yes') : install, { folder: CHECKOUT });
    return `${isOld ? newer : install}: ${(await viber('--version')).trim()}`;
  });
  await step(talk, async () => {
    const said = await machine.shell(talk, { folder: CHECKOUT, input: 'plan: buy paint; paint the wall\ndone 1\n' });
    check(/paint the wall/.test(said), `the built-in model didn't answer: ${said}`);
    return 'the built-in model makes a plan';
  });
  await step(init, async () => {
    const model = `--model custom/test-model --model-key-env MODEL_KEY --base-url ${llm.url}`;
    const said = await machine.shell(
      `${token} MODEL_KEY=${MODEL_KEY} ${init} ${model} --telegram-token-env TELEGRAM_BOT_TOKEN --owner ${telegram.identity('alex')} --yes`,
      { folder: CHECKOUT },
    );
    check(said.includes('t.me/'), `it names no link to the bot: ${said}`);
    return 'without a question';
  });
  await step('./viber start', async () => {
    await machine.start('./viber start', CHECKOUT);
    await answers('hello');
    const status = await viber('status');
    check(/telegram/i.test(status), `status names no channel: ${status}`);
    return 'a message from Telegram is answered';
  });
  await step('./viber doctor', async () => {
    const { ok } = JSON.parse(await viber('doctor --json'));
    check(ok === true, await viber('doctor'));
    return 'nothing is wrong';
  });
  await step('a home of an earlier version', async () => {
    const old = path.join(folder, 'old-home');
    copyOldHome('format-1', old);
    const [task = ''] = fs.readdirSync(path.join(old, 'artifacts'));
    await machine.stop();
    await machine.shell(`mv ${HOME}/.openviber ${HOME}/first`);
    machine.put(old, `${HOME}/.openviber`);
    await machine.shell(`cp ${HOME}/first/config.yaml ${HOME}/first/.env ${HOME}/.openviber/ && rm -r ${HOME}/first`);
    await machine.start('./viber start', CHECKOUT);
    await answers('what did we do?');
    check((await viber('tasks --json')).includes(task), 'the task of the old home is lost');
    return 'its task is there, and a message is answered';
  });
  await step('an example package', async () => {
    await machine.shell('npm run build', { folder: CHECKOUT });
    await machine.shell(DICE, { folder: HOME });
    await machine.stop();
    await machine.shell(
      `printf 'plugins: [openviber-dice]\\ndice: { sides: 1000 }\\n' >> ${HOME}/.openviber/config.yaml`,
    );
    await machine.start('./viber start', CHECKOUT);
    await ask(telegram, dm, '/dice 3', { text: '(of 1000)' });
    return 'dice, packed and installed: a command of it answers';
  });
  await step('./viber backup', async () => {
    await viber(`backup ${HOME}/viber.tgz`);
    await machine.stop();
    return (await machine.shell(`du -h ${HOME}/viber.tgz | cut -f1`)).trim();
  });
  await step('./viber restore, elsewhere', async () => {
    const elsewhere = `${HOME}/elsewhere`;
    await viber(`restore --home ${elsewhere} ${HOME}/viber.tgz`);
    await machine.shell(`mv ${HOME}/.openviber ${HOME}/kept`);
    await machine.start(`${token} CUSTOM_API_KEY=${MODEL_KEY} ./viber start --home ${elsewhere}`, CHECKOUT);
    await answers('are you still there?');
    await machine.stop();
    await machine.shell(`rm -r ${elsewhere} && mv ${HOME}/kept ${HOME}/.openviber`);
    return 'the same conversation goes on';
  });
  await step('./viber uninstall', async () => {
    const hasCommand = /^ +(viber )?uninstall\b/m.test(await viber('help'));
    // As docs/uninstall.md says.
    if (hasCommand) {
      // The plugin was installed by its user, so it is theirs to delete.
      const said = await viber('uninstall --delete-home --yes');
      check(said.includes('node_modules, package-lock.json, package.json'), `not named as left: ${said}`);
    }
    await machine.shell('rm -r ~/.openviber');
    await machine.shell(`rm -r ${CHECKOUT}`);
    const left = (await machine.shell(`ls -A ${HOME} | grep -v '^\\.\\(npm\\|bash.*\\|profile\\)$' || true`)).trim();
    check(!left.includes('openviber'), `left: ${left}`);
    return 'home and checkout are gone';
  });
}

/** As the author of a package packs it, and its user installs it beside the home. */
const DICE = [
  'set -e',
  `cp -r ${CHECKOUT}/examples/dice dice && cd dice`,
  'mkdir node_modules',
  `for needed in zod pino @types; do ln -s ${CHECKOUT}/node_modules/$needed node_modules/$needed; done`,
  'mkdir -p node_modules/openviber-gateway',
  `cp -r ${CHECKOUT}/dist ${CHECKOUT}/package.json node_modules/openviber-gateway/`,
  `PATH=${CHECKOUT}/node_modules/.bin:$PATH npm pack --silent`,
  `cd ${HOME}/.openviber && npm install --no-audit --no-fund --legacy-peer-deps ${HOME}/dice/openviber-dice-*.tgz`,
].join('\n');

async function main(): Promise<number> {
  const why = await whyNoRoot();
  if (why !== '') {
    out(`skipped: ${why}`);
    return 0;
  }
  const begun = performance.now();
  try {
    await world();
    out(`${'together'.padEnd(34)} ${((performance.now() - begun) / 1000).toFixed(1).padStart(7)} s`);
    return 0;
  } catch (error) {
    out(`failed after ${steps.at(-1)?.name ?? 'nothing'}: ${error instanceof Error ? error.message : error}`);
    return 1;
  } finally {
    for (const close of closing) await close();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, async () => {
    for (const close of closing) await close();
    process.exit(130);
  });
process.exit(await main());
