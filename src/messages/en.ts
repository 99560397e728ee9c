/**
 * All sentences that people read in a chat, in English, which defines the messages and their arguments. An area is a
 * file of `en/`, a message is `area.key`. The texts are ICU MessageFormat without quoting.
 */
import { adding } from './en/adding.ts';
import { answers, search } from './en/answers.ts';
import { board } from './en/board.ts';
import { channels } from './en/channels.ts';
import { commands, does, help } from './en/commands.ts';
import { common, times } from './en/common.ts';
import { consent } from './en/consent.ts';
import { costs } from './en/costs.ts';
import { details } from './en/details.ts';
import { exported } from './en/export.ts';
import { failures, voice } from './en/failures.ts';
import { jobFiles, yaml } from './en/job-files.ts';
import { jobs } from './en/jobs.ts';
import { doing, live } from './en/live.ts';
import { mcp } from './en/mcp.ts';
import { memory } from './en/memory.ts';
import { models } from './en/models.ts';
import { offline } from './en/offline.ts';
import { outcomes } from './en/outcomes.ts';
import { contact, pairing } from './en/pairing.ts';
import { plans } from './en/plans.ts';
import { playbooks } from './en/playbooks.ts';
import { projects } from './en/projects.ts';
import { questions } from './en/questions.ts';
import { prompts, skills } from './en/skills.ts';
import { tasks, vibers } from './en/tasks.ts';
import { terminal } from './en/terminal.ts';

export const en = {
  adding,
  answers,
  board,
  channels,
  commands,
  common,
  consent,
  contact,
  costs,
  details,
  does,
  doing,
  export: exported,
  failures,
  help,
  jobFiles,
  jobs,
  live,
  mcp,
  memory,
  models,
  offline,
  outcomes,
  pairing,
  plans,
  playbooks,
  projects,
  prompts,
  questions,
  search,
  skills,
  tasks,
  terminal,
  times,
  vibers,
  voice,
  yaml,
} as const;

/** The shape of a catalogue in any language; each is a chunk of its own, loaded for its first reader. */
export type Catalogue = { readonly [A in keyof typeof en]: { readonly [K in keyof (typeof en)[A]]: string } };
