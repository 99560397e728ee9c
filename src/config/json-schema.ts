/** Makes JSON Schemas of the configuration and of agents, for editors. They accept what the loader does, and no unknown key. */
import { z } from 'zod';
import { channelKinds } from '../channels/index.ts';
import { isRecord } from '../lib/json.ts';
import { innermost } from './describe.ts';
import { agentSchema, configSchemaWith } from './schema.ts';

type Schema = z.core.JSONSchema.JSONSchema;

/** A value that comes from the environment: any setting may be one, but none of an agent. */
const REFERENCE: Schema = { type: 'string', pattern: String.raw`\$\{[A-Za-z_]` };
/** Preset values that the loader converts to the type of the setting. */
const NUMBER_TEXT: Schema = { type: 'string', pattern: String.raw`^-?\d+(\.\d+)?$` };

/** Returns the schema of a configuration, with the channels that are known. */
export async function jsonSchema(): Promise<Schema> {
  const made = schemaOf(await configSchemaWith(), [REFERENCE]);
  const properties = made.properties ?? {};
  allowPlugins(sectionIn(properties.channels));
  const { additionalProperties: _closed, $schema, ...rest } = made;
  return {
    $schema,
    title: 'Configuration of an OpenViber gateway',
    ...rest,
    // A feature from outside brings a section of its own name.
    if: { required: ['plugins'] },
    else: { propertyNames: { enum: ['$schema', ...Object.keys(properties)] } },
  } as Schema;
}

/** Returns the schema of `agents/ID.yaml`. */
export function agentJsonSchema(): Schema {
  const { $schema, ...rest } = schemaOf(agentSchema, []);
  return { $schema, title: 'An agent of an OpenViber gateway', ...rest } as Schema;
}

/** @param elsewhere the forms of a value that isn't in the file itself */
const schemaOf = (schema: z.ZodType, elsewhere: readonly Schema[]) =>
  z.toJSONSchema(schema, {
    target: 'draft-7',
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    // The root stays an object.
    override: ({ zodSchema, jsonSchema: own, path }) => path.length > 0 && loosen(zodSchema, own, elsewhere),
  });

/** Changes a part in place, as the library wants it. */
function loosen(schema: z.core.$ZodType, own: Schema, elsewhere: readonly Schema[]): void {
  for (const key of ['each', 'live']) Reflect.deleteProperty(own, key);
  // Links lead to pages beside docs/configuration.md.
  if (own.description !== undefined) own.description = own.description.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1');
  // Defaults of whole sections repeat those of their settings.
  if (isRecord(own.default)) Reflect.deleteProperty(own, 'default');
  const more = alternatives(schema, own, elsewhere);
  if (more.length === 0) return;
  const { description, default: usual, anyOf, ...rest } = own;
  const all = [...(anyOf ?? [schema instanceof z.ZodString ? textPattern(rest) : rest]), ...more];
  for (const key of Object.keys(own)) Reflect.deleteProperty(own, key);
  Object.assign(own, {
    ...(description !== undefined && { description }),
    ...(usual !== undefined && { default: usual }),
    anyOf: all,
  });
}

/** Returns the other forms in which the loader accepts a value. */
function alternatives(schema: z.core.$ZodType, own: Schema, elsewhere: readonly Schema[]): Schema[] {
  if (schema instanceof z.ZodObject) return [{ type: 'null' }];
  if (schema instanceof z.ZodNumber) return [NUMBER_TEXT, ...elsewhere];
  if (schema instanceof z.ZodBoolean) return [{ enum: ['true', 'false'] }, ...elsewhere];
  if (schema instanceof z.ZodEnum) {
    const values: readonly unknown[] = own.enum ?? [];
    const isSwitch = values.includes('on') && values.includes('off');
    return [...(isSwitch ? [{ type: 'boolean' as const }] : []), ...elsewhere];
  }
  if (schema instanceof z.ZodString && own.pattern !== undefined) return [...elsewhere];
  if (!(schema instanceof z.ZodPipe) || !(schema.in instanceof z.ZodTransform)) return [];
  const base = innermost(schema.out);
  if (base instanceof z.ZodString) return [{ type: 'integer' }];
  if (base instanceof z.ZodArray) return [{ type: 'string' }];
  return base instanceof z.ZodObject ? [{ type: ['integer', 'string'] as never }] : [];
}

/** A pattern with the classes of Unicode needs a flag that a schema can't carry. */
function textPattern({ pattern, ...rest }: Schema): Schema {
  return pattern === undefined || pattern.includes(String.raw`\p{`) ? rest : { ...rest, pattern };
}

/** Channels from packages name their module; tokens of built-in ones may come from the environment. */
function allowPlugins(channels: Schema | undefined): void {
  if (!channels) return;
  channels.additionalProperties = { type: 'object', required: ['module'], properties: { module: { type: 'string' } } };
  for (const { name, variables = {} } of channelKinds()) {
    const section = sectionIn(channels.properties?.[name]);
    if (section?.required) section.required = section.required.filter((key) => !Object.hasOwn(variables, key));
  }
}

/** Returns the part of a schema that has keys. */
function sectionIn(schema: Schema | boolean | undefined): Schema | undefined {
  if (typeof schema !== 'object') return undefined;
  return schema.type === 'object' ? schema : sectionIn(schema.anyOf?.[0]);
}
