// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the syntax under test
/** What is secret in a configuration: one rule, tried on what people really write into theirs. */
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../src/cli/backup/without-secrets.ts';
import { isSecretName } from '../src/config/secret-names.ts';
import { masked } from '../src/config/secrets.ts';
import { configOf } from '../src/config.ts';
import { scrub } from '../src/log.ts';

const M = '[secret]';

type Settings = Record<string, unknown>;

function mapTexts(value: unknown, change: (text: string) => unknown): unknown {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapTexts(each, change)]));
}

/** In settings, `«...»` stands around what is secret, and `«#12»` is a number: as they are given, and as they may be shown. */
const given = (settings: Settings) =>
  mapTexts(settings, (text) => (/^«#\d+»$/.test(text) ? Number(text.slice(2, -1)) : text.replaceAll(/[«»]/g, '')));
const shown = (settings: Settings) => mapTexts(settings, (text) => text.replaceAll(/«[^»]*»/g, M));

/** A server by its command line; the words of further lines are arguments as well. */
function line(...lines: string[]): Settings {
  const [command, ...args] = lines.flatMap((each) => each.split(' '));
  return { command, args };
}
// biome-ignore format: a list is filled
const LOGINS = [
  '--basic', '--login', '--digest', '--account', '--username', '--ntlm', '--proxy-login', '-U', '--dsn-user',
];

// biome-ignore format: a row is a line
const SERVERS: [what: string, settings: Settings][] = [
  ['GitHub in a container', line('docker run -i --rm -e GITHUB_TOOLSETS=«repos» -e GITHUB_PERSONAL_ACCESS_TOKEN=«ghp-quoted-9» ghcr.io/github/github-mcp-server')],
  ['variables, whatever they are called', { ...line('npx -y @x/server@2025.4.8'), env: { FOO: '«plain-value»', NODE_ENV: '«production»', DATABASE_URL: '«postgres://h/db»', PIN: '«#1234»' } }],
  ['a database as an argument', line('npx -y @modelcontextprotocol/server-postgres postgresql://«alex»:«p%40ss%3Aword»@db.example.com:5432/shop?sslmode=«require»&password=«other»')],
  ['options with their values', line('mcp --api-key «abc» --token=«def» --port 8080 -k «ghi» --clientSecret «jkl» --verbose API_KEY=«mno» --key-file /etc/k.pem')],
  ['headers behind a bridge', { command: 'npx', args: ['mcp-remote', 'https://mcp.example.com/sse', '--header', 'Authorization: Bearer «abc.def»', '--header', 'X-Team:«red»', '--header', 'Accept: text/plain'] }],
  ['a line for a shell', { command: 'bash', args: ['-c', 'OPENAI_KEY="«a b»" node server.js --password «hunter2» --name alex; curl -H "Authorization: Bearer «zzz»" https://h/'] }],
  ['options that have their value in the same argument', { command: 'mcp', args: ['--header=Authorization: Bearer «abc»', '--header=Accept: text/plain', '-HX-Team: «red»', '--user=alex:«hunter2»', '-ualex:«hunter2»', '--env=FOO=«plain»', '-eFOO=«plain»', '--proxy-user', 'alex:«hunter2»', '--mode=fast', '-extra=1'] }],
  ['a line for a shell, whatever stands before the option', { command: 'sh', args: ['-c', "export MY_TOKEN=«one»; tool --token '«two»'; docker run -e FOO=«three» image:1 serve --port 8080; curl -u me:«four» -H 'X-Team: «five»' x; run --set TOKEN=«six»"] }],
  ['a command with its options in one text', { command: 'tool --token «hunter2» --port 80', args: [] }],
  ['a login without a scheme', line('x alex:«hunter2»@tcp(db:3306)/shop alex:«hunter2»@db.example.com:5432/shop //«alex»:«hunter2»@db/shop image:1.2@sha256:9f86d081 npm:pkg@1.2.3 git@github.com:a/b.git //db/shop http://localhost:8080')],
  ['JSON in an argument', { command: 'x', args: ['--config', '{"apiKey": "«k1»", "region":"eu", "auth_token":"«k2»"}'] }],
  ['JSON with variables and headers in an argument', { command: 'x', args: [
    '{"mcpServers": {"a": {"env": {"FOO": "«v1»", "N": «12»}, "headers": {"X-Any": "Bearer «v2»", "Accept": "text/plain"}, "args": ["--token", "«v3»", "-v"]}}, "pin": «4321», "otp":"«v4»", "region": "eu"}',
    '--config={"environment":{"FOO":"«a\\"b»"},"extraHeaders":{"X-Team":"«red»"}}',
    '{"sessions": 4, "pinned": true, "port": 8080}',
  ] }],
  ['short options with a value right behind them', line('mysql -uroot -p«hunter2» -p«S3cret!» -p«secret» -k«Abc123» -P «zipword» -P 3306')],
  ['short options that say nothing secret', line('x -p8080 -p8080:80 -p127.0.0.1:8080:80 -path -print0 -project=a -prod -port 80 -pv')],
  ['names without a sign before their value', line('x config set api_key «v1» accessToken «v2» DB_PASSWORD «v3» token «v4» auth login token create')],
  ['a pin, a code, a session', line('x --pin «1234» --otp=«987654» --session «abc» --session-id «def» --login-otp «55» PIN=«77» --sessions 4 --session-timeout 5')],
  ['all these in a line for a shell', { command: 'sh', args: ['-c', `mysql -uroot -p«hunter2» && tool --pin «1234» 'api_key' «v1» --config '{"env":{"A":"«v2»"}}'`] }],
  ['a connection string', { command: 'x', args: ['Server=db;User Id=alex;Password=«hunter2»;Database=shop'] }],
  ['a key that stands alone', line('x «9f8a7b6c5d4e3f2a1b0c» a-server-of-the-year-2024-11-05 modelContextProtocolServer')],
  ['a name and a password', line('curl -u alex:«hunter2» -p 8080:80')],
  ['an address with a key in its query', { url: 'https://mcp.tavily.com/mcp/?tavilyApiKey=«tvly-dev-123»&x=«1»', headers: { 'X-Any': '«v»', 'Content-Type': 'application/json' } }],
  ['an address with a key in its path', { url: 'https://mcp.zapier.com/api/mcp/s/«OGQ4ZDkxYTktZjRk»/mcp', headers: { Authorization: 'Bearer «abc»' } }],
  ['an address with somebody in it', { url: 'https://«glpat-key»@mcp.example.com/v1/tools#token=«abc»' }],
  ['variables and headers whose value is an argument of its own', line(
    'x mcp add a --env FOO «hunter2» -- npx y', 'mcp add b -e PIN «4321» --env-var BAR «hunter2»', 'env set FOO «hunter2» --define BAR «hunter2»',
    '--header «Accept» text/plain --env production serve', '--header «X-Team» «red» -e FOO -e BAR --port 80',
  )],
  ['variables that a container is only handed on', line('x run -i -e GITHUB_TOKEN ghcr.io/a/b:1', 'docker run --env FOO -e BAR mcp/fetch', 'run --env API_KEY «hunter2»')],
  ['variables of all kinds in a line and in JSON', { command: 'sh', args: ['-c', 'mcp add a --env FOO «hunter2»', '{"args":["-e","FOO","«hunter2»"]}'] }],
  ['options of other programs', line(
    'x /p:«hunter2» /password:«hunter2» /token «hunter2» --githubtoken «hunter2» --openaikey=«hunter2» --license «hunter2» --licence-no=«hunter2»',
    '--recovery-code «hunter2» --tokens «hunter2» --passwort «hunter2» --api-schlüssel=«hunter2» -p=«hunter2» --max-tokens 4096 --monkey a --hotkey=b',
  )],
  ['logins after every option that takes one', line(
    'x', ...LOGINS.map((option) => `${option} alex:«hunter2»`),
    '--basic=alex:«hunter2» --creds «alex:hunter2» --connect scott/«hunter2@ORCL» --user 1000:1000 --account org/team',
  )],
  ['what looks like a key after any option', line(
    'x -t «Ab3dEf9hIj2kLm» -t«Ab3dEf9hIj2kLm» --any=«Ab3dEf9hIj2kLm» -s «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»',
    '-t stdio -m claude-sonnet-4-20250514 -d northwind2024 -f src/myBigButton2/ofTheYear2024/index',
  )],
  ['variables and headers by other names', line(
    'x FOO=«hunter2» npx --environment FOO=«hunter2» --env-var FOO=«hunter2» --env FOO:«hunter2» --env.FOO=«hunter2» --env {"FOO":"«hunter2»"}',
    '--extra-header X-Team:«hunter2» --headers {"X-Team":"«hunter2»","Accept":"text/plain"} --header.X-Team «hunter2» -Dany.name=«hunter2»',
  )],
  ['addresses in other forms', line(
    'x jdbc:mysql://«alex»:«hunter2»@db/shop jdbc:oracle:thin:scott/«hunter2»@//db:1521/x alex:«hunter2»@localhost/shop postgres://«alex»:«a/hunter2»@db/shop',
    'https://h:8080/@scope/x https://h/mcp/token/«hunter2»/x https://h/oauth/token/refresh h.example.com/mcp?k=«hunter2»',
  )],
  ['numbers that an option makes secret, and settings with spaces', { command: 'x', args: ['--pin', '«#12345678»', '--port', 8080, 'Password = «hunter2»', '<password>«hunter2»</password>'] }],
  ['a line within a line', { command: 'sh', args: ['-c', `bash -c 'FOO=«one» x --token "«two»"'; x --password «$(echo three)» --basic me:«four»`] }],
  ['nothing secret', { ...line('/usr/bin/node dist/main.js --max-tokens 500 --root /srv/alex/notes --region=eu-central-1 -p 8080'), tools: ['read_key', 'list'], trusted: true }],
];

it.each(SERVERS)('a server of tools: %s', (_what, server) => {
  const three = (settings: unknown) => ({ mcp: { one: settings, env: settings, headers: settings } });
  expect(masked(three(given(server)))).toEqual(three(shown(server)));
});

it.each<[what: string, settings: Settings]>(
  // biome-ignore format: a row is a line
  [
    ['a provider', { providers: { local: { baseURL: 'http://«u»:«pw»@h:1/v1?key=«k»', apiKey: '«a»', headers: { X: '«b»' } } } }],
    ['a server of an engine', { engine: { url: '«rediss://:pw@h:1/0»', prefix: 'x' } }],
    ['a skill', { skills: { env: { deploy: { HOST: '«h»', TOKEN: '«t»' } }, timeout: 60 } }],
    ['a channel', { channels: { telegram: { token: '«1:a»', apiRoot: 'http://h/bot', webhook: { url: 'https://h/t', secret: '«s»' } } } }],
    ['a webhook of Slack', { search: { url: 'https://hooks.slack.com/services/T0ABC/B0DEF/«x9Yk2LmN4pQr7StUvWxYz123»' } }],
    ['Telegram’s address', { search: { url: 'https://api.telegram.org/«bot123456789:AAEmulatedBotTokenOfSomeLength01»/getMe' } }],
    ['a program that hears', { voice: { command: ['whisper', '--api-key', '«k»', '-m', '/models/ggml-base.bin'] } }],
    ['programs', { http: { port: 6009, token: '«a»', clients: { desk: { token: '«b»', role: 'member' } } } }],
    ['telemetry', { telemetry: { endpoint: 'https://h/otlp', headers: { 'x-team': '«k»' } } }],
    ['all else', { model: 'openai/gpt-5-mini', limits: { tokensPerDay: 5 }, people: [{ name: 'alex', ids: ['telegram:1001'] }] }],
  ],
)('%s', (_what, settings) => expect(masked(given(settings) as Settings)).toEqual(shown(settings)));

it.each([
  ...[
    'token',
    'apiKey',
    'API_KEY',
    '--api-key',
    'X-Api-Key',
    'clientSecret',
    'DB_PASSWORD',
    'authToken',
    'signingSecret',
  ].map((name) => [name, true] as const),
  ...['max_tokens', 'tokensPerDay', 'keyboard', 'monkey', 'key-file', 'TOKEN_URL', 'author', 'passenger'].map(
    (name) => [name, false] as const,
  ),
])('%s: %s', (name, is) => expect(isSecretName(name)).toBe(is));

it('hides the same in the log and the chats, but no words that anybody may say', async () => {
  const text = `
mcp:
  db:
    command: npx
    args: [--api-key, arg-value-1, "postgres://alexander:pass%2Fword@db/shop?opt=query-value-1"]
    env: { FOO: env-value-1, NODE_ENV: production, HOME: /srv/alex, PORT: "8080", SERVICE: "https://h/v1?id=env-query-1" }
  web: { url: "https://h/k/9f8a7b6c5d4e3f2a/sse?\${NAME}=in-the-query", headers: { X-Any: "Bearer header-value-1" } }
`;
  await configOf(text, 'config.yaml', { NAME: 'k' });
  const said =
    'arg-value-1 pass/word pass%2Fword query-value-1 env-value-1 9f8a7b6c5d4e3f2a in-the-query header-value-1';
  expect(scrub(said)).toBe(said.replace(/\S+/g, M));
  const plain = 'in production /srv/alex listens on 8080 at db with https://h/ and Bearer';
  expect(scrub(plain)).toBe(plain);
});

it('leaves nothing of a secret that begins as another does', async () => {
  await configOf('mcp: { a: { command: x, env: { A: shared-start, B: shared-start-and-more } } }', 'config.yaml', {});
  expect(scrub('shared-start-and-more shared-start')).toBe(`${M} ${M}`);
});

describe('a configuration with names in place of secrets', () => {
  it.each<[string, string, string]>(
    // biome-ignore format: a row is a line
    [
      ['a token', 'http: { token: abc } # abc', 'http: { token: "${HTTP_TOKEN}" } # abc'],
      ['the name that is known already', 'channels: { slack: { botToken: xoxb-1 } }', 'channels: { slack: { botToken: "${SLACK_BOT_TOKEN}" } }'],
      ['a reference', 'http: { token: "${MINE}" }', 'http: { token: "${MINE}" }'],
      ['a default', 'http: { token: "${MINE:-abc}" }', 'http: { token: "${MINE}" }'],
      ['a reference beside words', 'mcp: { a: { headers: { Authorization: "Bearer ${T}" } } }', 'mcp: { a: { headers: { Authorization: "Bearer ${T}" } } }'],
      ['half a reference', 'mcp: { a: { url: "https://u:${P}@h/?k=v" } }', 'mcp: { a: { url: "https://${MCP_A_URL}:${P}@h/?k=${MCP_A_URL_K}" } }'],
      [
        'variables',
        'mcp:\n  a:\n    env:\n      FOO: |\n        two\n        lines\n      BAR: 12 # why\n',
        'mcp:\n  a:\n    env:\n      FOO: "${FOO}"\n      BAR: "${BAR}" # why\n',
      ],
      ['variables of one name', 'mcp: { a: { env: { A: "1" } }, b: { env: { A: "2" } } }', 'mcp: { a: { env: { A: "${A}" } }, b: { env: { A: "${MCP_B_ENV_A}" } } }'],
      ['what is named elsewhere', 'x: &x { FOO: a }\nmcp: { a: { env: *x }, b: { env: *x } }', 'x: &x { FOO: "${FOO}" }\nmcp: { a: { env: *x }, b: { env: *x } }'],
      ['an argument', 'mcp: { a: { args: [--api-key, abc, -e, TOKEN=def] } }', 'mcp: { a: { args: [--api-key, "${MCP_A_ARGS_API_KEY}", -e, "TOKEN=${TOKEN}"] } }'],
      [
        'arguments that are numbers, and logins',
        'mcp: { a: { args: [--pin, 12345678, --port, 8080, --basic, "alex:hunter2"] } }',
        'mcp: { a: { args: [--pin, "${MCP_A_ARGS_PIN}", --port, 8080, --basic, "alex:${MCP_A_ARGS_BASIC}"] } }',
      ],
      ['JSON', '{"http":{"token":"a\\"b"}}', '{"http":{"token":"${HTTP_TOKEN}"}}'],
      [
        'comments',
        '# token: abc\n# DB_URL=xyz\n# nothing\nhttp: { token: long-secret-1 } # was long-secret-1',
        '# token: [secret]\n# DB_URL=[secret]\n# nothing\nhttp: { token: "${HTTP_TOKEN}" } # was [secret]',
      ],
      ['a secret that stands twice', 'http: { token: long-secret-2 }\nmodel: x/long-secret-2', 'http: { token: "${HTTP_TOKEN}" }\nmodel: "x/${HTTP_TOKEN}"'],
    ],
  )('%s', async (_name, given, clean) => expect((await withoutSecrets(given, 'config.yaml')).text).toBe(clean));

  it('says which variables it asks for', async () => {
    const given =
      '  # key: "${IN_A_COMMENT}"\nhttp: { token: abc }\nmodel: "${MODEL}"\nlog: { level: "${LEVEL:-info}" }';
    expect((await withoutSecrets(given, 'config.yaml')).variables).toEqual(['HTTP_TOKEN', 'MODEL']);
  });
});
