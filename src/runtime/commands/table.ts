/** The chat commands: the core's are listed here, and each feature adds its own. */
import type { CommandSpec } from '../../channels/channel.ts';
import { MENU } from '../../messages/menu.ts';
import { servedBy } from '../../messages/messages.ts';
import type { CommandTable } from '../contract/command.ts';
import type { Gateway } from '../run/gateway.ts';
import { approve } from './approve.ts';
import type { Command } from './command.ts';
import { live } from './conversation/live.ts';
import { model, think } from './conversation/model.ts';
import { followup, queue, steer } from './conversation/queue.ts';
import { use } from './conversation/use.ts';
import { helpFor } from './help.ts';
import { link } from './people/link.ts';
import { pair } from './people/pair.ts';
import { timezone } from './people/timezone.ts';
import { artifacts, get } from './tasks/artifacts.ts';
import { goOn } from './tasks/continue.ts';
import { exportTask } from './tasks/export.ts';
import { open } from './tasks/open.ts';
import { plan } from './tasks/plan.ts';
import { status, stop } from './tasks/status.ts';
import { fresh, tasks } from './tasks/tasks.ts';

type Commands = CommandTable<Gateway>;

/** Menus list commands about tasks first, then those of features, then the rest. */
const OF_TASKS: readonly Command[] = [
  helpFor(({ features, config }) => commandSpecs(features.commands, config)),
  fresh,
  status,
  stop,
  queue,
  steer,
  followup,
  plan,
  tasks,
  open,
  goOn,
  artifacts,
  get,
  exportTask,
];

const REST: readonly Command[] = [model, think, use, live, timezone, link, pair, approve];

/** @throws Error if two commands share a name or an alias */
export function commandTable(features: readonly { commands?: readonly Command[] }[]): Commands {
  const all = [...OF_TASKS, ...features.flatMap(({ commands = [] }) => commands), ...REST];
  const byName = new Map<string, Command>();
  for (const command of all) {
    for (const name of [command.name, ...(command.aliases ?? [])]) {
      if (byName.has(name)) throw new Error(`two commands are called ${name}`);
      byName.set(name, command);
    }
  }
  return { all, byName };
}

export const findCommand = ({ byName }: Commands, name: string): Command | undefined => byName.get(name.toLowerCase());

/** Lists the commands for menus; without a configuration, none that depend on it. */
export function commandSpecs({ all }: Commands, config?: object): CommandSpec[] {
  const listed = all.filter(({ hidden }) => !hidden || (hidden !== true && config && !hidden(config)));
  return listed.map(({ name, description, argument }) => ({ name, description, ...(argument && { argument }) }));
}

/** Menus are in the configured language, or with `auto` translated into each person's own. */
export const menuSpecs = (commands: Commands, language: string, config?: object): CommandSpec[] =>
  commandSpecs(commands, config).map((spec) => {
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
