/**
 * /prompts: offers the prompts of tool servers. Choosing one sends a message of the person that quotes the server's
 * words. They stay data, so an address in them doesn't count as typed by anyone.
 */
import type { QuotedText } from '../../channels/channel.ts';
import { UserError } from '../../errors.ts';
import { labelOf, lines, type Messages, say, type Text, words } from '../../messages/messages.ts';
import { type Command, type CommandReply, type Invocation, mayUse } from '../../runtime/commands/command.ts';
import { escapeMarkdown } from '../../runtime/conversations/places.ts';
import { configOf } from '../gateway.ts';
import { serversOf } from './open.ts';
import type { ServerPrompt } from './prompts.ts';

const LISTED = 30;
const WITH_BUTTONS = 10;
const MAX_WHAT = 120;
const VALUE = /\s*([A-Za-z_][\w-]{0,63})\s*=\s*(?:"([^"]*)"|'([^']*)'|[“”„]([^“”]*)[“”]|([^\s"'“”„]\S*))/uy;

export const prompts: Command = {
  name: 'prompts',
  description: 'The prompts of the tool servers',
  argument: {
    name: 'prompt',
    description: 'Its name, and what it needs: review what="the plan"',
    pattern: '^\\S+(\\s[\\s\\S]*)?$',
  },
  action: 'look',
  hidden: (config) => Object.keys(configOf({ config }).mcp).length === 0,
  async run(context) {
    const { gw, principal, task, args, messages } = context;
    if (principal.role === 'guest') return { text: messages.text('prompts.membersOnly') };
    if (Object.keys(configOf(gw).mcp).length === 0) return { text: messages.text('prompts.noServers') };
    const all = await (await serversOf(gw)).prompts();
    const [, name = '', rest = ''] = /^\s*(\S*)\s*([\s\S]*)$/.exec(args) ?? [];
    if (name === '') return replyWithPrompts(all, messages);
    if (task && !mayUse(context.principal, 'steer', task))
      return { text: messages.text('prompts.peopleOnly', { title: task.title }) };
    return use(context, find(all, name), rest.trim());
  },
};

const fullName = ({ server, name }: ServerPrompt): string => `${server}/${name}`;
const required = (prompt: ServerPrompt): string[] =>
  prompt.arguments.filter(({ isRequired }) => isRequired).map(({ name }) => name);

function replyWithPrompts(all: readonly ServerPrompt[], messages: Messages): CommandReply {
  if (all.length === 0) return { text: messages.text('prompts.none') };
  const one = (prompt: ServerPrompt): Text => {
    const { name, server, description } = prompt;
    const about = {
      name: escapeMarkdown(name),
      server: escapeMarkdown(server),
      what: escapeMarkdown(description.slice(0, MAX_WHAT).toWellFormed()),
    };
    const needs = required(prompt);
    if (needs.length === 0) return messages.text('prompts.listed', about);
    return messages.text('prompts.listedNeeds', { ...about, needs: messages.list(needs.map(escapeMarkdown)) });
  };
  const rest = all.length - LISTED;
  const more = rest > 0 ? [messages.text('prompts.more', { n: rest })] : [];
  const buttons = all
    .filter((prompt) => required(prompt).length === 0)
    .slice(0, WITH_BUTTONS)
    .map((prompt) => [{ label: labelOf(words(prompt.name)), command: 'prompts', args: fullName(prompt) }]);
  return {
    text: lines(...all.slice(0, LISTED).map(one), ...more, '', messages.text('prompts.how')),
    ...(buttons.length > 0 ? { buttons } : {}),
  };
}

function find(all: readonly ServerPrompt[], name: string): ServerPrompt {
  const found = all.filter((prompt) => prompt.name === name || fullName(prompt) === name);
  const [only, ...others] = found;
  if (!only) throw new UserError(say('prompts.unknown', { name: escapeMarkdown(name.slice(0, 60)) }));
  if (others.length > 0)
    throw new UserError(
      say('prompts.several', { name: escapeMarkdown(name), names: found.map(fullName).map(escapeMarkdown).join(', ') }),
    );
  return only;
}

async function use(context: Invocation, prompt: ServerPrompt, given: string): Promise<CommandReply> {
  const { gw, messages, taskId } = context;
  const { name, server } = prompt;
  const values = valuesIn(given, prompt);
  const missing = required(prompt).filter((each) => (values[each] ?? '') === '');
  if (missing.length > 0) {
    const example = missing.map((each) => `${each}=...`).join(' ');
    return { text: messages.text('prompts.needs', { name, what: messages.list(missing), example }) };
  }
  const text = await (await serversOf(gw)).prompt(prompt, values);
  const named = { name: escapeMarkdown(name), server: escapeMarkdown(server) };
  const quote: QuotedText = { kind: 'quote', from: server, text, fromSelf: false };
  await context.put(taskId, messages.text('prompts.say', named), { quote });
  return { text: messages.text('prompts.using', named) };
}

/** Parses `what="the plan" tone=plain`. Words without a name are the value if there is only one they can belong to. */
function valuesIn(given: string, prompt: ServerPrompt): Record<string, string> {
  if (given === '') return {};
  const names = prompt.arguments.map(({ name }) => name);
  const values: Record<string, string> = {};
  VALUE.lastIndex = 0;
  for (let at = 0; at < given.length; at = VALUE.lastIndex) {
    const found = VALUE.exec(given);
    const [, name = ''] = found ?? [];
    if (!found || !names.includes(name)) {
      const [only = ''] = required(prompt).length === 1 ? required(prompt) : names.length === 1 ? names : [];
      if (only !== '' && at === 0 && !found) return { [only]: given };
      throw new UserError(
        say('prompts.notNeeded', { name: prompt.name, given: escapeMarkdown((name || given.slice(at)).slice(0, 60)) }),
      );
    }
    values[name] = found.slice(2).find((each) => each !== undefined) ?? '';
    if (given.slice(VALUE.lastIndex).trim() === '') break;
  }
  return values;
}
