/** Every command there is. Channels register these with their platform; nothing else names commands. */
import type { CommandSpec } from '../../channels/channel.ts';
import { MENU } from '../../messages/menu.ts';
import { servedBy } from '../../messages/messages.ts';
import { approve } from './approve.ts';
import type { Command } from './command.ts';
import { compact } from './conversation/compact.ts';
import { live } from './conversation/live.ts';
import { model, think } from './conversation/model.ts';
import { prompts } from './conversation/prompts.ts';
import { followup, queue, steer } from './conversation/queue.ts';
import { use } from './conversation/use.ts';
import { helpFor } from './help.ts';
import { jobs } from './jobs.ts';
import { memory } from './memory/memory.ts';
import { board } from './people/board.ts';
import { link } from './people/link.ts';
import { pair } from './people/pair.ts';
import { timezone } from './people/timezone.ts';
import { skills } from './skills/skills.ts';
import { artifacts, get } from './tasks/artifacts.ts';
import { goOn } from './tasks/continue.ts';
import { exportTask } from './tasks/export.ts';
import { open } from './tasks/open.ts';
import { plan } from './tasks/plan.ts';
import { play } from './tasks/play.ts';
import { status, stop } from './tasks/status.ts';
import { fresh, tasks } from './tasks/tasks.ts';

export const COMMANDS: readonly Command[] = [
  helpFor(({ tools }) => commandSpecs({ servers: tools.prompts !== undefined })),
  fresh,
  status,
  stop,
  queue,
  steer,
  followup,
  plan,
  play,
  tasks,
  open,
  goOn,
  artifacts,
  get,
  exportTask,
  memory,
  jobs,
  skills,
  model,
  think,
  use,
  live,
  timezone,
  link,
  board,
  // Discord takes 25. What comes here is not listed there: it is done without being asked for, or `/viber skills prompts` is the same.
  compact,
  prompts,
  pair,
  approve,
];

/** Telegram sends /start when somebody opens the chat for the first time. */
const ALIASES: Readonly<Record<string, string>> = { start: 'help', files: 'artifacts', cancel: 'stop', task: 'new' };

/** The command of that name or alias, whatever its case. */
export function findCommand(name: string): Command | undefined {
  const wanted = name.toLowerCase();
  const real = Object.hasOwn(ALIASES, wanted) ? ALIASES[wanted] : wanted;
  return COMMANDS.find((command) => command.name === real);
}

/** Those that are listed; `servers`: where there are servers of tools. */
export function commandSpecs({ servers = false }: { servers?: boolean } = {}): CommandSpec[] {
  const listed = COMMANDS.filter(({ hidden }) => !hidden || (hidden === 'servers' && servers));
  return listed.map(({ name, description, argument }) => ({ name, description, ...(argument && { argument }) }));
}

/** For the menus of platforms: in the one language everybody is spoken to in, or with `auto` in each person's own. */
export const menuSpecs = (language: string, which: { servers?: boolean } = {}): CommandSpec[] =>
  commandSpecs(which).map((spec) => {
    const translations = Object.entries(MENU).flatMap(([tag, texts]) => {
      const text = Object.hasOwn(texts, spec.name) ? texts[spec.name] : undefined;
      return text ? [[tag, text] as const] : [];
    });
    if (language === 'auto') return { ...spec, translations: Object.fromEntries(translations) };
    const [, only] = translations.find(([tag]) => tag === servedBy(language)) ?? [];
    if (!only) return spec;
    const { argument = spec.argument?.description ?? '' } = only;
    const named = spec.argument ? { argument: { ...spec.argument, description: argument } } : {};
    return { ...spec, description: only.description, ...named };
  });
