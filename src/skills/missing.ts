/** Finds a missing program or package in the error output of a program, and tells how to install it. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Language, venvCommand } from './program.ts';
import type { Skill } from './skill.ts';

export function missingHint(said: string, language: Language, skill: Skill): string | undefined {
  const [, python] = /(?:ModuleNotFoundError|ImportError): No module named '?([\w.]+)/.exec(said) ?? [];
  if (language === 'Python' && python) return pythonHint(python.split('.')[0] ?? python, skill);
  const [, node] = /Cannot find (?:module|package) '([^'./][^']*)'/.exec(said) ?? [];
  if (language === 'JavaScript' && node) {
    const name = node
      .split('/')
      .slice(0, node.startsWith('@') ? 2 : 1)
      .join('/');
    return `There is no package ${name} here. A person installs it beside the skill: npm install --prefix ${skill.folder ?? ''} ${name}`;
  }
  const [, program] =
    /(?:No such file or directory: '|spawn(?:Sync)? )([\w.+-]{1,64})(?:'| ENOENT)/.exec(said) ??
    /(?:^|\n)[^\n]*?:(?: line \d+:| \d+:)? ?([\w.+-]{1,64}): (?:command )?not found/.exec(said) ??
    [];
  return program && !program.includes('.')
    ? `There is no program ${program} that it can see. A person installs it for the whole system (below /usr).`
    : undefined;
}

function pythonHint(name: string, skill: Skill): string {
  const list = ['requirements.txt', 'scripts/requirements.txt'].find((each) =>
    existsSync(path.join(skill.folder ?? '', each)),
  );
  const what = list ? `-r ${path.join(skill.folder ?? '', list)}` : name;
  return `Python has no package ${name} here. A person gives the skill its own: ${venvCommand(skill).replace('PACKAGE', what)}`;
}
