/**
 * Offers a skill with a script as a tool. After a crash its effects are unknown, so an interrupted call is reported,
 * never repeated; consent covers this version of the skill with these arguments in this place, and nothing else runs
 * (promise 36).
 */
import { stripVTControlCharacters } from 'node:util';
import type { z } from 'zod';
import { errorCode } from '../../../errors.ts';
import { type Messages, sentences, type Text } from '../../../messages/messages.ts';
import { clip, visibleText } from '../../../runtime/context/turn.ts';
import type { RuntimeTool } from '../../../runtime/contract/task.ts';
import { runtimeTool, type ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { toVariables } from '../../../skills/parameters.ts';
import type { ScriptOrder, ScriptResult } from '../../../skills/script.ts';
import type { Skill } from '../../../skills/skill.ts';
import type { Json } from '../../../workspace/types.ts';
import { versionOf } from './version.ts';
import { expanded, inWorkFolder, type WorkFolder, workFolder } from './work-folder.ts';
import { type KeptFiles, keepWritten, snapshotOf } from './written-files.ts';

export interface ScriptDeps {
  description: string;
  input: z.ZodType<Record<string, string | number | boolean>>;
  /** The folder where the script works, from the viber's settings; absent means the task's own folder. */
  folder: string | undefined;
  /** The variables for this skill alone (`skills.env`). */
  granted: Readonly<Record<string, string>>;
  timeoutMs: number;
  network: boolean;
  isSandboxed: boolean;
}

/** The limit for a script's output, in characters. */
const MAX_OUTPUT = 16_000;
const MAX_TAIL = 8_000;
const MAX_LEFT = 10;

export function scriptTool(
  skill: Skill,
  script: NonNullable<Skill['script']>,
  scope: ToolScope,
  deps: ScriptDeps,
): RuntimeTool {
  const { input, description, folder, granted, timeoutMs, network, isSandboxed } = deps;
  const place = [expanded(folder) ?? '', isSandboxed ? 'sandbox' : 'none', ...Object.keys(granted).sort()];
  // The version already includes what the skill's file says.
  if (network && !skill.network) place.push('network');
  return runtimeTool({
    name: skill.name,
    description,
    input,
    effect: 'external',
    beginsLate: true,
    consent: isSandboxed ? 'effects' : 'always',
    isOutside() {
      // Nobody is asked for consent to a script that can't run.
      workFolder(scope, folder);
      return true;
    },
    kindOf: () => `version ${versionOf(skill, place)}`,
    asks(given, { messages, plain }) {
      const name = plain(skill.name);
      const what = Object.entries(given).map(([key, value]) => `${plain(key, 40)} ${plain(value, 120)}`);
      const [first] = what;
      const text =
        first === undefined
          ? messages.text('consent.runSkill', { name })
          : messages.text('consent.runSkillWith', { name, what: messages.list(what.slice(0, 8)) });
      return { text };
    },
    noteFor: (_, messages) => scriptNote(skill, deps, messages),
    codeFor: () => script.text,
    async execute(given, options) {
      const order = {
        script,
        granted,
        timeoutMs,
        signal: options.signal,
        network,
        sandbox: isSandboxed,
        variables: toVariables(skill, given),
        ...(skill.folder === undefined ? {} : { skillFolder: skill.folder }),
      };
      const run = async (work: WorkFolder) => {
        const result = await runIn(work, scope, order);
        return { ...result, ...(result.code !== 0 && work.isTasks ? { hint: hintFor(scope) } : {}) };
      };
      return inWorkFolder(scope, folder, run, options);
    },
  });
}

/** Runs a script in a folder; files that it writes into the task's own are kept. Returns the result for the model. */
export async function runIn(
  work: WorkFolder,
  scope: ToolScope,
  order: Omit<ScriptOrder, 'cwd' | 'readable'> & { timeoutMs: number },
): Promise<{ [key: string]: Json }> {
  const { runScript } = await import('../../../skills/script.ts');
  const before = work.isTasks ? await snapshotOf(work) : undefined;
  const result = await runScript({ ...order, cwd: work.path, readable: work.files });
  const kept = before ? await keepWritten(scope, work, before).catch(notKept) : { files: [], left: [] };
  return {
    ...scriptResultForModel(result, order.timeoutMs),
    ...(kept.files.length > 0 ? { artifacts: kept.files } : {}),
    ...(kept.left.length > 0 ? { notKept: kept.left.slice(0, MAX_LEFT) } : {}),
  };
}

function scriptNote(skill: Skill, { folder, granted, network, isSandboxed }: ScriptDeps, messages: Messages): Text {
  const where = expanded(folder) ?? messages.text('details.taskFolder');
  return sentences(
    isSandboxed
      ? messages.text('details.sandboxed', { where, network: network ? 'yes' : 'no' })
      : messages.text('details.open', { where }),
    skill.folder === undefined ? '' : messages.text('details.skillFiles', { folder: skill.folder }),
    givenText(granted, messages),
  );
}

export function givenText(granted: Readonly<Record<string, string>>, messages: Messages): Text | '' {
  const names = Object.keys(granted);
  return names.length === 0 ? '' : messages.text('details.given', { names: names.join(', ') });
}

/** Reports that files could not be kept: the script ran anyway, and must not look as if it had not. */
export function notKept(error: unknown): KeptFiles {
  const code = errorCode(error);
  if (code === undefined) throw error;
  return { files: [], left: [`all (${code})`] };
}

const hintFor = ({ viber }: ToolScope): string =>
  `It worked in a folder of this task. To have scripts work in a project, a person sets \`folder\` in agents/${viber}.yaml.`;

export function scriptResultForModel(result: ScriptResult, timeoutMs: number): { [key: string]: Json } {
  const { code, stdout, stderr } = result;
  const said = visibleText(stripVTControlCharacters([stdout, stderr].filter(Boolean).join('\n'))).trimEnd();
  const error = scriptFailure(result, timeoutMs);
  const isLong = said.length > (error === undefined ? MAX_OUTPUT : MAX_TAIL);
  const tail = () => `[... ${said.length - MAX_TAIL} characters cut ...]\n${said.slice(-MAX_TAIL).toWellFormed()}`;
  return {
    code,
    output: error === undefined ? clip(said, MAX_OUTPUT) : isLong ? tail() : said,
    ...(error === undefined ? {} : { error }),
    ...(result.truncated || isLong ? { truncated: true } : {}),
  };
}

function scriptFailure(result: ScriptResult, timeoutMs: number): string | undefined {
  const { code, signal, timedOut, truncated, usedMemory } = result;
  if (usedMemory) return `It ${usedMemory} and was stopped; what it did before that may have taken effect.`;
  if (timedOut) return `It was ended after ${timeoutMs / 1000} seconds; what it did before that may have taken effect.`;
  if (signal !== null) return `It was ended by ${signal}${truncated ? ': it wrote too much' : ''}.`;
  return code === 0 ? undefined : `It failed with exit code ${code}.`;
}
