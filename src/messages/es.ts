/** All sentences in Spanish. The compiler checks each area for the same keys and arguments as the English one. */

import type { Catalogue } from './en.ts';
import { adding } from './es/adding.ts';
import { answers, search } from './es/answers.ts';
import { board } from './es/board.ts';
import { channels } from './es/channels.ts';
import { commands, does, help } from './es/commands.ts';
import { common, times } from './es/common.ts';
import { consent } from './es/consent.ts';
import { costs } from './es/costs.ts';
import { details } from './es/details.ts';
import { exported } from './es/export.ts';
import { failures, voice } from './es/failures.ts';
import { jobFiles, yaml } from './es/job-files.ts';
import { jobs } from './es/jobs.ts';
import { doing, live } from './es/live.ts';
import { mcp } from './es/mcp.ts';
import { memory } from './es/memory.ts';
import { models } from './es/models.ts';
import { offline } from './es/offline.ts';
import { outcomes } from './es/outcomes.ts';
import { contact, pairing } from './es/pairing.ts';
import { plans } from './es/plans.ts';
import { playbooks } from './es/playbooks.ts';
import { projects } from './es/projects.ts';
import { questions } from './es/questions.ts';
import { prompts, skills } from './es/skills.ts';
import { tasks, vibers } from './es/tasks.ts';
import { terminal } from './es/terminal.ts';

export const es: Catalogue = {
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
