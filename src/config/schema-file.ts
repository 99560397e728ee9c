/**
 * Keeps `config.schema.json` beside a configuration that names it, and `agents.schema.json` above the home's agents, so
 * that editors complete and check them without the network: the path in the comment is relative to the file.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { errorCode, WorkspaceError } from '../errors.ts';
import { readTextSync, writeFileAtomic } from '../lib/files.ts';

const NAME = 'config.schema.json';
const AGENTS = 'agents.schema.json';
/** The comment that VS Code's YAML extension and other users of its language server read. */
export const SCHEMA_LINE = `# yaml-language-server: $schema=./${NAME}`;
const NAMED =
  /^#\s*yaml-language-server:\s*\$schema=(\.\/)?config\.schema\.json\s*$|^\s*"\$schema":\s*"(\.\/)?config\.schema\.json"/m;

/**
 * Writes the schemas of this version if the configuration names its own. An agent may be written at any time, so its
 * schema is there before. A folder that can't be written goes without.
 */
export async function keepSchemas(file: string, home: string): Promise<void> {
  if (!NAMED.test(readTextSync(file)?.slice(0, 4096) ?? '')) return;
  const { agentJsonSchema, jsonSchema } = await import('./json-schema.ts');
  await keep(path.join(path.dirname(file), NAME), await jsonSchema());
  if (existsSync(path.join(home, 'agents'))) await keep(path.join(home, AGENTS), agentJsonSchema());
}

async function keep(file: string, schema: object): Promise<void> {
  const text = `${JSON.stringify(schema, null, 2)}\n`;
  if (readTextSync(file) === text) return;
  try {
    await writeFileAtomic(file, text);
  } catch (error) {
    const code = errorCode(error instanceof WorkspaceError ? error.cause : error) ?? '';
    // A configuration from a read-only mount is edited elsewhere.
    if (!['EACCES', 'EPERM', 'EROFS'].includes(code)) throw error;
  }
}
