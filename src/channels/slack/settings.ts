/** Defines the section `channels.slack`. */
import {
  apiRoot,
  chat,
  chatDefaults,
  expects,
  id,
  oneOf,
  path,
  section,
  text,
  token,
} from '../../config/schema-parts.ts';
import type { ConfigProblem } from '../../errors.ts';
import type { Section } from '../kind.ts';

/** The defaults. The mode follows from the secrets: `socket` if there is an app token, otherwise `http`. */
export const slackDefaults = {
  ...chatDefaults,
  apiRoot: 'https://slack.com/api/',
  command: '/viber',
  path: '/webhooks/slack',
};

export const settings = section({
  botToken: token('the bot token of the installed app (xoxb-...)', 'SLACK_BOT_TOKEN'),
  /** Always set in mode `socket`. */
  appToken: token('the app-level token (xapp-...)', 'SLACK_APP_TOKEN').exactOptional(),
  /** Always set in mode `http`. */
  signingSecret: token("the app's signing secret", 'SLACK_SIGNING_SECRET').exactOptional(),
  mode: oneOf('socket', 'http').exactOptional(),
  apiRoot: apiRoot('SLACK_API_ROOT', '/').default(slackDefaults.apiRoot),
  /** The slash command as the app declares it. */
  command: text(expects('expected.slashCommand'), /^\/[^\s/]{1,31}$/).default(slackDefaults.command),
  path: path.default(slackDefaults.path),
  ...chat(
    id(expects('expected.slackPerson'), /^[A-Z][A-Z0-9]{0,31}$/),
    id(expects('expected.slackChannel'), /^([A-Z][A-Z0-9]{0,31}|\*)$/),
  ),
}).transform((slack) => {
  // `rules` has refused a mode without its secret.
  const mode: 'socket' | 'http' = slack.mode ?? (slack.appToken === undefined ? 'http' : 'socket');
  return { ...slack, mode };
});

const VARIABLES = { appToken: 'SLACK_APP_TOKEN', signingSecret: 'SLACK_SIGNING_SECRET' } as const;

export function rules(section: Section): ConfigProblem[] {
  const { mode } = section;
  const has = (key: keyof typeof VARIABLES) => section[key] !== undefined;
  const missing = (key: keyof typeof VARIABLES, why: string): ConfigProblem[] => [
    {
      path: key,
      message: `${why}, here or as ${VARIABLES[key]} in the environment`,
      variable: VARIABLES[key],
    },
  ];
  if (mode === 'socket' && !has('appToken')) return missing('appToken', 'is required because mode is socket');
  if (mode === 'http' && !has('signingSecret')) return missing('signingSecret', 'is required because mode is http');
  return mode === undefined && !has('appToken') && !has('signingSecret')
    ? missing('appToken', 'is required (or signingSecret, for requests over HTTP)')
    : [];
}
