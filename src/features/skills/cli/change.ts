/**
 * `viber skills add|update|remove`: shows what would change, asks, and does it. Without a terminal it requires --yes.
 */
import readline from 'node:readline/promises';
import { loadConfig } from '../../../config.ts';
import { UserError } from '../../../errors.ts';
import { viberCommand } from '../../../lib/invocation.ts';
import { bareAnswer } from '../../../messages/bare-answers.ts';
import { type Messages, say, type Text } from '../../../messages/messages.ts';
import { type CliContext, type CliServices, EXIT } from '../../../runtime/contract/cli.ts';
import { Adding, type OfferedSkill } from '../../../skills/add/add.ts';
import { openHome } from '../../../workspace/home.ts';
import { offerText, type Plain } from '../command/words.ts';

interface Changing {
  context: CliContext;
  adding: Adding;
  messages: Messages;
}

/** Replaces control characters: text from others must not control the terminal. */
const withoutControls: Plain = (text) => text.replace(/[\p{Cc}\p{Cf}]/gu, (char) => (char === '\n' ? char : '\ufffd'));
const MAX_PATCH = 200;

export async function runChange(context: CliContext, { at }: CliServices): Promise<number> {
  const [verb, ...words] = context.args;
  const { config } = await loadConfig({ file: context.config, home: context.home, env: context.env });
  const home = await openHome(context.home);
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort(new UserError(say('cli.nothingChanged'))));
  const adding = new Adding({
    root: home.skills,
    cache: home.cache,
    reserved: (await at(config)).reserved,
    signal: interrupted.signal,
    allowedOrigins: config.skills.webOrigins,
    registry: config.skills.registry,
  });
  const changing = { context, adding, messages: context.messages };
  if (verb === 'add') return addSkill(changing, words);
  return verb === 'update' ? update(changing, words) : uninstall(changing, words[0] ?? '');
}

async function addSkill({ context, adding, messages }: Changing, [source = '', ...names]: string[]): Promise<number> {
  const looked = await adding.look(source, names, process.cwd());
  if (looked.kind === 'offer') return decideOffer({ context, adding, messages }, looked);
  const { skills } = looked;
  if (context.json) context.print(JSON.stringify({ done: false, choose: skills }));
  else {
    context.print(`${messages.text('adding.choose', { n: skills.length, source: withoutControls(looked.source) })}`);
    for (const { name, description } of skills)
      context.print(`  ${name}  ${withoutControls(description.split('\n', 1)[0] ?? '')}`);
    context.print(messages.text('cli.chooseSkills', { command: viberCommand(`skills add ${looked.source} NAME...`) }));
  }
  return EXIT.failed;
}

async function update({ context, adding, messages }: Changing, names: string[]): Promise<number> {
  const { offer, same, own, failed } = await adding.lookForUpdates(names);
  const { json, print } = context;
  if (json && !offer)
    print(
      JSON.stringify({ done: false, same, own, failed: failed.map(({ name, why }) => ({ name, why: why.message })) }),
    );
  if (!json) {
    if (same.length > 0) print(messages.text('adding.same', { names: same.join(', ') }));
    if (own.length > 0 && names.length > 0) print(messages.text('adding.own', { names: own.join(', ') }));
    for (const { name, why } of failed)
      print(messages.text('adding.notUpdated', { name, why: withoutControls(why.message) }));
    if (!offer && same.length + failed.length === 0) print(messages.text('adding.nothingAdded'));
  }
  if (!offer) return failed.length > 0 ? EXIT.failed : EXIT.ok;
  return decideOffer({ context, adding, messages }, offer);
}

async function uninstall({ context, adding, messages }: Changing, name: string): Promise<number> {
  const { edited, isOwn } = await adding.lookBeforeRemoval(name);
  const question = messages.text(isOwn || edited.length > 0 ? 'adding.reallyRemoveEdited' : 'adding.reallyRemove', {
    name,
  });
  if (!context.json) context.print(question);
  if (!(await agrees(context, 'cli.removeIt'))) return EXIT.failed;
  const kept = await adding.remove(name);
  if (context.json) context.print(JSON.stringify({ done: true, removed: name, kept }));
  else context.print(messages.text(kept ? 'adding.removedKept' : 'adding.removed', { name }));
  return EXIT.ok;
}

async function decideOffer(
  { context, adding, messages }: Changing,
  { id, skills }: { id: string; skills: OfferedSkill[] },
): Promise<number> {
  const { json, print } = context;
  const isUpdate = skills.some((skill) => skill.update);
  if (!json) for (const skill of skills) print(`${shownIn(skill, messages)}\n`);
  if (!json) print(messages.text('adding.trust'));
  const isAgreed = await agrees(context, isUpdate ? 'cli.updateIt' : 'cli.addIt');
  if (isAgreed) await adding.take(id, 'command line');
  else adding.drop(id);
  const names = skills.map(({ about: { name } }) => name);
  if (json) print(JSON.stringify({ done: isAgreed, skills: skills.map(({ text: _text, ...skill }) => skill) }));
  else if (isAgreed) print(messages.text('adding.added', { names: names.join(', ') }));
  return isAgreed ? EXIT.ok : EXIT.failed;
}

function shownIn(skill: OfferedSkill, messages: Messages): string {
  const text: Text = offerText(skill, messages, withoutControls);
  const lines = withoutControls(skill.update?.changes.patch ?? '').split('\n');
  if (lines.length <= 1) return text;
  const rest = lines.length - MAX_PATCH;
  return [
    text,
    '',
    ...lines.slice(0, MAX_PATCH),
    ...(rest > 0 ? [messages.text('cli.moreLines', { n: rest })] : []),
  ].join('\n');
}

async function agrees(
  { switches, json, print, messages }: CliContext,
  question: 'cli.removeIt' | 'cli.updateIt' | 'cli.addIt',
): Promise<boolean> {
  if (switches.has('yes')) return true;
  if (!json && process.stdin.isTTY && process.stdout.isTTY) {
    const asking = readline.createInterface({ input: process.stdin, output: process.stdout });
    try {
      return bareAnswer(await asking.question(`${messages.text(question)} `)) === 'yes';
    } finally {
      asking.close();
    }
  }
  if (!json) print(messages.text('cli.addYes'));
  return false;
}
