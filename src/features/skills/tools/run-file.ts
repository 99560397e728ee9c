/**
 * `run_skill_file`: runs a program of a bundle, only in the sandbox. It works in a folder of the task and sees the
 * skill's own folder; consent covers this version of the skill. After a crash its effects are unknown, so an
 * interrupted call is reported.
 */
import { existsSync, lstatSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { errorCode, UserError } from '../../../errors.ts';
import { type HeldFolder, PathRefused, useFolder } from '../../../lib/files/below.ts';
import { sentences } from '../../../messages/messages.ts';
import { defineTool } from '../../../runtime/contract/tool.ts';
import type { ToolScope } from '../../../runtime/contract/tool-scope.ts';
import { artifactNamed } from '../../../runtime/tools/paths.ts';
import { missingHint } from '../../../skills/missing.ts';
import { programOf, type SkillProgram } from '../../../skills/program.ts';
import type { Skill } from '../../../skills/skill.ts';
import { openTask } from '../../../workspace/tasks/index.ts';
import { skillNamed } from './read-skill.ts';
import type { FileDeps, SkillRun } from './run.ts';
import { givenText, notKept, scriptResultForModel } from './script.ts';
import { versionOf } from './version.ts';
import { inWorkFolder, type WorkFolder, workFolder } from './work-folder.ts';
import { keepWritten, snapshotOf } from './written-files.ts';

const MAX_ARGS = 64;
const MAX_ARG = 8_000;
const MAX_STDIN = 1_000_000;
const MAX_LISTED = 40;
const NO_SANDBOX =
  'Programs of skills run in a sandbox only, and there is none on this machine: a person installs bubblewrap (Linux). Do not try again.';

const word = z
  .string()
  .max(MAX_ARG)
  .refine((text) => !text.includes('\0') && text.isWellFormed(), 'no text');
const input = z.object({
  skill: z.string(),
  file: z.string(),
  args: z.array(word).max(MAX_ARGS).exactOptional(),
  stdin: z.string().max(MAX_STDIN).exactOptional(),
});

function programNamed(
  given: { skill: string; file: string },
  { skills }: SkillRun,
): { skill: Skill; program: SkillProgram } {
  const skill = skillNamed(skills, given.skill);
  return { skill, program: programOf(skill, given.file) };
}

/**
 * Returns how programs run.
 * @throws UserError if they can't, so that nobody is asked for consent to them
 */
function sandboxed({ programs }: SkillRun): FileDeps {
  if (!programs?.isSandboxed) throw new UserError(NO_SANDBOX);
  return programs;
}

export const runSkillFile = defineTool({
  name: 'run_skill_file',
  describe: ({ programs }: SkillRun) =>
    programs &&
    'Run a program of a skill (py, js, sh) in the folder work/ of this task. args may name files there or artifacts. What it writes there is attached; what is in subfolders is read and written as work/NAME.',
  doing: 'doing.skillProgram',
  like: 'bash',
  about: { argument: 'file', doing: 'doing.skillProgramThis' },
  ofSkills: true,
  input,
  effect: 'external',
  beginsLate: true,
  consent: 'effects',
  isOutside(given, run) {
    sandboxed(run);
    programNamed(given, run);
    workFolder(run.scope, undefined);
    return true;
  },
  kindOf(given, run) {
    const { skill, program } = programNamed(given, run);
    const { hasNetwork, grantedTo } = sandboxed(run);
    const place = [program.name, hasNetwork(skill) ? 'network' : '', ...Object.keys(grantedTo(skill)).sort()];
    return `${program.name} of ${skill.name}, version ${versionOf(skill, place)}`;
  },
  shows: ({ args = [] }, { scope }) => Promise.all(args.map((arg) => argumentStamp(arg, scope))),
  asks(given, _run, { messages, plain }) {
    const { args = [] } = given;
    const about = { name: plain(given.skill), file: plain(given.file) };
    const what = args.slice(0, 8).map((each) => plain(each, 120));
    const text =
      args.length === 0
        ? messages.text('consent.runSkillFile', about)
        : messages.text('consent.runSkillFileWith', { ...about, what: messages.list(what) });
    return { text };
  },
  noteFor(given, run, messages) {
    const { skill } = programNamed(given, run);
    const { hasNetwork, grantedTo } = sandboxed(run);
    const reach = { network: hasNetwork(skill) ? 'yes' : 'no', folder: skill.folder ?? skill.name };
    return sentences(messages.text('details.program', reach), givenText(grantedTo(skill), messages));
  },
  codeFor: (given, run) => programNamed(given, run).program.text,
  async execute(given, run, options) {
    const { hasSandbox } = await import('../../../skills/script.ts');
    const deps = sandboxed(run);
    // The sandbox may be gone since the tool was offered.
    if (!(await hasSandbox())) throw new UserError(NO_SANDBOX);
    const { skill, program } = programNamed(given, run);
    const { scope } = run;
    const { signal } = options;
    const work = (folder: WorkFolder) => runProgram(skill, program, given, { scope, work: folder, deps, signal });
    return inWorkFolder(scope, undefined, work, options);
  },
});

async function argumentStamp(arg: string, scope: ToolScope): Promise<string> {
  const artifact = await artifactNamed(scope, arg);
  if (artifact) return artifact.sha256;
  const { path: work } = workFolder(scope, undefined);
  const file = path.resolve(work, arg.replace(/^(?:\.\/)?work\//, ''));
  const stat = file.startsWith(`${work}/`) ? lstatSync(file, { throwIfNoEntry: false }) : undefined;
  return stat?.isFile() ? `${stat.size} ${stat.mtimeMs}` : '';
}

async function runProgram(
  skill: Skill,
  program: SkillProgram,
  { args = [], stdin }: z.infer<typeof input>,
  { scope, work, deps, signal }: { scope: ToolScope; work: WorkFolder; deps: FileDeps; signal: AbortSignal },
) {
  const { runScript } = await import('../../../skills/script.ts');
  const before = await snapshotOf(work);
  const timeoutMs = deps.timeoutMs(skill);
  const words = await Promise.all(args.map((arg) => argument(arg, skill, scope, work)));
  const result = await runScript({
    script: { shell: 'sh', text: '' },
    variables: {},
    granted: deps.grantedTo(skill),
    timeoutMs,
    signal,
    cwd: work.path,
    readable: work.files,
    network: deps.hasNetwork(skill),
    ...(skill.folder === undefined ? {} : { skillFolder: skill.folder }),
    program: {
      command: [...program.command, program.file, ...words],
      env: environment(skill),
      ...(stdin === undefined ? {} : { stdin: stdin.toWellFormed() }),
      ...(program.visible === undefined ? {} : { visible: program.visible }),
    },
  });
  const kept = await keepWritten(scope, work, before, isAtTop).catch(notKept);
  const after = await snapshotOf(work);
  const below = [...after].filter(([name, stamp]) => !isAtTop(name) && before.get(name) !== stamp);
  const said = `${result.stdout}\n${result.stderr}`;
  const hint = result.code === 0 ? undefined : missingHint(said, program.language, skill);
  return {
    ...scriptResultForModel(result, timeoutMs),
    ...(hint === undefined ? {} : { hint }),
    ...(kept.files.length > 0 ? { artifacts: kept.files } : {}),
    ...(below.length > 0 ? { written: firstNames(below.map(([name]) => `work/${name}`)) } : {}),
    ...(kept.left.length > 0 ? { notKept: firstNames(kept.left) } : {}),
  };
}

/** Files in subfolders that a program creates are for itself or for the next program. */
const isAtTop = (name: string): boolean => !name.includes('/');

const firstNames = (names: readonly string[]): string[] =>
  names.length > MAX_LISTED ? [...names.slice(0, MAX_LISTED), `... and ${names.length - MAX_LISTED} more`] : [...names];

/** Resolves an argument: a file of the work folder stays unchanged, the name or ID of an artifact becomes its path. */
async function argument(arg: string, skill: Skill, scope: ToolScope, work: WorkFolder): Promise<string> {
  const placed = arg.replace(/\{baseDir\}|\$\{(?:CLAUDE_)?SKILL_DIR\}/g, () => skill.folder ?? '');
  if (placed !== arg || arg.startsWith('-') || arg === '') return placed;
  const inWork = arg.replace(/^(?:\.\/)?work\//, '');
  if (inWork !== arg) return inWork;
  if (await standsIn(work, arg)) return arg;
  const artifact = await artifactNamed(scope, arg);
  return artifact
    ? path.join(work.files, path.basename(openTask(scope.home, scope.taskId).artifacts.pathOf(artifact)))
    : arg;
}

/** Returns whether the work folder has the file. Links don't count, and are not followed. */
async function standsIn(work: WorkFolder, arg: string): Promise<boolean> {
  const names = [path.basename(work.path), ...arg.split('/').filter((name) => name !== '' && name !== '.')];
  if (path.isAbsolute(arg) || names.includes('..') || names.length === 1) return false;
  try {
    const stat = (folder: HeldFolder) => folder.stat(names.at(-1) ?? '');
    return (await useFolder(work.files, names.slice(0, -1), stat)) !== undefined;
  } catch (error) {
    if (error instanceof PathRefused || errorCode(error) === 'ENAMETOOLONG') return false;
    throw error;
  }
}

/**
 * Lets modules be found from the bundle's root and from `scripts/`, as bundles import them; nothing is written beside
 * them.
 */
function environment({ folder = '' }: Skill): Record<string, string> {
  const own = path.join(folder, '.venv');
  return {
    PYTHONPATH: [folder, path.join(folder, 'scripts')].join(path.delimiter),
    PYTHONDONTWRITEBYTECODE: '1',
    ...(existsSync(own) ? { VIRTUAL_ENV: own } : {}),
    CLAUDE_SKILL_DIR: folder,
  };
}
