/** Writes the lists of docs/configuration.md from the schema of the configuration: npm run settings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { configSchema } from '../src/config/schema.ts';

const PAGE = join(import.meta.dirname, '..', 'docs/configuration.md');

/** A list stands below a comment that names the settings it holds. */
const LIST = /^(<!-- settings: (.*) -->\n)(?:- .*\n)*/gm;

export const settingsPage = (page: string): string =>
  page.replace(LIST, (_list, mark: string, names: string) => {
    const items = names.split(' ').flatMap((name) => itemsOf(partOf(configSchema, name), name));
    return `${mark}${items.join('')}`;
  });

function partOf(schema: typeof configSchema, name: string): z.core.$ZodType {
  const part = Object.entries(schema.shape).find(([key]) => key === name)?.[1];
  if (part === undefined) throw new Error(`docs/configuration.md names a setting that is not there: ${name}`);
  return part;
}

/** A setting with a description is an item; one without is a section, whose settings are items. `each` stands for a key that people choose. */
function itemsOf(schema: z.core.$ZodType, path: string, each = 'NAME'): string[] {
  const about = z.globalRegistry.get(schema);
  const name = typeof about?.each === 'string' ? about.each : each;
  if (about?.description !== undefined) return [`- \`${path}\`${defaultOf(schema)}: ${about.description}\n`];
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.core.$ZodType>(schema.shape).flatMap(([key, part]) => itemsOf(part, `${path}.${key}`));
  }
  if (schema instanceof z.ZodRecord) return itemsOf(schema.valueType, `${path}.${name}`);
  if (schema instanceof z.ZodArray) return itemsOf(schema.element, `${path}.N`);
  const inner = innerOf(schema);
  if (inner === undefined) throw new Error(`${path} has no description`);
  return itemsOf(inner, path, name);
}

function defaultOf(schema: z.core.$ZodType): string {
  if (schema instanceof z.ZodDefault) {
    const value: unknown = schema.def.defaultValue;
    return ` (\`${typeof value === 'string' ? value : JSON.stringify(value)}\`)`;
  }
  const inner = innerOf(schema);
  return inner === undefined ? '' : defaultOf(inner);
}

/** The schema within one that adds a default, leaves it out or changes a value on its way. */
function innerOf(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodPipe) return schema.in instanceof z.ZodTransform ? schema.out : schema.in;
  const isAround = schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional;
  return isAround || schema instanceof z.ZodExactOptional ? schema.def.innerType : undefined;
}

if (import.meta.main) writeFileSync(PAGE, settingsPage(readFileSync(PAGE, 'utf8')));
