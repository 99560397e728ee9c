/** All sentences in German. The compiler checks each area for the same keys and arguments as the English one. */
import { adding } from './de/adding.ts';
import { answers, search } from './de/answers.ts';
import { board } from './de/board.ts';
import { channels } from './de/channels.ts';
import { commands, does, help } from './de/commands.ts';
import { common, times } from './de/common.ts';
import { consent } from './de/consent.ts';
import { costs } from './de/costs.ts';
import { details } from './de/details.ts';
import { exported } from './de/export.ts';
import { failures, voice } from './de/failures.ts';
import { jobFiles, yaml } from './de/job-files.ts';
import { jobs } from './de/jobs.ts';
import { doing, live } from './de/live.ts';
import { mcp } from './de/mcp.ts';
import { memory } from './de/memory.ts';
import { models } from './de/models.ts';
import { offline } from './de/offline.ts';
import { outcomes } from './de/outcomes.ts';
import { contact, pairing } from './de/pairing.ts';
import { plans } from './de/plans.ts';
import { playbooks } from './de/playbooks.ts';
import { projects } from './de/projects.ts';
import { questions } from './de/questions.ts';
import { prompts, skills } from './de/skills.ts';
import { tasks, vibers } from './de/tasks.ts';
import { terminal } from './de/terminal.ts';
import type { Catalogue } from './en.ts';

export const de: Catalogue = {
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
};
