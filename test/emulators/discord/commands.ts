/**
 * Application commands: which may be registered, and which are registered.
 * https://discord.com/developers/docs/interactions/application-commands
 */
import { badLength, invalid, refuse, wrongChoice } from './errors.ts';
import { type Fields, flag, integer, isObject, lengthOf, list, textBetween } from './fields.ts';
import { snowflake } from './snowflake.ts';

const NAME = /^[-_'\p{L}\p{N}\p{Script=Devanagari}\p{Script=Thai}]{1,32}$/u;
const SUBCOMMAND = 1;
const GROUP = 2;
const MAX_COMMANDS = 100;
const MAX_TEXT = 8000;

function checkName(fields: Fields, path: string, isSlash = true): string {
  const name = textBetween(fields, 'name', 1, 32, `${path}name`);
  if (isSlash && (!NAME.test(name) || name !== name.toLowerCase())) {
    throw invalid(`${path}name`, 'APPLICATION_COMMAND_INVALID_NAME', 'Command name is invalid');
  }
  return name;
}

function checkChoices(option: Fields, path: string): number {
  const choices = list(option, 'choices', 25, `${path}choices`);
  if (choices.length > 0 && option.autocomplete === true) {
    throw invalid(
      path.slice(0, -1),
      'APPLICATION_COMMAND_AUTOCOMPLETE_CHOICES',
      'Choices may not be given with autocomplete',
    );
  }
  let size = 0;
  for (const [index, choice] of choices.entries()) {
    size += lengthOf(textBetween(choice, 'name', 1, 100, `${path}choices.${index}.name`));
    if (option.type === 3) size += lengthOf(textBetween(choice, 'value', 1, 100, `${path}choices.${index}.value`));
  }
  return size;
}

/** Those of https://discord.com/developers/docs/reference#locales that tests use. */
const LOCALES = new Set(['de', 'en-GB', 'en-US', 'es-ES', 'es-419', 'fr', 'it', 'pl', 'ja', 'ko', 'zh-CN']);

function checkLocalizations(fields: Fields, path: string): void {
  const given = fields.description_localizations ?? {};
  for (const [locale, text] of Object.entries(isObject(given) ? given : {})) {
    const at = `${path}description_localizations`;
    if (!LOCALES.has(locale)) throw invalid(at, 'DICT_TYPE_KEY_INVALID', `Unknown locale ${locale}`);
    if (typeof text !== 'string' || text.length < 1 || text.length > 100)
      throw invalid(`${at}.${locale}`, 'BASE_TYPE_BAD_LENGTH', 'Must be between 1 and 100 in length.');
  }
}

/** Checks options and counts their text. `depth` 0 means the command's own options. */
function checkOptions(fields: Fields, path: string, depth: number): number {
  const options = list(fields, 'options', 25, `${path}options`);
  const names = new Set<string>();
  let size = 0;
  let hadOptional = false;
  for (const [index, option] of options.entries()) {
    const at = `${path}options.${index}.`;
    const type = integer(option, 'type', `${at}type`) ?? 0;
    if (type < 1 || type > 11) throw wrongChoice(`${at}type`, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    const isNested = type === SUBCOMMAND || type === GROUP;
    const isMisplaced = isNested && (depth > 1 || (type === GROUP && depth > 0));
    const isInGroup = fields.type === GROUP && depth === 1;
    const isMixed =
      (isInGroup && type !== SUBCOMMAND) ||
      isNested !== (options[0]?.type === SUBCOMMAND || options[0]?.type === GROUP);
    if (isMisplaced || isMixed) {
      throw invalid(
        `${at}type`,
        'APPLICATION_COMMAND_OPTIONS_TYPE_INVALID',
        'Sub-command and sub-command group option types are mutually exclusive to all other types',
      );
    }
    const name = checkName(option, at);
    if (names.has(name)) {
      throw invalid(`${path}options`, 'APPLICATION_COMMAND_OPTIONS_NAME_ALREADY_EXISTS', 'Option name already exists');
    }
    names.add(name);
    if (!isNested && option.required === true && hadOptional) {
      throw invalid(
        at.slice(0, -1),
        'APPLICATION_COMMAND_OPTIONS_REQUIRED_INVALID',
        'Required options must be placed before non-required options',
      );
    }
    hadOptional ||= option.required !== true;
    size += lengthOf(name) + lengthOf(textBetween(option, 'description', 1, 100, `${at}description`));
    checkLocalizations(option, at);
    if (type === GROUP && list(option, 'options', 25, `${at}options`).length === 0)
      throw badLength(`${at}options`, 1, 25);
    size += isNested ? checkOptions(option, at, depth + 1) : checkChoices(option, at);
  }
  return size;
}

/** Throws 50035 for a command that may not be registered. */
function checkCommand(fields: Fields): void {
  const type = integer(fields, 'type', 'type') ?? 1;
  const name = checkName(fields, '', type === 1);
  if (type !== 1) {
    if (fields.description) throw badLength('description', 0, 0);
    return;
  }
  const description = textBetween(fields, 'description', 1, 100, 'description');
  flag(fields, 'nsfw');
  checkLocalizations(fields, '');
  const size = lengthOf(name) + lengthOf(description) + checkOptions(fields, '', 0);
  if (size > MAX_TEXT) {
    throw invalid('options', 'APPLICATION_COMMAND_TOO_LARGE', `Command exceeds maximum size (${MAX_TEXT})`);
  }
}

export interface Commands {
  /** Registers a command, replacing one with the same name. */
  upsert(fields: Fields): Fields;
  list(): Fields[];
  /** Returns the command that a person is offered under this name. */
  find(name: string): Fields | undefined;
  writes(): number;
  resetCounts(): void;
}

/** Those of the application; commands of a single guild are never registered. */
export function createCommands(applicationId: string): Commands {
  const registered = new Map<string, Fields>();
  let writes = 0;

  function complete(fields: Fields, known: Fields | undefined): Fields {
    const defaults = {
      type: 1,
      description: '',
      default_member_permissions: null,
      dm_permission: true,
      contexts: null,
      nsfw: false,
      integration_types: [0],
    };
    const ids = { id: known?.id ?? snowflake(), application_id: applicationId, version: snowflake() };
    return { ...defaults, ...fields, ...ids };
  }

  return {
    upsert(fields) {
      writes += 1;
      checkCommand(fields);
      const key = `${fields.type ?? 1} ${fields.name}`;
      const known = registered.get(key);
      if (!known && registered.size >= MAX_COMMANDS) throw refuse(30_032);
      const command = complete(fields, known);
      registered.set(key, command);
      return command;
    },
    list: () => [...registered.values()],
    find: (name) => registered.get(`1 ${name}`),
    writes: () => writes,
    resetCounts() {
      writes = 0;
    },
  };
}
