/**
 * The parameters of a skill: their valid names, the schema of a call, and the variables its script gets (promise 54).
 */
import { z } from 'zod';
import { UserError } from '../errors.ts';
import { isRecord } from '../lib/json.ts';
import { expects } from '../messages/expects.ts';
import { say, type Wording } from '../messages/messages.ts';
import { invalidKey } from './invalid-key.ts';

type Scalar = string | number | boolean;

export interface SkillParameter {
  /** The name the model sees, such as `dry-run`. */
  name: string;
  /** The script's variable, such as `dry_run`. */
  variable: string;
  type: 'string' | 'number' | 'boolean';
  description: string;
  required: boolean;
  default?: Scalar;
  enum?: Scalar[];
}

const MAX_PARAMETERS = 32;
/** Bytes. On Linux an environment variable may have 128 KB. */
const MAX_VALUE = 100 * 1024;
/** Bytes of all parameters together: arguments and environment share 2 MB. */
const MAX_VALUES = 1024 * 1024;

/** Variables that change what the shell, the loader or a common program does. Compared without regard to case. */
const RESERVED = new Set(
  [
    'path home ifs env bash_env shellopts bashopts ps1 ps2 ps3 ps4 prompt_command cdpath globignore posixly_correct',
    'pwd oldpwd shell lang language tz term termcap tmpdir tmp temp user logname hostname mail',
    'editor visual pager manpager lessopen lessclose browser skill_dir',
    'http_proxy https_proxy ftp_proxy all_proxy no_proxy',
    'classpath java_tool_options _java_options jdk_java_options makeflags makefiles mflags kubeconfig',
    'gconv_path locpath nlspath hostaliases localdomain res_options resolv_host_conf glibc_tunables',
    'tar_options viminit exinit perllib awkpath awklibpath ripgrep_config_path svn_ssh cvs_rsh psqlrc emacsloadpath',
    'java_home maven_opts gradle_opts ant_opts tcllibpath ocamlrunparam netrc',
    'goflags gopath goroot goenv goproxy wgetrc inputrc curl_home gnupghome zdotdir fpath',
  ].flatMap((names) => names.split(' ')),
);
const FAMILIES =
  /^(git_|ld_|dyld_|bash_|node_|npm_|python|perl5|perl_|ruby|gem_|bundle_|ssh_|ssl_|openssl_|curl_|lc_|xdg_|dbus_|docker_|aws_|cargo_|rust|lua_|php_|phprc|malloc_|sudo_|openviber_|nix_|deno_|bun_|pip_|uv_|yarn_|pnpm_|rsync_|magick_|__)/i;
/** Variables that the shell computes or obeys. Case matters: `lines` is a good name for a parameter. */
const OF_THE_SHELL =
  /^(_|UID|EUID|GROUPS|PPID|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH\w+|COLUMNS|LINES|TMOUT|IGNOREEOF|OPT(IND|ARG|ERR)|HIST\w*|MAIL(PATH|CHECK)|FUNCNAME|DIRSTACK|PIPESTATUS|REPLY|FCEDIT|FIGNORE|EXECIGNORE|TIMEFORMAT|COMP_\w+|COMPREPLY|COPROC|MAPFILE|READLINE_\w+|HOSTFILE|HOSTTYPE|MACHTYPE|OSTYPE|SHLVL|auto_resume|histchars)$/;

const scalar = z.union([z.string(), z.number(), z.boolean()], expects('skillFiles.scalar'));
const definition = z.strictObject(
  {
    type: z.enum(['string', 'number', 'boolean'], expects('skillFiles.parameterType')),
    description: z.string(expects('expected.text')).max(1024, expects('skillFiles.longText')).default(''),
    required: z.boolean(expects('expected.flag')).default(false),
    default: scalar.nullish(),
    enum: z
      .array(scalar, expects('expected.list'))
      .min(1, expects('skillFiles.emptyList'))
      .max(100, expects('skillFiles.longList'))
      .nullish(),
  },
  {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? expects('skillFiles.parameterKey', { key: issue.keys[0] ?? '' })
        : expects('skillFiles.parameter'),
  },
);

/**
 * Reads the `parameters` of a front matter; undefined or null means none.
 * @param taken variables that the skill gets otherwise
 * @throws UserError naming the parameter
 */
export function readParameters(value: unknown, taken: readonly string[]): SkillParameter[] {
  if (value === undefined || value === null) return [];
  if (!isRecord(value)) throw new UserError(say('skillFiles.parameters'));
  const entries = Object.entries(value);
  if (entries.length > MAX_PARAMETERS) throw new UserError(say('skillFiles.manyParameters', { n: MAX_PARAMETERS }));
  const seen = new Set<string>();
  return entries.map(([name, raw]) => {
    const variable = variableOf(name, taken);
    if (seen.has(variable.toLowerCase())) throw refused(name, say('skillFiles.parameterTwice'));
    seen.add(variable.toLowerCase());
    const parsed = definition.safeParse(raw);
    if (!parsed.success) throw invalidKey(parsed.error, 'parameters', name);
    const { default: fallback, enum: values, ...rest } = parsed.data;
    const parameter: SkillParameter = { name, variable, ...rest };
    if (values) parameter.enum = values;
    for (const one of values ?? []) checkValue(parameter, 'enum', one);
    if (fallback !== undefined && fallback !== null) {
      checkValue(parameter, 'default', fallback);
      parameter.default = fallback;
    }
    return parameter;
  });
}

function variableOf(name: string, taken: readonly string[]): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$|^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 64) {
    throw new UserError(say('skillFiles.parameterName', { name: name.slice(0, 80) }));
  }
  const variable = name.replaceAll('-', '_');
  if (isReserved(variable)) throw refused(name, say('skillFiles.reservedVariable'));
  if (taken.includes(variable)) throw refused(name, say('skillFiles.requiredVariable'));
  return variable;
}

/**
 * Returns whether a variable of this name would change what the shell or its programs do, or is a key of every object.
 */
export function isReserved(variable: string): boolean {
  return (
    variable in {} || RESERVED.has(variable.toLowerCase()) || FAMILIES.test(variable) || OF_THE_SHELL.test(variable)
  );
}

function checkValue(parameter: SkillParameter, key: string, value: Scalar): void {
  if (!schemaOf(parameter).safeParse(value).success)
    throw refused(`${parameter.name}.${key}`, say('skillFiles.badValue'));
}

const refused = (name: string, what: Wording): UserError =>
  new UserError(say('common.about', { name: `parameters.${name}`, what }));

const text = z
  .string()
  .refine((value) => !value.includes('\0'), 'a text must not contain NUL')
  .refine((value) => value.isWellFormed(), 'a text must be valid Unicode')
  .refine((value) => Buffer.byteLength(value) <= MAX_VALUE, `a text must not be longer than ${MAX_VALUE / 1024} KB`);

function schemaOf({ type, enum: values }: SkillParameter): z.ZodType<Scalar> {
  const base = { string: text, number: z.number(), boolean: z.boolean() }[type];
  const all = values?.every((value) => typeof value === type) ? values : undefined;
  return all ? z.literal(all) : base;
}

/**
 * Returns the schema of a call: only the parameters; texts at most 100 KB without NUL, numbers finite. Absent optional
 * ones get their default, or stay absent.
 */
export function toInputSchema(skill: { parameters: readonly SkillParameter[] }): z.ZodType<Record<string, Scalar>> {
  const shape = new Map<string, z.ZodType<Scalar>>();
  for (const parameter of skill.parameters) {
    const described = parameter.description ? schemaOf(parameter).describe(parameter.description) : schemaOf(parameter);
    const { default: fallback } = parameter;
    if (fallback !== undefined) shape.set(parameter.name, described.default(fallback));
    else shape.set(parameter.name, parameter.required ? described : described.exactOptional());
  }
  return z
    .strictObject(Object.fromEntries(shape))
    .refine((input) => inputBytes(input) <= MAX_VALUES, 'the texts together must not be longer than 1 MB');
}

function inputBytes(input: Readonly<Record<string, Scalar>>): number {
  return Object.values(input).reduce<number>((sum, value) => sum + Buffer.byteLength(String(value)), 0);
}

/** Returns a script's variables for a validated input; an absent parameter isn't set. */
export function toVariables(
  skill: { parameters: readonly SkillParameter[] },
  input: Readonly<Record<string, Scalar>>,
): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const { name, variable } of skill.parameters) {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value !== undefined) variables[variable] = String(value);
  }
  return variables;
}
