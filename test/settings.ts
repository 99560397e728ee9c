/** Writes the lists of docs/configuration.md, config.schema.json and agents.schema.json from what reads the files: npm run settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { describeSettings, type SettingInfo } from '../src/config/describe.ts';
import { agentJsonSchema, jsonSchema } from '../src/config/json-schema.ts';
import { configSchema } from '../src/config/schema.ts';

const PAGE = join(import.meta.dirname, '..', 'docs/configuration.md');
/** The schemas that are shipped, by file. */
export const schemas = async () => ({
  'config.schema.json': await jsonSchema(),
  'agents.schema.json': agentJsonSchema(),
});

/** A list stands below a comment that names the settings it holds. */
const LIST = /^(<!-- settings: (.*) -->\n)(?:- .*\n)*/gm;

export const settingsPage = (page: string): string =>
  page.replace(LIST, (_list, mark: string, names: string) => {
    const items = names
      .split(' ')
      .flatMap((name) => describeSettings(partOf(configSchema, name), { path: [name], shown: name, each: 'NAME' }));
    return `${mark}${items.map(itemOf).join('')}`;
  });

function partOf(schema: typeof configSchema, name: string): z.core.$ZodType {
  const part = Object.entries(schema.shape).find(([key]) => key === name)?.[1];
  if (part === undefined) throw new Error(`docs/configuration.md names a setting that is not there: ${name}`);
  return part;
}

function itemOf({ shown, usual, about, isLive }: SettingInfo): string {
  if (about === undefined) throw new Error(`${shown} has no description`);
  const value = usual === undefined ? '' : ` (\`${typeof usual === 'string' ? usual : JSON.stringify(usual)}\`)`;
  return `- \`${shown}\`${isLive ? '*' : ''}${value}: ${about}\n`;
}

if (import.meta.main) {
  writeFileSync(PAGE, settingsPage(readFileSync(PAGE, 'utf8')));
  for (const [name, schema] of Object.entries(await schemas()))
    writeFileSync(join(import.meta.dirname, '..', name), `${JSON.stringify(schema, null, 2)}\n`);
}
