/** What tests of skills share: a temporary folder, a skill from a text, its script run as the gateway would. */
import { mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toInputSchema, toVariables } from '../../src/skills/parameters.ts';
import { runScript, type ScriptOrder, type ScriptResult } from '../../src/skills/script.ts';
import { parseSkill, type Skill } from '../../src/skills/skill.ts';
import { tempFolder } from '../helpers/temp.ts';

export const FIXTURES = path.join(import.meta.dirname, '..', 'fixtures', 'skills');

/** Removed when the test ends. */
export function folder(): string {
  return realpathSync(tempFolder());
}

export function write(file: string, text: string): string {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

export function skillOf(text: string, options: { file?: string; reserved?: string[] } = {}): Skill {
  const { file = '/skills/sample/SKILL.md', reserved = [] } = options;
  return parseSkill(text, { file, level: 'user', reserved: new Set(reserved) });
}

/** A skill file with this front matter below name and description. */
export function skillText(front: string, body = 'echo done', name = 'sample'): string {
  return `---\nname: ${name}\ndescription: Does something.\n${front}${front && !front.endsWith('\n') ? '\n' : ''}---\n${body}\n`;
}

/** Through the schema and the runner, as a tool call is. */
export function call(
  skill: Skill,
  input: Record<string, unknown>,
  order: Partial<ScriptOrder> & { cwd: string },
): Promise<ScriptResult> {
  if (!skill.script) throw new Error('no tool');
  const variables = toVariables(skill, toInputSchema(skill).parse(input));
  return runScript({ script: skill.script, variables, network: skill.network, ...order });
}

export function run(text: string, order: Partial<ScriptOrder> & { cwd: string }): Promise<ScriptResult> {
  return runScript({ script: { shell: 'sh', text }, variables: {}, ...order });
}

/** Processes whose command line holds this text, on the whole machine. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text);
    } catch {
      return false; // it has ended
    }
  });
}

/** A duration that no other process has in its command line. */
export const uniqueSleep = () => `3${Math.random().toFixed(9).slice(2)}`;
